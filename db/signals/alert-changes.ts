import type { AlertKind, AlertNotice } from '#domain/alert.ts'

/** The effect of the write of a step on the alerts of its signal or its manual order. */

/** An alert that a step raises, with an SQL condition on `changed` that has to hold besides, and its parameters. */
export type Raised = AlertNotice & Pick<Resolved, 'where'>

/** An alert that a step ends, with an SQL condition on `alerts` that has to hold besides, and its parameters. */
export interface Resolved {
  kind: AlertKind
  where?: { sql: string; parameters: unknown[] }
  /** Also by a step that leaves the exit in the state that it has; otherwise only with a new one. */
  inSameState?: true
}
