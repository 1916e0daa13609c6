import type { AlertKind, AlertNotice } from './alert.ts'

const DUE_ACTIONS = {
  scheduled_entry: 'The order was to be sent at its scheduled time',
  entry: 'The order was to be sent',
  expiry: 'The signal was to expire',
  exit: 'The exit was to be sent',
  exit_plan: 'The time of the exit was to be found out',
  gtd_cancel: 'The entry order was to be cancelled at its good till date',
  order_end: 'The end of an order was to be acted upon',
  manual_order: 'The order was to be sent',
  account_sync: 'The account was to be synced with its broker',
  feed: 'The account was to be compared with its broker',
  snapshot: 'The balances at the end of the day were to be recorded',
  snapshot_plan: 'The recording of balances at the end of the day was to be planned',
} as const
export type DueAction = keyof typeof DUE_ACTIONS

/** `ours`: the service itself is at fault, not a broker or a person's decision. */
const OVERDUE_CAUSES = {
  not_started: { ours: true, meaning: 'its workflow has not been started' },
  workflow_missing: { ours: true, meaning: 'its workflow is missing in Temporal and is started again' },
  workflow_failing: { ours: true, meaning: 'its workflow fails' },
  temporal_unreachable: { ours: true, meaning: 'Temporal cannot be reached' },
  not_followed: { ours: true, meaning: 'no worker follows the account' },
  no_worker: { ours: true, meaning: 'no worker runs' },
  step_failing: { ours: false, meaning: 'it cannot be done yet, and is tried again' },
  halted: { ours: false, meaning: 'a halt keeps it back' },
  busy: { ours: true, meaning: 'its workflow runs and has not come to it' },
} as const
type OverdueCause = keyof typeof OVERDUE_CAUSES

export interface Overdue {
  kind: Extract<AlertKind, 'action_overdue' | 'account_sync_overdue' | 'snapshot_overdue' | 'feed_overdue'>
  what: DueAction
  dueAt: string
  cause: OverdueCause
  detail: string | null
  step?: string
}

export const overdueNotice = ({ kind, what, dueAt, cause, detail, step }: Overdue): AlertNotice => ({
  kind,
  message: `${DUE_ACTIONS[what]} (${dueAt}) and is not done: ${OVERDUE_CAUSES[cause].meaning}${detail === null ? '' : ` (${detail})`}`,
  data: { what, dueAt, cause, ...(step !== undefined && { step }) },
})

export const OWN_CAUSES = Object.entries(OVERDUE_CAUSES)
  .filter(([, { ours }]) => ours)
  .map(([cause]) => cause)
