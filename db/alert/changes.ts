import type { AlertKind, AlertNotice } from '#domain/alert/alert.ts'

/** With an SQL condition on `changed`, and its parameters. */
export type Raised = AlertNotice & Pick<Resolved, 'where'>

/** With an SQL condition on `alerts`, and its parameters. */
export interface Resolved {
  kind: AlertKind
  where?: { sql: string; parameters: unknown[] }
  /** Also by a step that leaves the state of the exit. */
  inSameState?: true
}
