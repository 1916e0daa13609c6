import type { AlertKind, AlertNotice } from './alert.ts'

const DUE_ACTIONS = {
  scheduled_entry: 'The scheduled order is overdue',
  entry: 'The order is overdue',
  expiry: 'The expiry of the signal is overdue',
  exit: 'The exit is overdue',
  exit_plan: 'The planning of the exit is overdue',
  gtd_cancel: 'The cancel of the entry order at its good till date is overdue',
  order_end: 'The handling of an ended order is overdue',
  manual_order: 'The order is overdue',
  account_sync: 'The sync of the account with its broker is overdue',
  feed: 'The comparison of the account with its broker is overdue',
  snapshot: 'The recording of the day’s balances is overdue',
  snapshot_plan: 'The planning of the day’s balances is overdue',
} as const
export type DueAction = keyof typeof DUE_ACTIONS

/** `ours`: the service is at fault, not a broker or person. */
const OVERDUE_CAUSES = {
  not_started: { ours: true, meaning: 'its workflow has not been started' },
  workflow_missing: { ours: true, meaning: 'its workflow is missing in Temporal and is started again' },
  workflow_failing: { ours: true, meaning: 'its workflow fails' },
  temporal_unreachable: { ours: true, meaning: 'Temporal cannot be reached' },
  not_followed: { ours: true, meaning: 'no worker runs the feed of the account' },
  no_worker: { ours: true, meaning: 'no worker runs' },
  step_failing: { ours: false, meaning: 'it cannot be done yet, and is retried' },
  halted: { ours: false, meaning: 'a halt holds it' },
  busy: { ours: true, meaning: 'its workflow runs and has not reached it' },
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
  message: `${DUE_ACTIONS[what]} (due ${dueAt}): ${OVERDUE_CAUSES[cause].meaning}${detail === null ? '' : ` (${detail})`}`,
  data: { what, dueAt, cause, ...(step !== undefined && { step }) },
})

export const OWN_CAUSES = Object.entries(OVERDUE_CAUSES)
  .filter(([, { ours }]) => ours)
  .map(([cause]) => cause)
