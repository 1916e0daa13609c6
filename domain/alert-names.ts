import type { AlertKind } from './alert.ts'

/** The kinds of alerts in a few words, for titles and to choose from. */
export const ALERT_NAMES: Readonly<Record<AlertKind, string>> = {
  unprotected_position: 'unprotected position',
  fill_after_end: 'fill after the end',
  order_unknown_at_broker: 'order unknown at the broker',
  replaced_order_working: 'replaced order works',
  fill_amended: 'changed execution',
  order_changed_by_broker: 'order changed by the broker',
  action_overdue: 'late action',
  account_sync_overdue: 'old balances',
  snapshot_overdue: 'day’s balances missing',
  feed_overdue: 'account not followed',
  comparison_failing: 'no comparison',
  execution_unreadable: 'execution cannot be read',
  position_differs: 'other position',
  credentials: 'rejected keys',
  clock_differs: 'other clock',
  stream_refused: 'order stream refused',
  ended_unfilled: 'ended unfilled',
  exit_unfilled: 'exit not filled',
  sold_elsewhere: 'sold elsewhere',
  signals_refused: 'signals refused',
  set_back: 'records set back',
  source_id_reused: 'sourceId used again',
  untrusted_message: 'untrusted message',
}
