/** Fault that a person can fix; the message names cause and setting. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
