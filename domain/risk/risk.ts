import {
  add,
  compare,
  divideDown,
  isPositive,
  magnitude,
  multiply,
  round,
  subtract,
  type Decimal,
  dollarAmount,
  figure,
  shareCount,
} from '../money/decimal.ts'
import type { DenialCode } from './denial.ts'
import { equityDoubt, type EquityRecord } from './buying-power.ts'
import { haltForbids, haltDenial, type ActiveHalt } from './halt.ts'
import type { MarketPhase } from '../time/session.ts'
import { isReducing, type OrderRequest } from '../order/order.ts'
import { RISK_LIMIT_DESCRIPTIONS, type RiskLimits } from './limits.ts'

export type RiskOrder = Omit<OrderRequest, 'clientOrderId'>

export interface RiskContext {
  halt: ActiveHalt | null
  isManual: boolean
  /** True for a manual order too. */
  isApproved: boolean
  /** Dollars a share; set if {@link needsLastPrice}. */
  lastPrice: Decimal | null
  priceBeforeApproval: Decimal | null
  /** Shares in the order's direction. */
  heldQuantity: Decimal
  /** Shares of other such orders that may still fill, or with unrecorded fills. */
  workingQuantity: Decimal
  ordersThisMinute: number
  ordersToday: number
  equity: Decimal
  equityRecord: EquityRecord | null
  dayStartEquity: Decimal | null
  /** Null if unknown, or not {@link needsMarketPhase}. */
  marketPhase: MarketPhase | null
  /** Null without an equal order, or if each has its own sourceId. */
  secondsSinceTwin: number | null
}

type LimitRule = Exclude<keyof RiskLimits, 'duplicatePolicy'>
export type RiskRule = 'tradingHalt' | LimitRule

/** held: requires approval. skipped: the rule does not apply. */
export type Verdict<Rule extends string> = { rule: Rule; message: string } & (
  { outcome: 'passed' | 'warned' | 'held' | 'skipped' } | { outcome: 'denied'; code: DenialCode }
)
export type RuleVerdict = Verdict<RiskRule>

/** `code` replaces the limit's code. */
type Finding = { outcome: RuleVerdict['outcome']; message: string; code?: DenialCode }
type Rule = (order: RiskOrder, context: RiskContext, limits: RiskLimits) => Finding

/** Every rule's verdict on an order, in words with figures; see `docs/guide/risk.md`. */
export function checkRisk(order: RiskOrder, context: RiskContext, limits: RiskLimits): RuleVerdict[] {
  const verdicts = (Object.keys(LIMIT_RULES) as LimitRule[]).map((rule): RuleVerdict => {
    const { closing, code: limitCode } = RISK_LIMIT_DESCRIPTIONS[rule]
    const { outcome, message, code } =
      closing === 'exempt' && isReducing(order.side)
        ? skipped('Closing orders are exempt')
        : LIMIT_RULES[rule](order, context, limits)
    return outcome === 'denied'
      ? { rule, outcome, message, code: code ?? limitCode }
      : { rule, outcome, message }
  })
  return [haltVerdict(order, context), ...verdicts]
}

function haltVerdict({ side }: RiskOrder, { halt, isManual }: RiskContext): RuleVerdict {
  const rule = 'tradingHalt'
  if (halt === null) return { rule, outcome: 'passed', message: 'No halt is set' }
  const { code, detail } = haltDenial(halt)
  const reducing = isReducing(side)
  const waits = reducing && !isManual && halt.level === 'fullStop'
  const message = waits
    ? `${detail}; a closing signal waits until it is lifted, as far as its time allows`
    : detail
  const whose = reducing ? 'Closing orders' : 'Manual orders'
  return haltForbids(halt.level, { reducing, isManual })
    ? { rule, outcome: 'denied', code, message }
    : { rule, outcome: 'passed', message: `${whose} may pass. ${message}` }
}

export function firstDenial(
  verdicts: readonly Verdict<string>[],
): { code: DenialCode; detail: string } | null {
  const denied = verdicts.find((verdict) => verdict.outcome === 'denied')
  return denied ? { code: denied.code, detail: denied.message } : null
}

export const holdOf = (verdicts: readonly Verdict<string>[]): string | null =>
  verdicts.find(({ outcome }) => outcome === 'held')?.message ?? null

export function needsLastPrice(
  order: RiskOrder,
  limits: RiskLimits,
  { priceBeforeApproval, isApproved }: Pick<RiskContext, 'priceBeforeApproval' | 'isApproved'>,
): boolean {
  const { approvalAboveValue } = limits
  if (!isReducing(order.side) && !isApproved && approvalAboveValue !== null && isPositive(approvalAboveValue))
    return true
  if (priceBeforeApproval !== null && limits.maxApprovalDriftPercent !== null && !isReducing(order.side))
    return true
  if (isPriced(order)) return limits.priceCollarPercent !== null
  return !isReducing(order.side) && (limits.maxOrderValue !== null || limits.maxPositionValue !== null)
}

export const needsMarketPhase = (order: RiskOrder, limits: RiskLimits): boolean =>
  limits.marketHours !== 'any' && !isReducing(order.side)

const passed = (message: string): Finding => ({ outcome: 'passed', message })
const skipped = (message: string): Finding => ({ outcome: 'skipped', message })
const denied = (message: string, code?: DenialCode): Finding => ({
  outcome: 'denied',
  message,
  ...(code && { code }),
})
const unlimited = (what: string): Finding => skipped(`No limit is set for ${what}`)

const isPriced = ({ limitPrice, stopPrice }: RiskOrder): boolean => limitPrice !== null || stopPrice !== null

function atMost(amount: Decimal, limit: Decimal, tell: (amount: Decimal) => string, what: string): Finding {
  const message = `${what} ${tell(amount)}, the limit is ${tell(limit)}`
  return compare(amount, limit) > 0 ? denied(message) : passed(message)
}

/** Dollars: the highest foreseeable price of a share; null if unknown. */
export function priceOf(
  { side, limitPrice, stopPrice }: RiskOrder,
  lastPrice: Decimal | null,
): Decimal | null {
  if (limitPrice !== null && side === 'BUY') return limitPrice
  // A short sale fills at its limit or better, a triggered stop at market.
  const named = limitPrice ?? stopPrice
  if (named === null || lastPrice === null) return named ?? lastPrice
  return compare(named, lastPrice) > 0 ? named : lastPrice
}

const positionAfter = (order: RiskOrder, { heldQuantity, workingQuantity }: RiskContext): Decimal =>
  add(add(heldQuantity, workingQuantity), order.quantity)

const ofUnknownPrice = (symbol: string, what: string): Finding =>
  denied(`No last price of ${symbol} is known to hold ${what} to its limit`, 'PRICE_UNKNOWN')

/** The believed equity decides; a doubt that changes the outcome denies. */
function byEquity(
  { equity, equityRecord }: Pick<RiskContext, 'equity' | 'equityRecord'>,
  judge: (equity: Decimal) => Finding,
): Finding {
  const doubt = equityRecord && equityDoubt(equityRecord)
  if (doubt === null) return judge(equity)
  const finding = judge(equityRecord!.believed)
  return finding.outcome === judge(equityRecord!.doubted!).outcome
    ? finding
    : denied(doubt, 'EQUITY_IMPLAUSIBLE')
}

const LIMIT_RULES: Record<LimitRule, Rule> = {
  allowedSymbols({ symbol }, _, { allowedSymbols }) {
    if (allowedSymbols === null) return unlimited('the symbols that may be opened')
    return allowedSymbols.includes(symbol)
      ? passed(`${symbol} is among the ${allowedSymbols.length} allowed symbols`)
      : denied(`${symbol} is not among the ${allowedSymbols.length} allowed symbols`)
  },

  forbiddenSymbols({ symbol }, _, { forbiddenSymbols }) {
    if (forbiddenSymbols.length === 0) return unlimited('the symbols that may not be opened')
    return forbiddenSymbols.includes(symbol)
      ? denied(`${symbol} is among the forbidden symbols`)
      : passed(`${symbol} is not among the ${forbiddenSymbols.length} forbidden symbols`)
  },

  marketHours({ timeInForce, extendedHours }, { marketPhase }, { marketHours }) {
    if (marketHours === 'any') return unlimited('the hours of opening orders')
    if (marketHours === 'regular' && extendedHours)
      return denied('The order may trade in extended hours, and only regular hours are allowed')
    if (timeInForce === 'opg') return passed('The order is for the opening auction')
    if (marketPhase === null) return denied('Whether the market is open is not known')
    const open = marketPhase === 'regular' || (marketPhase === 'extended' && marketHours === 'extended')
    const message = `The market is ${marketPhase === 'closed' ? 'closed' : `in ${marketPhase} hours`}, ${marketHours} hours are allowed`
    return open ? passed(message) : denied(message)
  },

  maxOrderShares({ quantity }, _, { maxOrderShares }) {
    return maxOrderShares === null
      ? unlimited('the shares of an order')
      : atMost(quantity, maxOrderShares, shareCount, 'The order is for')
  },

  maxOrderValue(order, { lastPrice }, { maxOrderValue }) {
    if (maxOrderValue === null) return unlimited('the value of an order')
    const price = priceOf(order, lastPrice)
    if (price === null) return ofUnknownPrice(order.symbol, 'the order')
    return atMost(multiply(order.quantity, price), maxOrderValue, dollarAmount, 'The order is worth')
  },

  maxPositionShares(order, context, { maxPositionShares }) {
    if (maxPositionShares === null) return unlimited('the shares of a position')
    return atMost(positionAfter(order, context), maxPositionShares, shareCount, 'The position would be')
  },

  maxPositionValue(order, context, { maxPositionValue }) {
    if (maxPositionValue === null) return unlimited('the value of a position')
    const price = priceOf(order, context.lastPrice)
    if (price === null) return ofUnknownPrice(order.symbol, 'the position')
    const value = multiply(positionAfter(order, context), price)
    return atMost(value, maxPositionValue, dollarAmount, 'The position would be worth')
  },

  maxOrdersPerMinute: (_, { ordersThisMinute }, { maxOrdersPerMinute }) =>
    fewerThan(ordersThisMinute, maxOrdersPerMinute, 'this minute'),

  maxOrdersPerDay: (_, { ordersToday }, { maxOrdersPerDay }) =>
    fewerThan(ordersToday, maxOrdersPerDay, 'today'),

  maxDailyLoss(_, context, { maxDailyLoss }) {
    const { dayStartEquity } = context
    if (maxDailyLoss === null) return unlimited('the loss of the day in dollars')
    if (dayStartEquity === null) return skipped('The equity with which the day began is not recorded')
    return byEquity(context, (equity) => {
      const loss = subtract(dayStartEquity, equity)
      const message = `${reportLoss(loss)} today; from a loss of ${dollarAmount(maxDailyLoss)} on nothing is opened`
      return compare(loss, maxDailyLoss) >= 0 ? denied(message) : passed(message)
    })
  },

  maxDailyLossPercent(_, context, { maxDailyLossPercent }) {
    const { dayStartEquity } = context
    if (maxDailyLossPercent === null) return unlimited('the loss of the day in percent')
    if (dayStartEquity === null || !isPositive(dayStartEquity))
      return skipped('The equity with which the day began is not recorded, or there was none')
    return byEquity(context, (equity) => {
      const loss = subtract(dayStartEquity, equity)
      const message = `${reportLoss(loss)} of ${dollarAmount(dayStartEquity)} today; from a loss of ${maxDailyLossPercent} % on nothing is opened`
      const reached = compare(multiply(loss, '100'), multiply(maxDailyLossPercent, dayStartEquity)) >= 0
      return reached ? denied(message) : passed(message)
    })
  },

  priceCollarPercent(order, { lastPrice }, { priceCollarPercent }) {
    if (priceCollarPercent === null) return unlimited('how far a price may lie from the market')
    if (!isPriced(order)) return skipped('The order names no price')
    if (lastPrice === null || !isPositive(lastPrice))
      return isReducing(order.side)
        ? skipped(`No last price of ${order.symbol} is known; a closing order is sent all the same`)
        : ofUnknownPrice(order.symbol, 'its price')
    const last = lastPrice
    const distance = (price: Decimal): Decimal => magnitude(subtract(price, last))
    const named = [order.limitPrice, order.stopPrice].filter((price) => price !== null)
    const farthest = named.reduce((a, b) => (compare(distance(a), distance(b)) >= 0 ? a : b))
    const message = `${dollarAmount(farthest)} lies ${percentApart(farthest, last)} % from the last price of ${dollarAmount(last)}, the limit is ${priceCollarPercent} %`
    return isFartherThan(priceCollarPercent, farthest, last) ? denied(message) : passed(message)
  },

  maxApprovalDriftPercent({ symbol }, { lastPrice, priceBeforeApproval }, { maxApprovalDriftPercent }) {
    if (maxApprovalDriftPercent === null) return unlimited('how far the price may move before an approval')
    if (priceBeforeApproval === null || !isPositive(priceBeforeApproval))
      return skipped('The order did not wait for a person, or no price was known when it began to')
    if (lastPrice === null) return ofUnknownPrice(symbol, 'its move since the signal began to wait')
    const message = `The last price of ${dollarAmount(lastPrice)} lies ${percentApart(lastPrice, priceBeforeApproval)} % from the ${dollarAmount(priceBeforeApproval)} at which the signal began to wait, the limit is ${maxApprovalDriftPercent} %`
    return isFartherThan(maxApprovalDriftPercent, lastPrice, priceBeforeApproval)
      ? denied(message)
      : passed(message)
  },

  approvalAboveValue(order, { lastPrice, isApproved, isManual }, { approvalAboveValue }) {
    if (approvalAboveValue === null) return unlimited('the value above which a person approves')
    if (isApproved) return passed(isManual ? 'A person places it' : 'A person approves it')
    const hold = (message: string): Finding => ({ outcome: 'held', message })
    if (!isPositive(approvalAboveValue)) return hold('Every opening order of the account waits for a person')
    const price = priceOf(order, lastPrice)
    if (price === null)
      return hold(
        `No last price of ${order.symbol} is known, and orders above ${dollarAmount(approvalAboveValue)} wait for a person`,
      )
    const value = multiply(order.quantity, price)
    const worth = `The order is worth ${dollarAmount(value)}`
    const limit = `orders above ${dollarAmount(approvalAboveValue)} wait for a person`
    return compare(value, approvalAboveValue) > 0
      ? hold(`${worth}, and ${limit}`)
      : passed(`${worth}; ${limit}`)
  },

  duplicateWindowSeconds(_, { secondsSinceTwin }, { duplicateWindowSeconds, duplicatePolicy }) {
    if (duplicateWindowSeconds === null) return unlimited('repeated orders')
    if (secondsSinceTwin === null || secondsSinceTwin > duplicateWindowSeconds)
      return passed(`No equal order was asked for within ${duplicateWindowSeconds} s`)
    const message = `An equal order was asked for ${secondsSinceTwin} s before; give each a sourceId, or an Idempotency-Key for a manual order, to distinguish a repetition from a second order`
    return duplicatePolicy === 'deny' ? denied(message) : { outcome: 'warned', message }
  },
}

const isFartherThan = (percent: Decimal, price: Decimal, from: Decimal): boolean =>
  compare(multiply(magnitude(subtract(price, from)), '100'), multiply(percent, from)) > 0

const percentApart = (price: Decimal, from: Decimal): Decimal =>
  round(divideDown(multiply(magnitude(subtract(price, from)), '100'), from, 6), 2)

function fewerThan(count: number, limit: number | null, when: string): Finding {
  if (limit === null) return unlimited(`the opening orders of ${when}`)
  const message = ordersSent(count, limit, when)
  return count >= limit ? denied(message) : passed(message)
}

export const ordersSent = (count: number, limit: number, when: string): string =>
  `${figure(`${count}`)} opening ${count === 1 ? 'order was' : 'orders were'} sent ${when}, at most ${figure(`${limit}`)} ${limit === 1 ? 'is' : 'are'} allowed`

const reportLoss = (loss: Decimal): string =>
  isPositive(loss) ? `The account has lost ${dollarAmount(loss)}` : 'The account has lost nothing'
