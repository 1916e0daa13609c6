import type { Decimal } from '../money/decimal.ts'
import type { ExitReason, ExitTrouble } from '../exit/exit.ts'

interface AlertMeaning {
  /** One open alert of a kind for each of these; `symbol`: of an account; `sender`: hook or strategy. */
  concerns: 'signal' | 'account' | 'symbol' | 'token' | 'sender'
  ends: AlertEnd
  meaning: string
}

/**
 * when done: its cause has ended. after a quiet minute: no cause for {@link ALERT_QUIET_MS}, so an intermittent one
 * notifies once. when acknowledged: only by a person. when read: the same, or a day later.
 */
export type AlertEnd = 'when done' | 'after a quiet minute' | 'when acknowledged' | 'when read'

export const ALERT_QUIET_MS = 60_000

/** Events that may cost an account's owner money without notice. */
export const ALERTS = {
  unprotected_position: {
    concerns: 'signal',
    ends: 'when done',
    meaning:
      'Shares that the signal was to close are still held and no exit order works for them. Ends when exit orders are placed for all of them, the position is closed, or a person cancels the exit.',
  },
  fill_after_end: {
    concerns: 'signal',
    ends: 'when acknowledged',
    meaning:
      'The broker reported a fill after the signal, or the manual order, had ended. A signal with an exit gets one for these shares, and the alert ends when that is placed for all of them; otherwise when a person acknowledges it.',
  },
  order_unknown_at_broker: {
    concerns: 'signal',
    ends: 'when acknowledged',
    meaning:
      'The broker does not know an order any more that it once accepted: it protects nothing, and its levels are watched here. After a minute in which nothing says that it has filled, it counts as ended. Ends when the broker shows it again, when its owner or an operator lets it go, or when a person acknowledges it.',
  },
  replaced_order_working: {
    concerns: 'signal',
    ends: 'when done',
    meaning:
      'The signal was replaced while the broker would not cancel its order, which may still fill. Ends with the order.',
  },
  fill_amended: {
    concerns: 'signal',
    ends: 'when acknowledged',
    meaning:
      'The broker has taken an execution back or corrected it: what the order has filled, and the position, are other than they were. Ends when a person acknowledges it.',
  },
  order_changed_by_broker: {
    concerns: 'signal',
    ends: 'when acknowledged',
    meaning:
      'The broker has the order otherwise than it was sent: with another quantity or price, or under its name for another symbol or side. Ends when a person acknowledges it.',
  },
  action_overdue: {
    concerns: 'signal',
    ends: 'when done',
    meaning:
      'An entry, exit, expiry, cancel or the end of an order was due and was not dealt with 15 seconds later; the alert names the cause. Ends when it is done.',
  },
  account_sync_overdue: {
    concerns: 'account',
    ends: 'after a quiet minute',
    meaning:
      'The account was to be synced with its broker and was not 15 seconds later; the alert names the cause. Ends a minute after it is synced again.',
  },
  snapshot_overdue: {
    concerns: 'account',
    ends: 'when done',
    meaning:
      'The balances with which a day of the exchange ended were to be recorded and were not 15 seconds later; the alert names the cause. Ends when they are, or when it is too late for that.',
  },
  feed_overdue: {
    concerns: 'account',
    ends: 'after a quiet minute',
    meaning:
      'The worker that follows the account at its broker did not report in time: fills go unnoticed. Ends a minute after the account is compared with its broker again.',
  },
  comparison_failing: {
    concerns: 'account',
    ends: 'after a quiet minute',
    meaning:
      'The orders of the account could not be compared with its broker for a minute: fills that the stream does not report go unnoticed. Ends when comparisons have succeeded for a minute.',
  },
  execution_unreadable: {
    concerns: 'account',
    ends: 'when acknowledged',
    meaning:
      "The broker's list of executions holds some that cannot be read: they are left out, and the ledger of the account continues without them. Ends when a person acknowledges it, or all can be read.",
  },
  position_differs: {
    concerns: 'symbol',
    ends: 'after a quiet minute',
    meaning:
      'For more than a minute the broker has shown another position than its executions add up to, in a symbol in which a signal or an order of yours holds shares or works, as after a split, a change of the symbol or a transfer of shares: exits may be for too few shares, or wait. Ends when both have said the same for a minute, or when its owner accepts the position that the broker shows.',
  },
  credentials: {
    concerns: 'account',
    ends: 'after a quiet minute',
    meaning:
      "The broker rejects the keys of the account's connection: no order can be placed, watched or cancelled. Ends when it has accepted them for a minute.",
  },
  notice_unreached: {
    concerns: 'signal',
    ends: 'when done',
    meaning:
      'A signal waits for a person, and its notice has reached none of their channels: the services refuse it, have ended them, or have taken nothing for half a minute each. Ends when a channel is reached, or the signal waits no longer.',
  },
  trading_blocked: {
    concerns: 'account',
    ends: 'after a quiet minute',
    meaning:
      'The broker says that the account trades nothing at the moment, while signals of it have exits to come: these may be refused. Entries are denied meanwhile. Ends when the broker has said for a minute that the account trades, or when no exit is to come any more.',
  },
  clock_differs: {
    concerns: 'account',
    ends: 'after a quiet minute',
    meaning:
      "The clock of the account's broker differs from that of this service by five seconds or more. Exits are planned by the difference, unless it is too large to be believed. Ends when both have said the same for a minute.",
  },
  set_back: {
    concerns: 'account',
    ends: 'when acknowledged',
    meaning:
      'The ledger, Temporal or the broker was rolled back to an earlier state, as by restoring a copy, or the service was suspended, and they disagreed. The alert names each difference and its outcome. Ends when a person acknowledges it.',
  },
  stream_refused: {
    concerns: 'account',
    ends: 'after a quiet minute',
    meaning:
      'The broker answers requests and refuses its stream of order events: fills are found by asking every few seconds, orders and exits go out as ever. Ends when the stream has been there for a minute.',
  },
  ended_unfilled: {
    concerns: 'signal',
    ends: 'when read',
    meaning:
      'A signal or an order ended without a request to end it, and did not fill, or filled in part only. Ends when a person acknowledges it, or a day later.',
  },
  exit_unfilled: {
    concerns: 'signal',
    ends: 'when done',
    meaning:
      'An exit at market is at the broker and has not filled within a minute of an open session, as in a halt of the symbol: the position is still open. Ends when the order fills or ends.',
  },
  not_flat: {
    concerns: 'account',
    ends: 'when acknowledged',
    meaning:
      'Everything was to be closed, by a request or before the close of the exchange, and something is not, or an order from before may still open a position: after a minute, or when half of the time before the close has passed, and again when nothing more is tried. Ends when all of it is closed, or when a person acknowledges it.',
  },
  protection_blind: {
    concerns: 'signal',
    ends: 'after a quiet minute',
    meaning:
      'No price of the symbol was younger than 30 seconds in an open session while this service watches levels of an exit: it triggers nothing by guess. The alert names the levels that orders at the broker keep and those that they do not. Ends when prices have been fresh, or are not needed, for a minute.',
  },
  sold_elsewhere: {
    concerns: 'signal',
    ends: 'when acknowledged',
    meaning:
      "Shares of the signal were closed at the broker, and not by an order of this service: a liquidation, a buy-in, or an order at the broker's own site. The exit is for the shares that are left. Ends when a person acknowledges it.",
  },
  source_id_reused: {
    concerns: 'signal',
    ends: 'when acknowledged',
    meaning:
      'A signal was not carried out, because its sourceId belongs to another trade: a living signal of another symbol, action or quantity. Its sender received that answer with status 200. Ends when a person acknowledges it.',
  },
  sender_position_differs: {
    concerns: 'symbol',
    ends: 'when read',
    meaning:
      'The sender of a signal assumes another position in its symbol than is held or on order: an earlier alert was missed or refused, or the position was traded elsewhere. The signal was carried out by what is held. Ends when a person acknowledges it, or a day later.',
  },
  signals_refused: {
    concerns: 'token',
    ends: 'when acknowledged',
    meaning:
      'A request for a signal by an access token, or one to a hook, was refused, and none of it was accepted since: what sends with it may trade nothing. Ends with the next one that is accepted, or when a person acknowledges it.',
  },
  hook_first_request: {
    concerns: 'token',
    ends: 'when read',
    meaning:
      'The first request ever came to a hook: its sender reaches this service. Ends when a person acknowledges it, or a day later.',
  },
  hook_secret_elsewhere: {
    concerns: 'token',
    ends: 'when acknowledged',
    meaning:
      'A request to a hook had its secret, or its signature, and came from an address that its owner has not listed. It was refused, and used up nothing of the rate of the hook. Ends when a person acknowledges it.',
  },
  sender_silent: {
    concerns: 'sender',
    ends: 'when done',
    meaning:
      'Nothing came by the time at which something was expected of a hook, or of a strategy. Ends when something comes, or nothing is expected any more.',
  },
  untrusted_message: {
    concerns: 'signal',
    ends: 'when acknowledged',
    meaning:
      'A message to the signal, or to the manual order, that was not made by this service for it, or cannot be read, was dropped. Nothing was done on its word. Another party may have access to Temporal, or a key is missing. Ends when a person acknowledges it.',
  },
} as const satisfies Record<string, AlertMeaning>

export type AlertKind = keyof typeof ALERTS
export const ALERT_KINDS = Object.keys(ALERTS) as [AlertKind, ...AlertKind[]]

export const kindsThatEnd = (...ends: AlertEnd[]): AlertKind[] =>
  ALERT_KINDS.filter((kind) => ends.includes(ALERTS[kind].ends))

/** Notified again until acknowledged or over: positions, keys and work that is overdue. */
export const REPEATED_ALERTS: readonly AlertKind[] = [
  'unprotected_position',
  'protection_blind',
  'exit_unfilled',
  'credentials',
  'trading_blocked',
  'action_overdue',
  'account_sync_overdue',
  'feed_overdue',
]

export interface AlertNotice {
  kind: AlertKind
  message: string
  data: Record<string, unknown>
}

const WHY_NO_EXIT: Record<ExitTrouble['kind'], string> = {
  unplanned: 'The time of the exit cannot be calculated',
  held: 'The exit cannot be sent',
  unknown: 'Whether the broker has the exit order is not known',
  rejected: 'The broker rejected the exit',
  taken_back: 'The exit was not sent, and is sized again',
  ended: 'The exit order ended before it had closed everything',
  closed: 'The stop and target wait for the exchange to open',
}

export const unprotectedByTrouble = ({
  kind,
  generation,
  code,
  detail,
  beyond,
  reason = kind === 'unplanned' ? 'TIME' : undefined,
}: ExitTrouble): AlertNotice => ({
  kind: 'unprotected_position',
  message: `${WHY_NO_EXIT[kind]}: ${detail}. ${beyond ? 'Nothing is sent until its size is chosen, or the difference is explained' : 'It is tried again'}`,
  data: { trouble: kind, generation, code, ...(beyond && { beyond }), ...(reason && { exitReason: reason }) },
})

export const unprotectedByMove = (
  { from, submitAt }: { from: string; submitAt: string },
  generation: number,
): AlertNotice => ({
  kind: 'unprotected_position',
  message: `The exit is moved to another day, from ${from} to ${submitAt}, because the exchange accepts no order before. The position stays open until then`,
  data: { trouble: 'moved', generation, exitReason: 'TIME' satisfies ExitReason, submitAt, from },
})

export const unprotectedByPart = (generation: number): AlertNotice => ({
  kind: 'unprotected_position',
  message:
    'The exit order is only for part of the shares, because other orders hold the rest. An exit of the rest follows once it has ended',
  data: { trouble: 'part', generation },
})

export const unprotectedByEnd = (quantity: Decimal, message: string): AlertNotice => ({
  kind: 'unprotected_position',
  message: `${message}. No further exit follows`,
  data: { trouble: 'uncovered', quantity },
})

/** @returns by the way of sending, such as `with the token "Robot"` */
export const signalsRefused =
  ({ at, code, message }: { at: string; code: string; message: string }) =>
  (way: string): AlertNotice => ({
    kind: 'signals_refused',
    message: `A signal sent ${way} was refused (${code}): ${message}`,
    data: { at, code },
  })

export const keysRejected = (detail: string): AlertNotice => ({
  kind: 'credentials',
  message: `The broker rejects the keys of this account's connection: ${detail}`,
  data: {},
})

export const untrusted = (what: { address: string; reason: string; at: string }): AlertNotice => ({
  kind: 'untrusted_message',
  message: `A message came through Temporal as "${what.address}" that is not trusted, and was dropped: ${what.reason}`,
  data: what,
})

export const comparisonFailing = (since: string, detail: string): AlertNotice => ({
  kind: 'comparison_failing',
  message: `The orders of this account cannot be compared with its broker since ${since} (${detail}): fills may be missing`,
  data: { since },
})

export interface PositionDifference {
  symbol: string
  shown: Decimal
  executed: Decimal
}

export const executionsUnreadable = (
  executions: readonly { executionId: string; detail: string }[],
): AlertNotice => ({
  kind: 'execution_unreadable',
  message: `The broker lists ${executions.length === 1 ? 'an execution' : `${executions.length} executions`} that cannot be read: ${executions
    .map(({ executionId, detail }) => `${executionId} (${detail})`)
    .join(', ')}. The ledger goes on without`,
  data: { executions },
})

export const positionDiffers = (
  { symbol, shown, executed }: PositionDifference,
  unread: readonly { executionId: string }[] = [],
): AlertNotice => ({
  kind: 'position_differs',
  message: `The broker shows ${shown} ${symbol} where ${executed} were executed. Exits sell at most the lower figure${
    unread.length === 0
      ? ''
      : `. Executions that cannot be read may be the reason (${unread
          .map(({ executionId }) => executionId)
          .join(', ')})`
  }`,
  data: {
    shown,
    executed,
    ...(unread.length > 0 && { unread: unread.map(({ executionId }) => executionId) }),
  },
})

export const noticeUnreached = (devices: number): AlertNotice => ({
  kind: 'notice_unreached',
  message: `A signal needs your approval, and ${devices === 1 ? 'your channel was not reached' : `none of your ${devices} channels was reached`} by the notification. Check them under Notifications: turn devices on again, and send a test`,
  data: { devices },
})
