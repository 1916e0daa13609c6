export type Failpoint = (name: ApiFailpoint) => void | Promise<void>
type ApiFailpoint =
  | 'api.before_hook_stored'
  | 'api.after_hook_stored'
  | 'api.before_commit'
  | 'api.after_commit'
  | 'api.after_start'
