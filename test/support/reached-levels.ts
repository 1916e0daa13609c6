import { add, compare, isZero, magnitude, negate, type Decimal } from '#domain/money/decimal.ts'
import { executionSide, parseClientOrderId } from '#domain/order/order.ts'
import { ENTRY_SIDE } from '#domain/signal/signal.ts'
import type { Evidence, MarketStep, TradeRequest } from './evidence.ts'
import type { LedgerOrder } from './venue-desk.ts'

/** A level of a plan that the market had reached while shares were held, and stayed at. */
export interface Reaction {
  signalId: string
  level: 'stop' | 'target'
  reachedAt: string
  /** Milliseconds until nothing was held any more; null where the market left the level before. */
  tookMs: number | null
  /** Milliseconds that the market stayed there. */
  stayedMs: number
}

/** What is closer to its level than so many percent may be on its other side by rounding. */
const MARGIN = 0.05

/**
 * What came of the levels that the market has reached, by the broker's ledger and the prices that the market was told to have: reckoned
 * apart from the code that is judged. Of plans in symbols of their own, with levels that nobody has changed.
 */
export function reactionsOf({
  wishes,
  signals,
  ledger,
  market: told = [],
  collectedAt,
}: Evidence): Reaction[] {
  const requestByKey = new Map(wishes.map((desired) => [desired.key, desired]))
  const steps = Map.groupBy(told, ({ symbol }) => symbol)
  const orders = Map.groupBy(ledger.orders, ({ symbol }) => symbol)
  return signals.flatMap(({ id, sourceId }) => {
    const desired = requestByKey.get(sourceId ?? '')
    if (!desired?.levels || collectedAt === undefined) return []
    const inSymbol = orders.get(desired.symbol) ?? []
    const entry = inSymbol.find(({ client_order_id: name }) => {
      const identity = parseClientOrderId(name)
      return identity?.signalId === id && identity.role === 'entry'
    })
    if (!entry || isZero(entry.filled_qty)) return []
    const market = { steps: steps.get(desired.symbol) ?? [], until: collectedAt }
    return reactionsIn(id, desired, entry, { inSymbol, ...market })
  })
}

/** What is on record of a symbol, up to a moment. */
interface SymbolRecord {
  inSymbol: readonly LedgerOrder[]
  steps: readonly MarketStep[]
  until: string
}

function reactionsIn(
  signalId: string,
  { action, levels }: TradeRequest,
  entry: LedgerOrder,
  { inSymbol, steps, until }: SymbolRecord,
): Reaction[] {
  const average = averageOf(entry)
  const towards = executionSide(ENTRY_SIDE[action]) === 'BUY' ? 1 : -1
  const levelAt = (price: number): Reaction['level'] | null => {
    const profit = ((price - average) / average) * 100 * towards
    if (levels!.stop !== null && profit <= -levels!.stop - MARGIN) return 'stop'
    return levels!.target !== null && profit >= levels!.target + MARGIN ? 'target' : null
  }
  const heldFrom = Date.parse(entry.fills.at(-1)!.at)
  const flatAt = flatSince(inSymbol, heldFrom)
  const found: Reaction[] = []
  for (const [place, { price, at }] of steps.entries()) {
    const level = levelAt(price)
    if (level === null || (place > 0 && levelAt(steps[place - 1]!.price) === level)) continue
    const left = steps.slice(place).find((step) => levelAt(step.price) !== level)
    const from = Math.max(Date.parse(at), heldFrom)
    const to = Date.parse(left?.at ?? until)
    if (to <= from || flatAt <= from) continue
    found.push({
      signalId,
      level,
      reachedAt: new Date(from).toISOString(),
      tookMs: flatAt <= to ? flatAt - from : null,
      stayedMs: to - from,
    })
  }
  return found
}

function averageOf({ fills }: LedgerOrder): number {
  const shares = fills.reduce((sum, { qty }) => sum + Number(qty), 0)
  return fills.reduce((sum, { qty, price }) => sum + Number(qty) * Number(price), 0) / shares
}

/** When nothing of a symbol was held any more, in milliseconds since the epoch; never, where some is. */
function flatSince(orders: readonly LedgerOrder[], from: number): number {
  let net: Decimal = '0'
  const fills = orders
    .flatMap(({ side, fills: own }) =>
      own.map(({ qty, at }) => ({ at, signed: side === 'buy' ? qty : negate(qty) })),
    )
    .toSorted((a, b) => a.at.localeCompare(b.at) || compare(magnitude(b.signed), magnitude(a.signed)))
  for (const { at, signed } of fills) {
    net = add(net, signed)
    if (isZero(net) && Date.parse(at) >= from) return Date.parse(at)
  }
  return Number.POSITIVE_INFINITY
}
