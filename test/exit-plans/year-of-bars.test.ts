import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { submissionBody } from '#brokers/alpaca/orders.ts'
import { describeBrokerType } from '#domain/account/broker-types.ts'
import { decimal, divideDown, type Decimal } from '#domain/money/decimal.ts'
import { look, type WatchedExit } from '#domain/exit/protection-watch.ts'
import { restingOrder, type Protection, type RestingOrder } from '#domain/exit/protection.ts'
import type { OrderRequest } from '#domain/order/order.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import { IS_LONG } from '#test/support/generators.ts'
import { Exchange } from '#venue/exchange/exchange.ts'
import { FaultScript } from '#venue/faults/script.ts'
import { openLedger } from '#venue/ledger/database.ts'
import { MarketHours } from '#venue/market-hours.ts'
import { Market } from '#venue/market.ts'

/** The prices of a year in cents: of each day the open, the low and the high (first the one nearer to the open), and the close. */
const PATH: { day: number; at: number; cents: number }[] = readFileSync(
  new URL('sp500-2000.csv', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line.startsWith('2000'))
  .flatMap((line, day) => {
    const [date, ...prices] = line.split(',')
    const [open, high, low, close] = prices.map((price) => Math.round(Number(price) * 100)) as [
      number,
      number,
      number,
      number,
    ]
    const between = open - low < high - open ? [low, high] : [high, low]
    return [open, ...between, close].map((cents, hour) => ({
      day,
      at: Date.parse(`${date}T15:00:00Z`) + hour * 3_600_000,
      cents,
    }))
  })

/** A plan in plain numbers: percent in hundredths, so that the independent computation has no fractions but its own. */
interface Plan {
  stop?: number
  target?: number
  trail?: number
  trailAfter?: number
  breakEven?: number
}

const PLANS: readonly Plan[] = [
  { stop: 200, target: 300 },
  { stop: 500, target: 200 },
  { trail: 250 },
  { stop: 150, trail: 400 },
  { trail: 300, target: 500 },
  { stop: 400, trail: 150, trailAfter: 200 },
  { stop: 300, breakEven: 150, target: 600 },
  { stop: 300, breakEven: 100, trail: 350, trailAfter: 300 },
]

const SIDES = ['LONG', 'SHORT'] as const
/** For a signal that rests for longer the broker would end the order after 90 days. */
const DAYS = 60

/**
 * Where a position is left, by a computation of its own: the first price of the path at or beyond a level. Whole cents; a level lies
 * where its percentage is rounded to, half of a cent upwards.
 */
function exitOf(
  { stop, target, trail, trailAfter, breakEven }: Plan,
  side: TradeSide,
  from: number,
): number | null {
  const up = side === 'LONG' ? 1 : -1
  const entry = PATH[from]!.cents
  const away = (base: number, hundredths: number, sign: number): number =>
    Number((BigInt(base) * BigInt(10_000 + sign * hundredths) + 5_000n) / 10_000n)
  const better = (a: number, b: number): boolean => (a - b) * up > 0
  let best = entry
  for (const { day, cents } of PATH.slice(from)) {
    if (day > PATH[from]!.day + DAYS) return null
    if (better(cents, best)) best = cents
    const levels: number[] = []
    if (stop !== undefined) levels.push(away(entry, stop, -up))
    const reached = (profit: number | undefined): boolean =>
      profit === undefined || !better(away(entry, profit, up), best)
    if (trail !== undefined && reached(trailAfter)) levels.push(away(best, trail, -up))
    if (breakEven !== undefined && reached(breakEven)) levels.push(entry)
    if (levels.some((level) => !better(cents, level))) return cents
    if (target !== undefined && !better(away(entry, target, up), cents)) return cents
  }
  return null
}

const percentOf = (hundredths: number): { percent: Decimal } => ({ percent: decimal(hundredths / 100) })

const protectionOf = ({ stop, target, trail, trailAfter, breakEven }: Plan): Protection => ({
  stop: stop === undefined ? null : percentOf(stop),
  target: target === undefined ? null : percentOf(target),
  trail:
    trail === undefined
      ? null
      : { ...percentOf(trail), ...(trailAfter !== undefined && { after: percentOf(trailAfter) }) },
  breakEven: breakEven === undefined ? null : percentOf(breakEven),
  until: 'closed',
})

const ALL_ORDERS = { status: 'all', limit: 500, direction: 'desc' } as const

/** Lives a plan through at the venue, by the rules of plans and of their watch; the price at which the position was left, in cents. */
class Life {
  readonly #exchange: Exchange
  readonly #accountId: string
  readonly #symbol: string
  readonly #side: TradeSide
  readonly #plan: Protection
  #orderId: string | null = null
  #orders = 0
  #watched: WatchedExit | null = null

  constructor(exchange: Exchange, symbol: string, side: TradeSide, plan: Protection) {
    this.#exchange = exchange
    this.#symbol = symbol
    this.#side = side
    this.#plan = plan
    // An account for each life, so that no order of one stands against that of another.
    const keys = { keyId: `KEY-${symbol}`, secretKey: 'secret-of-a-life' }
    this.#accountId = exchange.openAccount({ ...keys, cash: '10000000', type: 'margin' }).id
  }

  #send(order: Omit<RestingOrder, 'timeInForce'> | { orderType: 'market' }, isEntry = false): string {
    const opens = this.#side === 'LONG' ? 'BUY' : 'SELL_SHORT'
    const closes = this.#side === 'LONG' ? 'SELL' : 'BUY_TO_COVER'
    const request: OrderRequest = {
      clientOrderId: `${this.#symbol}-${(this.#orders += 1)}`,
      symbol: this.#symbol,
      side: isEntry ? opens : closes,
      quantity: '10',
      limitPrice: null,
      stopPrice: null,
      timeInForce: order.orderType === 'market' ? 'day' : 'gtc',
      extendedHours: false,
      ...order,
    }
    return this.#exchange.submit(this.#accountId, JSON.parse(submissionBody(request))).id
  }

  enter(): void {
    this.#send({ orderType: 'market' }, true)
    this.#exchange.tick()
    const average = this.#executed('entry')!
    this.#watched = {
      protection: this.#plan,
      position: { side: this.#side, average, fees: '0' },
      best: average,
      quantity: '10',
      abilities: describeBrokerType('alpaca').capabilities.protects,
      kept: null,
      isOfProtection: true,
      entryWorks: false,
      moves: 0,
    }
    this.#place()
  }

  /** Everything has happened at the venue that this price leads to; the watch looks at it now. */
  hear(price: Decimal): void {
    if (this.hasEnded) return
    const { best, crossed, move, mustBePlaced } = look(this.#watched!, {
      improves: price,
      triggers: price,
      market: price,
    })
    this.#watched!.best = best
    if (crossed !== null) {
      this.#cancel()
      this.#send({ orderType: 'market' })
      this.#exchange.tick()
    } else if (mustBePlaced) {
      this.#cancel()
      this.#place()
    } else if (move !== null) this.#move(move.stop)
  }

  get hasEnded(): boolean {
    return this.#watched !== null && this.#exchange.executions.positionsOf(this.#accountId).length === 0
  }

  /** Dollars a share at which the position was opened, or closed; null before. */
  #executed(role: 'entry' | 'exit'): Decimal | null {
    const sells = (this.#side === 'LONG') === (role === 'exit')
    const orders = this.#exchange.orders.list(this.#accountId, ALL_ORDERS)
    const filled = orders.find(({ side, filledQty }) => (side === 'sell') === sells && filledQty === '10')
    return filled ? divideDown(filled.filledValue, '10', 9) : null
  }

  /** Nothing of it works at the venue any more. */
  end(): void {
    this.#exchange.cancelAll(this.#accountId)
  }

  get leftAt(): Decimal | null {
    return this.hasEnded ? this.#executed('exit') : null
  }

  get #resting(): RestingOrder | null {
    return this.#watched!.kept
  }

  #place(): void {
    const watched = this.#watched!
    const { protection, position, best } = watched
    const resting = restingOrder(protection, position, best, { ...watched, resting: this.#resting })
    watched.kept = resting
    watched.moves = 0
    if (resting === null) return
    const { timeInForce: _, ...order } = resting
    this.#orderId = this.#send(order)
    this.#exchange.tick()
  }

  #move(stop: Decimal): void {
    const watched = this.#watched!
    const legs = this.#exchange.orders.group(
      this.#exchange.orders.find(this.#accountId, this.#orderId!)!.groupId ?? '',
    )
    const leg = legs.find(({ type, closedAt }) => type === 'stop' && closedAt === null)
    const replaced = this.#exchange.replace(this.#accountId, leg?.id ?? this.#orderId!, { stop_price: stop })
    if (leg === undefined) this.#orderId = replaced.id
    watched.kept = { ...this.#resting!, stopPrice: stop }
    watched.moves += 1
    this.#exchange.tick()
  }

  #cancel(): void {
    if (this.#resting !== null) this.#exchange.cancelAll(this.#accountId)
    this.#exchange.tick()
    this.#watched!.kept = null
  }
}

describe('exit plans over a year of daily bars', () => {
  let now = PATH[0]!.at
  const ledger = openLedger(':memory:')
  const market = new Market(ledger, 1)
  const exchange = new Exchange({
    ledger,
    market,
    hours: new MarketHours('always'),
    faults: new FaultScript(ledger),
    feePerShare: '0',
    now: () => now,
    onEvent: () => {},
    onFailure: (error) => {
      throw error
    },
  })
  after(() => {
    exchange.stop()
    ledger.close()
  })

  /** Dollars a share at which the position was left; null for one that was still held after {@link DAYS}. */
  function live(plan: Plan, side: TradeSide, from: number, symbol: string): Decimal | null {
    const life = new Life(exchange, symbol, side, protectionOf(plan))
    for (const { day, at, cents } of PATH.slice(from)) {
      now = at
      const price = decimal(cents / 100)
      market.pin(symbol, price)
      exchange.tick()
      if (at === PATH[from]!.at) life.enter()
      else life.hear(price)
      if (life.hasEnded || day > PATH[from]!.day + DAYS) break
    }
    life.end()
    return life.leftAt
  }

  for (const [kind, plan] of PLANS.entries())
    it(`exit plans over a year of daily bars are left at the prices of an independent computation, to the cent: ${JSON.stringify(plan)}`, function () {
      this.timeout(300_000)
      // In the short form each plan begins at days of its own, and on either side at every other of them.
      const starts = [...PATH.keys()].filter((at) => at % (IS_LONG ? 4 : 124) === (IS_LONG ? 0 : kind * 4))
      for (const [place, from] of starts.entries())
        for (const side of IS_LONG ? SIDES : [SIDES[place % 2]!]) {
          const symbol = `ZT${letters(from)}${letters(kind)}${side === 'LONG' ? 'L' : 'S'}`
          const expected = exitOf(plan, side, from)
          const where = `${side} from ${new Date(PATH[from]!.at).toISOString()}`
          const leftAt = expected === null ? null : decimal(expected / 100)
          assert.equal(live(plan, side, from, symbol), leftAt, where)
        }
    })
})

const letters = (number: number): string =>
  String(number).replaceAll(/\d/g, (digit) => String.fromCharCode(65 + Number(digit)))
