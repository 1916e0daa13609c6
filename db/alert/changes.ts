import type { AlertKind, AlertNotice } from '#domain/alert/alert.ts'

/** SQL condition on `changed`, with parameters. */
export type Raised = AlertNotice & Pick<Resolved, 'where'>

/** SQL condition on `alerts`, with parameters. */
export interface Resolved {
  kind: AlertKind
  where?: { sql: string; parameters: unknown[] }
  /** Also when the exit's state does not change. */
  inSameState?: true
}
