import type { Alert } from '#client/types.ts'

/** Money may be lost unseen; a person must act; a person should read it. */
type Weight = 'money' | 'hand' | 'note'

const WEIGHTS: Record<Alert['kind'], Weight> = {
  unprotected_position: 'money',
  fill_after_end: 'hand',
  order_unknown_at_broker: 'money',
  replaced_order_working: 'hand',
  fill_amended: 'hand',
  order_changed_by_broker: 'hand',
  action_overdue: 'hand',
  account_sync_overdue: 'hand',
  snapshot_overdue: 'note',
  feed_overdue: 'hand',
  comparison_failing: 'hand',
  execution_unreadable: 'hand',
  position_differs: 'money',
  stream_refused: 'note',
  ended_unfilled: 'note',
  exit_unfilled: 'money',
  not_flat: 'money',
  protection_blind: 'money',
  sold_elsewhere: 'money',
  credentials: 'money',
  notice_unreached: 'money',
  trading_blocked: 'money',
  clock_differs: 'note',
  sender_position_differs: 'hand',
  signals_refused: 'hand',
  hook_first_request: 'note',
  hook_secret_elsewhere: 'hand',
  sender_silent: 'hand',
  set_back: 'money',
  source_id_reused: 'money',
  untrusted_message: 'money',
}

export const weightOf = ({ kind }: Pick<Alert, 'kind'>): Weight => WEIGHTS[kind]

export const isSevere = (alert: Pick<Alert, 'kind'>): boolean => weightOf(alert) === 'money'
