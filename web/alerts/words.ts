import type { Alert } from '#client/types.ts'
import { withInstants } from '#domain/time/instants.ts'
import { bothTimes } from '../words/times.ts'

const TITLES = {
  unprotected_position: 'is unprotected',
  fill_after_end: 'filled after its end',
  order_unknown_at_broker: 'has an order that the broker does not know',
  replaced_order_working: 'has a replaced order that still works',
  fill_amended: 'has an execution that was changed',
  order_changed_by_broker: 'has an order that the broker has changed',
  action_overdue: 'is late',
  account_sync_overdue: 'Balances are old',
  snapshot_overdue: 'The day’s balances are not recorded',
  feed_overdue: 'Nobody follows the account at the broker',
  comparison_failing: 'Orders cannot be compared with the broker',
  execution_unreadable: 'An execution cannot be read',
  position_differs: 'is another position at the broker',
  stream_refused: 'The broker refuses its order stream',
  ended_unfilled: 'ended without being filled',
  exit_unfilled: 'has an exit that does not fill',
  not_flat: 'Not everything is closed',
  protection_blind: 'has levels that nobody can watch',
  sold_elsewhere: 'was closed at the broker, not by us',
  credentials: 'The broker rejects the keys',
  notice_unreached: 'waits, and no device could be told',
  trading_blocked: 'The broker has blocked the account',
  clock_differs: 'The broker’s clock says another time',
  sender_position_differs: 'is not the position that its sender expects',
  signals_refused: 'Signals of a sender are refused',
  hook_first_request: 'The first request came to a hook',
  hook_secret_elsewhere: 'The secret of a hook was used elsewhere',
  sender_silent: 'A sender is silent',
  set_back: 'Records were set back to an earlier state',
  source_id_reused: 'has a sourceId that another trade used',
  untrusted_message: 'got a message that is not trusted',
} as const satisfies Record<Alert['kind'], string>

const OF_ACCOUNT: ReadonlySet<Alert['kind']> = new Set([
  'account_sync_overdue',
  'snapshot_overdue',
  'feed_overdue',
  'comparison_failing',
  'execution_unreadable',
  'stream_refused',
  'credentials',
  'trading_blocked',
  'clock_differs',
  'set_back',
  'signals_refused',
  'hook_first_request',
  'hook_secret_elsewhere',
  'sender_silent',
])

/** An alert in a few words: "AMD is unprotected". */
export function alertTitle({ kind, symbol, details }: Pick<Alert, 'kind' | 'symbol' | 'details'>): string {
  if (OF_ACCOUNT.has(kind)) return TITLES[kind]
  const isStopped = kind === 'action_overdue' && details['cause'] === 'halted'
  return `${symbol ?? 'An order'} ${isStopped ? 'waits: trading is stopped' : TITLES[kind]}`
}

/** What happened, as a sentence. */
export const happened = ({ message }: Pick<Alert, 'message'>, now: number): string => {
  const text = withInstants(message, (instant) => bothTimes(instant.toISOString(), now))
  return /[.?!]$/.test(text) ? text : `${text}.`
}

/** What a person can do about an alert by one press, beside having seen it; null where there is nothing. */
export type Remedy = 'accept' | 'let go'

export const remedyOf = ({
  kind,
  resolvedAt,
  details,
}: Pick<Alert, 'kind' | 'resolvedAt' | 'details'>): Remedy | null => {
  if (resolvedAt !== null) return null
  if (kind === 'position_differs') return 'accept'
  return kind === 'order_unknown_at_broker' && typeof details['orderId'] === 'string' ? 'let go' : null
}
