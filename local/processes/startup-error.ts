/** Something a person can put right: the message names the cause and the setting, ready to print. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
