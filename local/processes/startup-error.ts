/** Fault that a person can fix: the message names cause and setting, ready to print. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
