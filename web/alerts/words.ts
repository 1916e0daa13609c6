import type { Alert } from '#client/types.ts'

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
  clock_differs: 'The broker’s clock says another time',
  sender_position_differs: 'is another position for the sender of a signal',
  signals_refused: 'Signals of a sender are refused',
  hook_first_request: 'The first request came to a hook',
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
  'clock_differs',
  'set_back',
  'signals_refused',
  'hook_first_request',
  'sender_silent',
])

/** An alert in a few words: "AMD is unprotected". */
export const alertTitle = ({ kind, symbol }: Pick<Alert, 'kind' | 'symbol'>): string =>
  OF_ACCOUNT.has(kind) ? TITLES[kind] : `${symbol ?? 'An order'} ${TITLES[kind]}`

const SEVERE: ReadonlySet<Alert['kind']> = new Set([
  'unprotected_position',
  'credentials',
  'order_unknown_at_broker',
  'position_differs',
  'exit_unfilled',
  'not_flat',
  'protection_blind',
  'sold_elsewhere',
  'source_id_reused',
  'untrusted_message',
  'set_back',
])

/** Money may be lost while nobody looks. */
export const isSevere = ({ kind }: Pick<Alert, 'kind'>): boolean => SEVERE.has(kind)

/** What happened, as a sentence. */
export const happened = ({ message }: Pick<Alert, 'message'>): string =>
  /[.?!]$/.test(message) ? message : `${message}.`

const TO_DO = {
  unprotected_position:
    'Look at the position, and close it yourself if it cannot wait. The exit is tried again by itself.',
  fill_after_end: 'Look whether these shares have an exit. Press Seen when you have.',
  order_unknown_at_broker:
    'Look for the order at the broker. If it is gone, as after a paper account was reset, press Let go: it counts as cancelled then.',
  replaced_order_working:
    'Cancel the order at the broker if it must not fill. The alert ends with the order.',
  fill_amended: 'Compare the position with the broker. Press Seen when you have.',
  order_changed_by_broker:
    'Look at the order at the broker, and cancel it there if it is not what you want. Press Seen when you have.',
  action_overdue: 'Today tells which part of the service does not work. It is done as soon as it can be.',
  account_sync_overdue: 'Balances and positions shown here may be old. Test the connection of the account.',
  snapshot_overdue: 'A day of the performance may be missing. Orders are not concerned.',
  feed_overdue:
    'Fills may go unnoticed until a worker follows the account again: look at the broker before you order anything yourself.',
  comparison_failing: 'Fills may go unnoticed: look at the broker before you order anything yourself.',
  execution_unreadable:
    'Compare the position with the broker. Press Seen when you have; the operator tells the broker of the execution.',
  position_differs:
    'Compare with the broker, as after a split, a change of the symbol or a transfer. If its figure is right, press Accept: what is beyond the shares of your signals is yours then, and no exit sells it.',
  stream_refused:
    'Fills arrive some seconds later, and nothing is lost. If this lasts, give the connection new keys, or ask the broker.',
  ended_unfilled: 'Send it again if you still want it. Press Seen when you have read this.',
  exit_unfilled:
    'Look at the symbol at the broker: trading in it may be halted. The order works on, and this ends when it fills.',
  not_flat:
    'Look at what is held, here and at the broker, and close it yourself where it is not tried any more. Press Seen when you know.',
  protection_blind:
    'There is no fresh price. What lies at the broker works on; look at the price yourself, and close the position if you do not want to wait.',
  sold_elsewhere:
    'If it was not you, look at the account at the broker: it closes shares when margin or borrowed shares run out. Press Seen when you know.',
  credentials: 'Give the connection new keys. Orders and exits wait until the broker accepts them.',
  clock_differs:
    'Exits are planned by the difference. The operator looks whether the clock of the service is right.',
  sender_position_differs:
    'Look in the signals of the symbol for an alert that did not arrive or was refused, and bring the position to where it should be. Press Seen when you have.',
  signals_refused:
    'Correct what sends with this token or hook, which shows what was refused last. It ends with the next signal that is accepted. If nothing sends with it any more, press Seen.',
  hook_first_request: 'Its inbox shows what came. Press Seen when you have read this.',
  sender_silent:
    'Look whether the program or the alerts that send still run. This ends with the next that comes, or when nothing is expected any more.',
  set_back:
    'Compare orders and positions with the broker: what was done after that state may be missing here.',
  source_id_reused:
    'Let the sender give every trade a sourceId of its own, and send the trade again if you still want it. Press Seen when you have.',
  untrusted_message: 'Find out who has access to Temporal. Press Seen when you know.',
} as const satisfies Record<Alert['kind'], string>

/**
 * What a person does about it.
 *
 * @param isStopped nothing at all is sent for its account, what a person closes neither
 */
export const toDo = ({ kind, details }: Pick<Alert, 'kind' | 'details'>, isStopped = false): string => {
  const { trouble, held, symbol } = details
  if (kind === 'unprotected_position' && isStopped)
    return 'Resume, or switch to Reduce only: until then nothing is sent, and closing by hand is refused too.'
  if (kind === 'unprotected_position' && 'beyond' in details)
    return 'Open the signal, and choose how many shares its exit sells. Nothing is sent until then.'
  if (kind === 'unprotected_position' && trouble === 'uncovered')
    return 'Close the shares yourself, or send a signal that closes them: no exit follows by itself.'
  if (kind === 'fill_amended' && typeof held === 'string' && typeof symbol === 'string' && held !== '0')
    return `If the account should not hold that, press Close at ${symbol} under Positions. Press Seen when you have.`
  return TO_DO[kind]
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
