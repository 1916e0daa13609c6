import {
  multiply,
  subtract,
  divideDown,
  magnitude,
  type Decimal,
  decimal,
  dollarAmount,
  figure,
} from '../money/decimal.ts'
import type { EntryTerms, EntryVerdict } from '../risk/entry-verdict.ts'
import { likelyFill, sideOpenedBy, type AtMarket } from '../risk/market-price.ts'
import type { TradeSide } from '../money/profit.ts'
import {
  isBetter,
  PART_WORDS,
  levelFaults,
  restingOrder,
  stopNow,
  targetPrice,
  watchedParts,
  type BrokerKeeping,
  type ProtectiveAbilities,
  type Protection,
  belowZero,
  LEVEL_NAMES,
  type LevelFault,
} from './protection.ts'
import { isOpening, isByRisk, type SignalTerms, type SignalStatus } from '../signal/signal.ts'
import { isAtOnce, type ExitRule } from './exit.ts'

type Judged = Pick<EntryTerms, 'action' | 'symbol' | 'limitPrice' | 'stopPrice' | 'protection'>

/** Denies levels that make no sense at the likely fill, and a stop that the broker cannot keep. */
export function protectionVerdict(terms: Judged, market: AtMarket, keeping: BrokerKeeping): EntryVerdict {
  const rule = 'protection'
  const { protection, action, symbol } = terms
  if (protection === undefined || !isOpening(action))
    return { rule, outcome: 'skipped', message: 'The signal has no stop or target' }
  const unkept = whyUnkept(protection, keeping)
  if (unkept !== null) return { rule, outcome: 'denied', code: 'PROTECTION_UNSUPPORTED', message: unkept }
  const fill = likelyFill(terms, market)
  if (fill === null)
    return [protection.stop, protection.target].some((level) => level !== null && 'price' in level)
      ? {
          rule,
          outcome: 'denied',
          code: 'PRICE_UNKNOWN',
          message: `No price of ${symbol} is available to check the stop and target`,
        }
      : {
          rule,
          outcome: 'skipped',
          message: `No price of ${symbol} is known, and the levels follow from the fill`,
        }
  const side = sideOpenedBy(action)
  const [fault] = levelFaults(protection, side, fill)
  const broken = fault?.message ?? withinSpread(protection, side, fill, market)
  return broken === null
    ? { rule, outcome: 'passed', message: levelsInWords(protection, side, fill) }
    : { rule, outcome: 'denied', code: 'PROTECTION_SENSELESS', message: broken }
}

export const whyUnkept = (
  { stop, trail }: Protection,
  { stops }: Pick<BrokerKeeping, 'stops'>,
): string | null =>
  stops || (stop === null && trail === null)
    ? null
    : 'The broker of the account takes no stop orders, so the stop would not work while this service is down. Send the entry without a stop, or in another account'

const firstStop = (protection: Protection, side: TradeSide, fill: Decimal): Decimal | null =>
  stopNow(protection, { side, average: fill, fees: '0' }, fill)?.price ?? null

/** The stop of an immediate fill must lie beyond the market's other side. */
function withinSpread(
  protection: Protection,
  side: TradeSide,
  fill: Decimal,
  market: AtMarket,
): string | null {
  const stop = firstStop(protection, side, fill)
  const [name, at, fillsAt] =
    side === 'LONG' ? ['bid', market.sellAt, market.buyAt] : ['ask', market.buyAt, market.sellAt]
  if (stop === null || at === null || fillsAt !== fill || isBetter(side, at, stop)) return null
  return `The stop at ${figure(stop)} would be reached at once: the ${name} is ${figure(at)}`
}

function levelsInWords(protection: Protection, side: TradeSide, fill: Decimal): string {
  const away = (price: Decimal) =>
    `${dollarAmount(price)} (${figure(divideDown(multiply(magnitude(subtract(price, fill)), '100'), fill, 2))} % away)`
  const stop = firstStop(protection, side, fill)
  const target = targetPrice(protection, { side, average: fill, fees: '0' })
  const levels = [
    ...(stop === null ? [] : [`the stop is at ${away(stop)}`]),
    ...(target === null ? [] : [`the target at ${away(target)}`]),
  ]
  return levels.length === 0
    ? `Filled at ${dollarAmount(fill)}, the stop begins once the profit is there`
    : `Filled at ${dollarAmount(fill)}, ${levels.join(' and ')}`
}

export function protectionAdvice(
  terms: Judged & Pick<EntryTerms, 'orderType' | 'timeInForce' | 'extendedHours'>,
  quantity: Decimal,
  market: AtMarket,
  abilities: ProtectiveAbilities,
): { code: string; message: string }[] {
  const { protection, action, orderType, timeInForce, extendedHours } = terms
  const fill = likelyFill(terms, market)
  if (protection === undefined || !isOpening(action)) return []
  const advice: { code: string; message: string }[] = []
  const hasStop = protection.stop !== null || protection.trail !== null
  if (fill !== null) {
    const position = { side: sideOpenedBy(action), average: fill, fees: '0' } as const
    const resting = restingOrder(protection, position, fill, { quantity, abilities })
    const kept = watchedParts(protection, position, fill, resting).map((part) => PART_WORDS[part])
    if (kept.length > 0)
      advice.push({
        code: PROTECTION_KEPT_HERE,
        message: `Kept by this service and not at the broker: ${kept.join(', ')}. That needs the service running, and fresh prices${resting !== null && resting.orderType !== 'limit' ? '; the stop is at the broker' : ''}`,
      })
  }
  if (hasStop && extendedHours)
    advice.push({
      code: STOP_IN_SESSION_ONLY,
      message:
        'The entry may fill before or after the session, and a stop works within the session alone. To leave outside of it, close by a limit order with extendedHours',
    })
  if (orderType !== 'market' && RESTING_TIMES.has(timeInForce))
    advice.push({
      code: PROTECTION_AFTER_ENTRY,
      message:
        'The broker takes no order against an entry that still works: while it is partly filled, this service keeps the stop and target. A level that is reached then cancels the rest of the entry, and closes what has filled',
    })
  return advice
}

const RESTING_TIMES: ReadonlySet<string> = new Set(['day', 'gtc', 'gtd'])

const PROTECTION_KEPT_HERE = 'protection_kept_here'
const STOP_IN_SESSION_ONLY = 'stop_in_session_only'
const PROTECTION_AFTER_ENTRY = 'protection_after_entry'

/** An absent part stays, null removes it. */
export type ExitChange = { [Part in keyof Protection]?: Protection[Part] | null | undefined }

export const NO_LEVELS: Protection = {
  stop: null,
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
}

/** Null where no level remains. */
export function changedLevels(
  protection: Protection | null,
  { until, ...parts }: ExitChange,
): Protection | null {
  const given = Object.entries(parts).filter(([, part]) => part !== undefined)
  const changed = { ...NO_LEVELS, ...protection, ...Object.fromEntries(given), ...(until && { until }) }
  return LEVEL_NAMES.every((part) => changed[part] === null) ? null : changed
}

export interface RuleFault {
  path: string[]
  code: string
  message: string
}

/**
 * Faults of the merged protection, or none at a wrong moment. `covered`: filled shares that an ended signal no longer
 * owns.
 */
export type ProtectionChanged =
  { protection: Protection | null; covered?: Decimal } | { refused: string; faults: RuleFault[] }

const fault = (path: string[], code: string, message: string): RuleFault => ({ path, code, message })

export interface ChangedSignal extends Pick<SignalTerms, 'action' | 'quantityType'> {
  status: SignalStatus
  exitRule?: Pick<ExitRule, 'trigger'> | null | undefined
  protection?: Protection | null | undefined
  limitPrice?: Decimal | null | undefined
  stopPrice?: Decimal | null | undefined
  avgFillPrice?: Decimal | null | undefined
}

/** Faults at any price, checked by the API and the merge. */
export function faultsOfChange(signal: ChangedSignal, change: ExitChange): RuleFault[] {
  const protection = changedLevels(signal.protection ?? null, change)
  const { quantityType, status, exitRule } = signal
  if (
    LEVEL_NAMES.every((part) => change[part] === undefined) &&
    (change.until === undefined || protection === null)
  )
    return [fault([], 'required', CHANGES_NOTHING)]
  if (status !== 'executed' && isByRisk(quantityType) && !hasStopFromFill(protection)) {
    const why = `is required: the quantity (${quantityType}) follows from its distance`
    return [fault(['stop'], 'required', `A stop, or a trail that counts from the fill on, ${why}`)]
  }
  if (protection === null) return []
  const faults = ruleFaultsOfLevels(protection).map(({ path, code, message }) =>
    fault(path, code, message.replace('protection.', '').replace('protection ', 'The protection ')),
  )
  if (isAtOnce(exitRule?.trigger)) faults.push(fault([], 'not_allowed', NOTHING_TO_PROTECT))
  // The price may have passed an unchanged level, which acts.
  const given = senselessLevels(signal, protection).filter(({ part }) => change[part] != null)
  return [...faults, ...given.map(({ part, message }) => fault([part], 'wrong_side', message))]
}

/** Faults by the average fill, else the entry's own price, else none. */
function senselessLevels({ action, ...prices }: ChangedSignal, protection: Protection): LevelFault[] {
  const side = sideOpenedBy(action)
  const { avgFillPrice: average, limitPrice, stopPrice } = prices
  if (average != null) return belowZero(protection, { side, average: decimal(average), fees: '0' })
  const own = limitPrice ?? stopPrice
  return own == null ? [] : levelFaults(protection, side, decimal(own))
}

export const hasStopFromFill = (protection: Protection | null): boolean =>
  protection !== null &&
  (protection.stop !== null || (protection.trail !== null && protection.trail.after === undefined))

export function ruleFaultsOfLevels({ stop, target, trail, breakEven, until }: Protection): RuleFault[] {
  if (stop === null && target === null && trail === null)
    return [fault([], 'required', 'protection must have a stop, a target or a trail')]
  if (until === 'session' && stop === null && target === null && trail?.after !== undefined)
    return [fault(['until'], 'not_allowed', `protection.until session ${BEGINS_LATER}`)]
  if (breakEven === null || stop !== null || trail !== null) return []
  return [fault(['breakEven'], 'not_allowed', `protection.breakEven ${MOVES_NOTHING}`)]
}

const CHANGES_NOTHING =
  'The body changes nothing: name the parts to change. null removes a part; stop, target, trail and breakEven, each null, remove the protection'
const NOTHING_TO_PROTECT = 'The exit of the signal closes all shares at once: there is nothing to protect'
const BEGINS_LATER =
  'is not allowed with nothing but a trail that begins at a profit: give a stop or a target as well, or leave until out'
const MOVES_NOTHING = 'is not allowed without a stop or a trail, which it moves: leave it out'
