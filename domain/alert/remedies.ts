import type { AlertKind } from './alert.ts'
import { isPositive, isZero, negate, type Decimal } from '../money/decimal.ts'
import type { StatusReason } from '../risk/denial.ts'
import { haltForbids, type HaltLevel } from '../risk/halt.ts'

export interface AlertFacts {
  /** Shares, negative when short; null if uncertain. */
  position: Decimal | null
  order: AlertedOrder | null
  halt: HaltLevel | null
}

interface AlertedOrder {
  isManual: boolean
  side: 'LONG' | 'SHORT'
  closes: boolean
  filled: Decimal
  isWhole: boolean
}

export interface AlertRemedy {
  /** wait: resolves itself. close: held shares. again: resend. mend: correct the cause. */
  act: 'none' | 'wait' | 'close' | 'again' | 'resume' | 'look' | 'mend'
  text: string
}

/** before: a needed change. look: a check, because it could happen twice. own: never sent again. */
type AfterEnd = { before: string | null } | { look: string } | { own: string }

const AT_BROKER: AfterEnd = { look: 'Look for the order at the broker before you send it again' }
const RESUME: AfterEnd = { before: null }

/** BROKER: the broker ended it, without a code. */
export const AFTER_END: Readonly<Record<StatusReason | 'BROKER', AfterEnd>> = {
  BROKER: { before: null },
  INSUFFICIENT_FUNDS: { before: 'Free buying power, or choose a smaller size' },
  INVALID_ORDER: { before: 'Correct the order' },
  BROKER_ERROR: { before: 'Correct what the broker objects to' },
  BROKER_CREDENTIALS_INVALID: { before: 'Give the connection new keys' },
  TRADING_BLOCKED: { before: 'Ask the broker to lift the block of the account' },
  SHORTING_NOT_PERMITTED: { before: 'Ask the broker to permit short sales' },
  ASSET_NOT_TRADABLE: { before: 'Wait until the broker trades the symbol' },
  ASSET_NOT_SHORTABLE: { before: 'Wait until the broker lends the shares' },
  NO_POSITION_TO_CLOSE: { before: null },
  POSITION_HELD: { before: 'Cancel the open orders that hold the shares' },
  OPPOSITE_ORDER: { before: 'Cancel your open order on the other side' },
  ORDER_TOO_SMALL: { before: 'Choose a larger size' },
  QUANTITY_ROUNDS_TO_ZERO: { before: 'Choose a larger size' },
  MODE_MISMATCH: { before: 'Choose an account of the right trading mode' },
  STRATEGY_PAUSED: { before: 'Resume the strategy' },
  SENDER_REVOKED: { before: 'Give the sender a token that may trade' },
  TOKEN_BOUNDS_EXCEEDED: { before: 'Raise the bound of the access token, or choose a smaller size' },
  USER_DISABLED: { before: 'Ask the operator to enable the user' },
  ACCOUNT_INACTIVE: { before: 'Switch the account on' },
  DECLINED: { own: 'A person declined it' },
  STALE: { before: null },
  EARLIER_SIGNALS_UNFINISHED: { before: 'Look at the earlier signals of the symbol' },
  OUTCOME_UNKNOWN: AT_BROKER,
  DUPLICATE_CLIENT_ORDER_ID: AT_BROKER,
  ORDER_TOO_LARGE: { before: 'Choose a smaller size, or raise the limit' },
  POSITION_TOO_LARGE: { before: 'Choose a smaller size, or raise the limit' },
  ORDER_RATE_EXCEEDED: { before: 'Wait a minute, or raise the limit' },
  DAILY_LOSS_REACHED: { before: 'Wait for the next day, or raise the limit' },
  PRICE_OUTSIDE_COLLAR: { before: 'Choose a price nearer to the last price' },
  PRICE_DRIFTED: { before: 'Look at the present price' },
  APPROVAL_REQUIRED: { before: 'Choose to send it for approval' },
  PROTECTION_SENSELESS: { before: 'Correct the levels of the exit' },
  PROTECTION_UNSUPPORTED: { before: 'Leave out the stop that comes with the entry' },
  PRICE_UNKNOWN: { before: 'Wait for a price of the symbol' },
  EQUITY_IMPLAUSIBLE: { before: 'Compare the equity of the account with the broker' },
  PRICE_STALE: { before: 'Wait for a fresh price of the symbol' },
  PRICE_UNAVAILABLE: { before: 'Give the account a data plan with prices at the broker' },
  DUPLICATE_SUSPECTED: { before: 'Give each order a sourceId of its own' },
  SYMBOL_NOT_ALLOWED: { before: 'Allow the symbol for the account' },
  SHORT_NOT_ALLOWED: { before: 'Allow the sender to open short positions' },
  HELD_BY_OTHERS: {
    before: 'Wait until the others hold none, or let the hook or the message manage the whole position',
  },
  HELD_OTHERWISE: { before: 'Compare the position with the one that the sender expects' },
  OUTSIDE_MARKET_HOURS: { before: 'Wait for the market to open' },
  FLAT_BY_CLOSE: { before: 'Wait for the next session' },
  TRADING_PAUSED: RESUME,
  REDUCE_ONLY: RESUME,
  TRADING_STOPPED: RESUME,
  RUNAWAY_STOPPED: { before: 'Find out what sent all these orders' },
  WITHDRAWN: { own: 'A person withdrew it' },
  EXPIRED: { before: null },
  SUPERSEDED: { own: 'Its sender replaced it by a newer one' },
  AT_TARGET: { own: 'The position is the one that it asked for' },
  TARGET_SUPERSEDED: { own: 'A newer signal asks for another position' },
}

const RESUME_TO_CLOSE = 'Resume trading, or switch to Reduce only'

const uncapital = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const sentence = (before: string | null, act: string): string =>
  before === null ? `${act}.` : `${before}, then ${uncapital(act)}.`

const holds = ({ position }: AlertFacts, side: 'LONG' | 'SHORT'): boolean | null => {
  if (position === null) return null
  return side === 'LONG' ? isPositive(position) : isPositive(negate(position))
}

export function remedyAfterEnd(code: StatusReason | null, facts: AlertFacts): AlertRemedy {
  const { order, halt } = facts
  const after = AFTER_END[code ?? 'BROKER']
  if (order === null) return { act: 'look', text: 'Look at the order before you send it again.' }
  const { closes, isManual, side, filled, isWhole } = order
  const isPart = isPositive(filled)
  if (closes) {
    const held = holds(facts, side)
    if (held === false) return { act: 'none', text: 'Nothing is held: there is nothing to do.' }
    if ('look' in after) return { act: 'look', text: `${after.look}.` }
    if (held === null) return { act: 'look', text: 'Check the position at the broker before you trade.' }
    const open = isPart ? 'A part of the position is still open' : 'The position is still open'
    if (halt === 'fullStop')
      return { act: 'resume', text: `${open}: ${uncapital(RESUME_TO_CLOSE)}, then close it.` }
    const act = isManual ? 'Close it yourself' : 'Close it yourself, or send the close again'
    const before = 'before' in after ? after.before : null
    return { act: 'close', text: `${open}: ${uncapital(sentence(before, act))}` }
  }
  if (isWhole) return { act: 'look', text: 'It filled after all: check whether its shares have an exit.' }
  if ('own' in after) return { act: 'none', text: `${after.own}: there is nothing to do.` }
  if ('look' in after) return { act: 'look', text: `${after.look}.` }
  const object = isPart ? 'the rest' : isManual ? 'it' : 'the position'
  const act = isManual
    ? `Place ${isPart ? 'an order for the rest' : 'it again'} if you still want it`
    : `Send a new signal if you still want ${object}`
  return halt !== null && haltForbids(halt, { reducing: false, isManual })
    ? { act: 'resume', text: sentence('Resume trading', act) }
    : { act: 'again', text: sentence(after.before, act) }
}

type Details = Readonly<Record<string, unknown>>
type Choose = (details: Details, facts: AlertFacts) => AlertRemedy

const always =
  (act: AlertRemedy['act'], text: string): Choose =>
  () => ({ act, text })

/** Another close would open a position on the other side. */
const GONE: AlertRemedy = { act: 'none', text: 'The shares are no longer held: there is nothing to do.' }

const whileHeld =
  (choose: Choose): Choose =>
  (details, facts) => {
    const { order, halt } = facts
    if (order !== null && holds(facts, order.side) === false) return GONE
    const remedy = choose(details, facts)
    return remedy.act === 'close' && halt === 'fullStop'
      ? { act: 'resume', text: `${RESUME_TO_CLOSE}: until then nothing is sent, not even manual closes.` }
      : remedy
  }

const overdue: Choose = ({ cause }) => {
  if (cause === 'halted') return { act: 'resume', text: `${RESUME_TO_CLOSE}: it is sent then.` }
  return cause === 'step_failing'
    ? { act: 'wait', text: 'It is retried automatically.' }
    : { act: 'wait', text: 'It is done as soon as possible; Today names the part that does not work.' }
}

const REMEDIES: Readonly<Record<AlertKind, Choose>> = {
  unprotected_position: whileHeld(({ trouble, beyond }) => {
    if (beyond !== undefined)
      return { act: 'mend', text: 'Open the signal, and choose how many shares its exit closes.' }
    return trouble === 'uncovered'
      ? { act: 'close', text: 'Close the shares yourself, or send a signal that closes them.' }
      : { act: 'close', text: 'Close the position yourself if it cannot wait until the exit is sent.' }
  }),
  fill_after_end: whileHeld(always('look', 'Check whether these shares have an exit.')),
  order_unknown_at_broker: ({ orderId }) =>
    orderId === undefined
      ? { act: 'look', text: 'Check whether the broker still has the order, and cancel it there.' }
      : {
          act: 'look',
          text: 'Look for the order at the broker. It counts as ended after a minute without a sign of a fill; otherwise let it go.',
        },
  replaced_order_working: always('look', 'Cancel the order at the broker if it must not fill.'),
  fill_amended: ({ symbol }, { position }) =>
    position !== null && !isZero(position)
      ? {
          act: 'close',
          text: `Close ${typeof symbol === 'string' ? symbol : 'the position'} under Positions if the account should not hold it.`,
        }
      : { act: 'look', text: 'Compare the position with the broker.' },
  order_changed_by_broker: always(
    'look',
    'Look at the order at the broker, and cancel it there if it is not the one that you want.',
  ),
  action_overdue: overdue,
  account_sync_overdue: always(
    'look',
    'Test the connection of the account: balances and positions may be old.',
  ),
  snapshot_overdue: always('wait', 'A day of the performance may be missing. Orders are not affected.'),
  feed_overdue: always(
    'look',
    'Check the broker before you place orders yourself: fills may be missing here.',
  ),
  comparison_failing: always(
    'look',
    'Check the broker before you place orders yourself: fills may be missing here.',
  ),
  execution_unreadable: always(
    'look',
    'Compare the position with the broker; the operator reports the execution to the broker.',
  ),
  position_differs: ({ unread }) =>
    Array.isArray(unread) && unread.length > 0
      ? {
          act: 'look',
          text: 'Do not accept the position before these executions can be read, or they will count twice.',
        }
      : {
          act: 'mend',
          text: 'If the broker’s figure is right, as after a split, a symbol change or a transfer, accept it: shares beyond those of your signals then belong to you, and no exit closes them.',
        },
  stream_refused: always('wait', 'If this lasts, give the connection new keys, or ask the broker.'),
  ended_unfilled: ({ code }, facts) => remedyAfterEnd(reasonOf(code), facts),
  exit_unfilled: whileHeld(({ isPassedOver }) =>
    isPassedOver === true
      ? { act: 'close', text: 'Close the position, or change its exit: no other order limits the loss.' }
      : { act: 'look', text: 'Look at the symbol at the broker: trading in it may be halted.' },
  ),
  not_flat: ({ hasEnded }, { halt }) => {
    if (halt === 'fullStop') return { act: 'resume', text: `${RESUME_TO_CLOSE}, then close the rest.` }
    return hasEnded === true
      ? { act: 'close', text: 'Close the rest yourself, and cancel orders that may open more.' }
      : {
          act: 'wait',
          text: 'Closing is retried automatically. Cancel orders yourself that were not placed here.',
        }
  },
  protection_blind: whileHeld(
    always('close', 'Look at the price elsewhere, and close the position if you do not want to wait.'),
  ),
  sold_elsewhere: always(
    'look',
    'If it was not you, ask the broker: it closes shares when margin or borrowed shares run out.',
  ),
  credentials: always(
    'mend',
    'Give the connection new keys. Orders and exits wait until the broker accepts them.',
  ),
  notice_unreached: always(
    'mend',
    'Decide on the signal under Approvals, then mend the channels that were not reached: Settings, Notifications.',
  ),
  trading_blocked: always(
    'look',
    'Ask the broker to lift the block. Exits are sent when they are due, whether the broker accepts them or not.',
  ),
  clock_differs: always('look', 'The operator must check which of the two clocks is wrong.'),
  sender_position_differs: always(
    'look',
    'Look for an alert of the strategy that was missed or refused, and correct the position.',
  ),
  signals_refused: always(
    'mend',
    'Correct the program or alert that uses this token or hook. The alert ends with the next accepted signal.',
  ),
  hook_first_request: always('none', 'The inbox of the hook shows the request. There is nothing to do.'),
  hook_secret_elsewhere: always(
    'mend',
    'Give the hook another secret, and its sender the new address. If your sender has moved, add its address to the list.',
  ),
  sender_silent: always('look', 'Check whether the sending program or alerts still run.'),
  set_back: always('look', 'Compare orders and positions with the broker: later ones may be missing here.'),
  source_id_reused: always(
    'mend',
    'Have the sender give each trade its own sourceId, then send the trade again if you still want it.',
  ),
  untrusted_message: always('look', 'Find out who has access to Temporal.'),
}

const reasonOf = (code: unknown): StatusReason | null =>
  typeof code === 'string' && Object.hasOwn(AFTER_END, code) ? (code as StatusReason) : null

export const remedyOf = (kind: AlertKind, details: Details, facts: AlertFacts): AlertRemedy =>
  REMEDIES[kind](details, facts)
