import type { Alert } from '#client/types.ts'

const TITLES = {
  unprotected_position: 'is unprotected',
  fill_after_end: 'filled after its end',
  order_unknown_at_broker: 'has an order that the broker does not know',
  replaced_order_working: 'has a replaced order that still works',
  fill_amended: 'has an execution that was changed',
  action_overdue: 'is late',
  account_sync_overdue: 'Balances are old',
  snapshot_overdue: 'The day’s balances are not recorded',
  comparison_failing: 'Orders cannot be compared with the broker',
  position_differs: 'The broker shows another position',
  credentials: 'The broker rejects the keys',
  untrusted_message: 'got a message that is not trusted',
} as const satisfies Record<Alert['kind'], string>

const OF_ACCOUNT: ReadonlySet<Alert['kind']> = new Set([
  'account_sync_overdue',
  'snapshot_overdue',
  'comparison_failing',
  'position_differs',
  'credentials',
])

/** An alert in a few words: "AMD is unprotected". */
export const alertTitle = ({ kind, symbol }: Alert): string =>
  OF_ACCOUNT.has(kind) ? TITLES[kind] : `${symbol ?? 'An order'} ${TITLES[kind]}`

const SEVERE: ReadonlySet<Alert['kind']> = new Set([
  'unprotected_position',
  'credentials',
  'order_unknown_at_broker',
  'position_differs',
  'untrusted_message',
])

/** Money may be lost while nobody looks. */
export const isSevere = ({ kind }: Alert): boolean => SEVERE.has(kind)
