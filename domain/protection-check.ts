import { multiply, subtract, divideDown, magnitude, type Decimal } from './decimal.ts'
import type { EntryTerms, EntryVerdict } from './entry-judgement.ts'
import { dollarAmount, figure } from './figures.ts'
import { likelyFill, sideOpenedBy, type AtMarket } from './likely-fill.ts'
import type { TradeSide } from './profit.ts'
import {
  isBetter,
  PART_WORDS,
  planFaults,
  restingOrder,
  stopNow,
  targetPrice,
  watchedParts,
  type BrokerKeeping,
  type ProtectiveAbilities,
  type Protection,
} from './protection.ts'
import { isOpening } from './signal.ts'

type Judged = Pick<EntryTerms, 'action' | 'symbol' | 'limitPrice' | 'stopPrice' | 'protection'>

/** Denied where the plan makes no sense at the likely fill, or its stop cannot be kept. */
export function protectionVerdict(terms: Judged, market: AtMarket, keeping: BrokerKeeping): EntryVerdict {
  const rule = 'protection'
  const { protection: plan, action, symbol } = terms
  if (plan === undefined || !isOpening(action))
    return { rule, outcome: 'skipped', message: 'No exit plan is asked for' }
  const unkept = whyUnkept(plan, keeping)
  if (unkept !== null) return { rule, outcome: 'denied', code: 'PROTECTION_UNSUPPORTED', message: unkept }
  const fill = likelyFill(terms, market)
  if (fill === null)
    return [plan.stop, plan.target].some((level) => level !== null && 'price' in level)
      ? {
          rule,
          outcome: 'denied',
          code: 'PRICE_UNKNOWN',
          message: `No price of ${symbol} is known to hold the levels of the exit plan to`,
        }
      : {
          rule,
          outcome: 'skipped',
          message: `No price of ${symbol} is known, and the levels follow from the fill`,
        }
  const side = sideOpenedBy(action)
  const [fault] = planFaults(plan, side, fill)
  const broken = fault?.message ?? withinSpread(plan, side, fill, market)
  return broken === null
    ? { rule, outcome: 'passed', message: levelsInWords(plan, side, fill) }
    : { rule, outcome: 'denied', code: 'PROTECTION_SENSELESS', message: broken }
}

export const whyUnkept = (
  { stop, trail }: Protection,
  { stops }: Pick<BrokerKeeping, 'stops'>,
): string | null =>
  stops || (stop === null && trail === null)
    ? null
    : 'The broker of the account takes no stop orders, so that nothing would hold the stop while this service is down. Send the entry without a stop, or by another account'

const firstStop = (plan: Protection, side: TradeSide, fill: Decimal): Decimal | null =>
  stopNow(plan, { side, average: fill, fees: '0' }, fill)?.price ?? null

/** An entry filled at once has to leave its stop room on the other side of the market, at whose price it acts. */
function withinSpread(plan: Protection, side: TradeSide, fill: Decimal, market: AtMarket): string | null {
  const stop = firstStop(plan, side, fill)
  const [name, at, fillsAt] =
    side === 'LONG' ? ['bid', market.sellAt, market.buyAt] : ['ask', market.buyAt, market.sellAt]
  if (stop === null || at === null || fillsAt !== fill || isBetter(side, at, stop)) return null
  return `The stop at ${figure(stop)} would be reached at once: the ${name} is ${figure(at)}`
}

function levelsInWords(plan: Protection, side: TradeSide, fill: Decimal): string {
  const away = (price: Decimal) =>
    `${dollarAmount(price)} (${figure(divideDown(multiply(magnitude(subtract(price, fill)), '100'), fill, 2))} % away)`
  const stop = firstStop(plan, side, fill)
  const target = targetPrice(plan, { side, average: fill, fees: '0' })
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
  const { protection: plan, action, orderType, timeInForce, extendedHours } = terms
  const fill = likelyFill(terms, market)
  if (plan === undefined || !isOpening(action)) return []
  const advice: { code: string; message: string }[] = []
  const hasStop = plan.stop !== null || plan.trail !== null
  if (fill !== null) {
    const position = { side: sideOpenedBy(action), average: fill, fees: '0' } as const
    const resting = restingOrder(plan, position, fill, { quantity, abilities })
    const kept = watchedParts(plan, position, fill, resting).map((part) => PART_WORDS[part])
    if (kept.length > 0)
      advice.push({
        code: PROTECTION_KEPT_HERE,
        message: `Kept by this service and not at the broker: ${kept.join(', ')}. That needs the service running, and fresh prices${resting !== null && resting.orderType !== 'limit' ? '; the stop lies at the broker' : ''}`,
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
        'The broker takes no order against an entry that still works: while that is filled in part, the plan is kept by this service. A level that is reached then cancels the rest of the entry, and closes what has filled',
    })
  return advice
}

const RESTING_TIMES: ReadonlySet<string> = new Set(['day', 'gtc', 'gtd'])

const PROTECTION_KEPT_HERE = 'protection_kept_here'
const STOP_IN_SESSION_ONLY = 'stop_in_session_only'
const PROTECTION_AFTER_ENTRY = 'protection_after_entry'
