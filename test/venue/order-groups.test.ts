import assert from 'node:assert/strict'
import fc from 'fast-check'
import { add, compare, magnitude, negate, subtract, type Decimal } from '#domain/money/decimal.ts'
import { IS_LONG } from '#test/support/generators.ts'
import { Exchange } from '#venue/exchange/exchange.ts'
import { heldForOrders } from '#venue/exchange/margin.ts'
import { FaultScript } from '#venue/faults/script.ts'
import { openLedger } from '#venue/ledger/database.ts'
import type { VenueOrder } from '#venue/ledger/orders.ts'
import { MarketHours } from '#venue/market-hours.ts'
import { Market } from '#venue/market.ts'
import { Rejection } from '#venue/rejection.ts'

const SYMBOL = 'ZTGROUP'
const FIRST_PRICE = 100
const START = Date.parse('2026-06-01T14:00:00Z')

const price = fc.integer({ min: 80, max: 120 })
/** What may happen in the life of an account, which holds either long or short. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('price' as const), price }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), ms: fc.integer({ min: 1, max: 400 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      what: fc.constantFrom(
        'market',
        'limit',
        'stop',
        'oco',
        'oco-limit',
        'bracket',
        'oto-stop',
        'oto-target',
        'trail',
        'trail-percent',
      ),
      closes: fc.boolean(),
      qty: fc.integer({ min: 1, max: 12 }),
      near: fc.integer({ min: 0, max: 6 }),
      far: fc.integer({ min: 1, max: 8 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      pick: fc.nat({ max: 50 }),
      by: fc.integer({ min: -8, max: 8 }),
      qty: fc.option(fc.integer({ min: 1, max: 14 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat({ max: 50 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('close' as const), part: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never
const rules = fc.subarray([
  { on: 'fill', mode: 'partial', fraction: 0.4, holdMs: 300, probability: 0.5 },
  { on: 'fill', mode: 'delay', delayMs: 200, probability: 0.3 },
  { on: 'accepted', mode: 'reject', delayMs: 100, reason: 'halted', probability: 0.1 },
  { on: 'cancel', mode: 'pending', delayMs: 200, probability: 0.4 },
  { on: 'cancel', mode: 'fill', delayMs: 100, probability: 0.4 },
  { on: 'replace', mode: 'overtaken', probability: 0.3 },
] as const)

/** A venue without a network, whose time passes by hand. */
class Venue {
  now = START
  readonly ledger = openLedger(':memory:')
  readonly market = new Market(this.ledger, 1)
  readonly faults = new FaultScript(this.ledger)
  exchange = this.#open()
  readonly account = this.exchange.openAccount({
    keyId: 'k',
    secretKey: 's',
    cash: '1000000',
    type: 'margin',
  })

  #open(): Exchange {
    return new Exchange({
      ledger: this.ledger,
      market: this.market,
      hours: new MarketHours('always'),
      faults: this.faults,
      feePerShare: '0',
      now: () => this.now,
      onEvent: () => {},
      onFailure: (error) => {
        throw error
      },
    })
  }

  /** What a killed process leaves is what its ledger has. */
  restart(): void {
    this.exchange.stop()
    this.exchange = this.#open()
  }

  tick(ms: number): void {
    this.now += ms
    this.exchange.tick()
  }

  get orders(): VenueOrder[] {
    return this.exchange.orders.list(this.account.id, {
      status: 'all',
      direction: 'asc',
      limit: 10_000,
    })
  }

  get position(): Decimal {
    return this.exchange.executions.position(this.account.id, SYMBOL)?.qty ?? '0'
  }
}

/** These open a position; the other orders may close one as well. */
const ENTRIES: ReadonlySet<string> = new Set(['bracket', 'oto-stop', 'oto-target'])

function play(venue: Venue, each: Step, opening: 'buy' | 'sell', last: number): void {
  const { exchange, account } = venue
  const working = exchange.orders.workingOf(account.id)
  switch (each.kind) {
    case 'price':
      return venue.market.pin(SYMBOL, `${each.price}`)
    case 'tick':
      return venue.tick(each.ms)
    case 'restart':
      return venue.restart()
    case 'cancel':
      if (working.length > 0) exchange.cancel(account.id, working[each.pick % working.length]!.id)
      return
    case 'close':
      exchange.closePosition(account.id, SYMBOL, { percentage: `${each.part}` })
      return
    case 'replace': {
      if (working.length === 0) return
      const order = working[each.pick % working.length]!
      exchange.replace(account.id, order.id, {
        ...(each.qty !== null && { qty: each.qty }),
        ...(order.limitPrice !== null && { limit_price: Number(order.limitPrice) + each.by }),
        ...(order.type.startsWith('stop') && { stop_price: Number(order.stopPrice) + each.by }),
        ...(order.type === 'trailing_stop' && { trail: Math.abs(each.by) + 1 }),
      })
      return
    }
    case 'submit':
      exchange.submit(account.id, bodyOf(each, opening, last))
  }
}

function bodyOf(
  { what, closes, qty, near, far }: Extract<Step, { kind: 'submit' }>,
  opening: 'buy' | 'sell',
  last: number,
) {
  const isExit = what.startsWith('oco') || (closes && !ENTRIES.has(what))
  const side = (opening === 'buy') === isExit ? 'sell' : 'buy'
  const away = (by: number) => last + (side === 'buy' ? by : -by)
  const order = {
    symbol: SYMBOL,
    side,
    qty,
    time_in_force: 'gtc',
    position_intent: `${side}_to_${isExit ? 'close' : 'open'}`,
  }
  const target = { limit_price: away(far) }
  const stop = { stop_price: away(-near - 1) }
  switch (what) {
    case 'market':
      return { ...order, type: 'market' }
    case 'limit':
      return { ...order, type: 'limit', limit_price: away(-near) }
    case 'stop':
      return { ...order, type: 'stop', stop_price: away(near) }
    case 'bracket':
      return { ...order, type: 'market', order_class: 'bracket', take_profit: target, stop_loss: stop }
    case 'oto-stop':
      return { ...order, type: 'limit', limit_price: last, order_class: 'oto', stop_loss: stop }
    case 'oto-target':
      return { ...order, type: 'market', order_class: 'oto', take_profit: target }
    case 'trail':
      return { ...order, type: 'trailing_stop', trail_price: far }
    case 'trail-percent':
      return { ...order, type: 'trailing_stop', trail_percent: far }
    // Seen from the position, which is on the other side.
    case 'oco':
      return {
        ...order,
        type: 'limit',
        order_class: 'oco',
        take_profit: { limit_price: away(-far) },
        stop_loss: { stop_price: away(near + 1) },
      }
    case 'oco-limit':
      return {
        ...order,
        type: 'limit',
        order_class: 'oco',
        take_profit: { limit_price: away(-far) },
        stop_loss: { stop_price: away(near + 1), limit_price: away(near + 3) },
      }
  }
}

/** What holds at every moment. */
function check(venue: Venue): void {
  const { exchange, account, orders, position } = venue
  const { held } = heldForOrders(SYMBOL, exchange.orders.workingOf(account.id))
  assert.ok(compare(held, magnitude(position)) <= 0, `${held} for sale of ${position}`)
  const fills = exchange.executions.fillsOf(account.id)
  assert.equal(
    fills.reduce<Decimal>((sum, { side, qty }) => add(sum, side === 'buy' ? qty : negate(qty)), '0'),
    position,
  )
  const filledOf = (members: readonly VenueOrder[]) =>
    fills
      .filter(({ orderId }) => members.some(({ id }) => id === orderId))
      .reduce<Decimal>((sum, { qty }) => add(sum, qty), '0')
  for (const group of Map.groupBy(orders, ({ groupId }) => groupId).values()) {
    if (group[0]!.groupId === null) continue
    const levels = group.filter(({ role }) => role !== 'entry')
    assert.ok(levels.filter(({ status }) => status === 'filled').length <= 1, 'both levels have filled')
    const first = group.find(({ replaces }) => replaces === null)!
    const entered =
      first.role === 'entry' ? filledOf(group.filter(({ role }) => role === 'entry')) : first.qty!
    const exited = filledOf(levels)
    // The target of an oco is never for fewer than it was sent for; that of others never for more than was bought.
    assert.ok(compare(exited, entered) <= 0, `${exited} sold of ${entered}`)
    const open = levels.filter(({ closedAt, waitsFor }) => closedAt === null && waitsFor !== 'entry')
    const rests = new Set(open.map(({ qty, filledQty }) => subtract(qty!, filledQty)))
    assert.ok(rests.size <= 1, `the levels are for ${[...rests].join(' and ')}`)
  }
  for (const order of orders) {
    if (order.qty !== null) assert.ok(compare(order.filledQty, order.qty) <= 0)
    const isReplaced = order.status === 'replaced'
    assert.equal(isReplaced, order.replacedBy !== null)
    if (isReplaced)
      assert.equal(
        orders.filter(({ replaces, status }) => replaces === order.id && status !== 'rejected').length,
        1,
      )
  }
}

/** What holds right after the market was looked at, when nothing is delayed: a level that was reached has been acted upon. */
function checkReached({ exchange, account }: Venue, last: Decimal): void {
  for (const order of exchange.orders.workingOf(account.id)) {
    if (order.waitsFor === 'entry' || order.stopPrice === null || order.triggeredAt !== null) continue
    const beyond = compare(last, order.stopPrice)
    assert.ok(
      order.side === 'sell' ? beyond > 0 : beyond < 0,
      `the stop at ${order.stopPrice} was reached at ${last}`,
    )
    if (order.type === 'trailing_stop')
      assert.equal(compare(order.hwm!, last) * (order.side === 'sell' ? 1 : -1) < 0, false)
  }
}

describe('groups of orders at the venue', function () {
  if (IS_LONG) this.timeout(600_000)
  for (const [name, script] of [
    ['in ordinary trading', fc.constant([])],
    ['under faults', rules],
  ] as const) {
    it(`a group never fills at both levels nor offers more than is held, ${name}`, () => {
      fc.assert(
        fc.property(
          fc.array(step, { minLength: 5, maxLength: 40 }),
          fc.constantFrom('buy', 'sell'),
          script,
          (steps, opening, faults) => {
            const venue = new Venue()
            venue.market.pin(SYMBOL, `${FIRST_PRICE}`)
            venue.faults.replace([...faults] as never, 3)
            let last = FIRST_PRICE
            for (const each of steps) {
              try {
                play(venue, each, opening, last)
              } catch (error) {
                if (!(error instanceof Rejection)) throw error
              }
              if (each.kind === 'price') last = each.price
              venue.tick(1)
              check(venue)
              if (faults.length === 0) checkReached(venue, `${last}`)
            }
            venue.exchange.stop()
            venue.ledger.close()
          },
        ),
        { numRuns: IS_LONG ? 1_000 : 30 },
      )
    })
  }
})
