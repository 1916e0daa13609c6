/** A place at which a test makes the process die, hang or fail. */
export type Failpoint = (name: ApiFailpoint) => void | Promise<void>
export type ApiFailpoint =
  | 'api.before_hook_stored'
  | 'api.after_hook_stored'
  | 'api.before_commit'
  | 'api.after_commit'
  | 'api.after_start'
