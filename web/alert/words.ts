import type { Alert } from '#client/types.ts'
import { withInstants } from '#domain/time/instants.ts'
import { bothTimes } from '../words/times.ts'

const TITLES = {
  unprotected_position: 'is unprotected',
  fill_after_end: 'filled after it ended',
  order_unknown_at_broker: 'has an order unknown at the broker',
  replaced_order_working: 'has a replaced order that is still open',
  fill_amended: 'has a corrected execution',
  order_changed_by_broker: 'has an order changed by the broker',
  action_overdue: 'is overdue',
  account_sync_overdue: 'Balances are not up to date',
  snapshot_overdue: 'The day’s balances are not recorded',
  feed_overdue: 'Order updates are not received',
  comparison_failing: 'Orders cannot be compared with the broker',
  execution_unreadable: 'An execution cannot be read',
  position_differs: 'position differs at the broker',
  stream_refused: 'The broker refuses order streaming',
  ended_unfilled: 'ended unfilled',
  exit_unfilled: 'has an unfilled exit',
  not_flat: 'Some positions are not closed',
  protection_blind: 'has levels without a current price',
  sold_elsewhere: 'was closed at the broker, outside this app',
  credentials: 'The broker rejects the keys',
  notice_unreached: 'needs approval, and no channel was reached',
  trading_blocked: 'The broker has blocked the account',
  clock_differs: 'The broker’s clock differs',
  sender_position_differs: 'position is not the one the strategy expects',
  signals_refused: 'A sender’s signals are refused',
  hook_first_request: 'A hook received its first request',
  hook_secret_elsewhere: 'A hook’s secret was used from another address',
  sender_silent: 'No messages from a sender',
  set_back: 'Records were rolled back',
  source_id_reused: 'reused the sourceId of another trade',
  untrusted_message: 'received an untrusted message',
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

export const happened = ({ message }: Pick<Alert, 'message'>, now: number): string => {
  const text = withInstants(message, (instant) => bothTimes(instant.toISOString(), now))
  return /[.?!]$/.test(text) ? text : `${text}.`
}

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
