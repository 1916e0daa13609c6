import assert from 'node:assert/strict'
import fc from 'fast-check'
import { dayGain, dayReference, realisedToday } from '#domain/account/day-result.ts'
import {
  add,
  compare,
  decimal,
  isPositive,
  magnitude,
  multiply,
  negate,
  smaller,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import {
  after,
  sharesAfter,
  type AttributedExecution,
  type OwnedShares,
  type ShareOrigin,
} from '#domain/position/ownership.ts'
import { profit } from '#domain/money/profit.ts'
import {
  keysIn,
  tradesOf,
  type AttributedFill,
  type Checkpoint,
  type RoundTrip,
} from '#domain/position/round-trips.ts'
import { cases } from '#test/support/generators.ts'

const entry = (signalId: string): ShareOrigin => ({ role: 'entry', signalId })
const exit = (signalId: string): ShareOrigin => ({ role: 'exit', signalId })
const close: ShareOrigin = { role: 'close', reservedLots: [] }
const manual: ShareOrigin = { role: 'person', reservedLots: [] }
const elsewhere: ShareOrigin = { role: 'stranger' }
const ORIGINS: Record<string, ShareOrigin> = { close, manual, elsewhere }

/** Executions of orders of their own, in their order: "a +10" buys ten for signal a, and "exit a -10" is its exit. */
const history = (text: string): AttributedExecution[] =>
  text.split(', ').map((line) => {
    const [, who, signal, sign, shares] = /^(\w+?)(?: (\w+))? ([+-])(\d+)$/.exec(line)!
    const quantity = decimal(shares!)
    const origin = ORIGINS[who!] ?? (signal === undefined ? entry(who!) : exit(signal))
    return { origin, side: sign === '+' ? 'BUY' : 'SELL', quantity, orderFilled: quantity }
  })

const shown = (executions: AttributedExecution[]): string => {
  const shares = sharesAfter(executions)
  return [
    shares.side ?? 'FLAT',
    ...shares.lots.map(({ owner, quantity }) => `${owner ?? 'nobody'} ${quantity}`),
  ].join(', ')
}

describe('ownership of shares', () => {
  const table: [name: string, executions: string, left: string][] = [
    ['what an entry opened is its signal’s', 'a +10', 'LONG, a 10'],
    ['shares bought by hand are unowned', 'manual +5, elsewhere +2', 'LONG, nobody 5, nobody 2'],
    ['an exit takes its own signal’s, however old others are', 'a +10, b +10, exit b -10', 'LONG, a 10'],
    ['a closing signal takes the oldest signal’s', 'a +10, b +10, close -10', 'LONG, b 10'],
    ['a closing signal leaves unowned shares for last', 'manual +10, a +10, close -15', 'LONG, nobody 5'],
    ['a manual sale takes unowned shares first', 'a +10, manual +10, manual -15', 'LONG, a 5'],
    ['so does one at the broker', 'a +10, elsewhere +10, elsewhere -4', 'LONG, a 10, nobody 6'],
    ['of a short position it is the same', 'a -10, b -5, close +12', 'SHORT, b 3'],
    ['what goes through zero opens the other side', 'a +10, b -15', 'SHORT, b 5'],
    ['nothing is left of what was closed', 'a +10, exit a -10', 'FLAT'],
  ]
  for (const [name, executions, left] of table) it(name, () => assert.equal(shown(history(executions)), left))

  it('shares that were set apart for a close are taken, not older ones', () => {
    const origin: ShareOrigin = { role: 'close', reservedLots: [{ owner: 'b', quantity: '10' }] }
    const [a, b, sale] = history('a +10, b +10, close -10') as [
      AttributedExecution,
      AttributedExecution,
      AttributedExecution,
    ]
    assert.equal(shown([a, b, { ...sale, origin }]), 'LONG, a 10')
  })

  it('the parts of a close go on where the one before has stopped', () => {
    const origin: ShareOrigin = {
      role: 'close',
      reservedLots: [
        { owner: 'b', quantity: '4' },
        { owner: 'a', quantity: '6' },
      ],
    }
    const sale = (quantity: Decimal, orderFilled: Decimal): AttributedExecution => ({
      origin,
      side: 'SELL',
      quantity,
      orderFilled,
    })
    const opened = history('a +10, b +10')
    assert.equal(shown([...opened, sale('3', '3'), sale('3', '6')]), 'LONG, a 8, b 6')
    // The parts before may have been executed before the last moment in which nothing was held.
    assert.equal(shown([...opened, sale('3', '9')]), 'LONG, a 7, b 10')
  })

  it('shares that orders are about to take are not given to another order', () => {
    const shares = sharesAfter(history('a +10, b +10, manual +5'))
    const free = shares.without([{ owner: 'a', quantity: '8' }])
    assert.deepEqual(free.allot('6', 'signal'), [
      { owner: 'a', quantity: '2' },
      { owner: 'b', quantity: '4' },
    ])
    assert.deepEqual(free.allot('6', 'person'), [
      { owner: null, quantity: '5' },
      { owner: 'a', quantity: '1' },
    ])
    assert.equal(shares.quantity, '25')
  })

  it('ownership of shares is kept by any history: each share has one owner, and an exit takes none but its own', function () {
    this.timeout(120_000)
    fc.assert(
      fc.property(anyHistory, (happenings) => void liveThrough(happenings)),
      { numRuns: cases(10_000) },
    )
  })

  it('ownership of shares is that of trades in any history: the results of all owners are the change of equity', function () {
    this.timeout(120_000)
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 5 }), (happenings, every) => {
        const fills = asFills(liveThrough(happenings))
        const { trips } = tradesOf(fills)
        ownersAgree(fills, trips)
        resultsAddUp(fills, trips)
        assert.deepEqual(byKey(restarted(fills, every)), byKey(trips))
      }),
      { numRuns: cases(3_000) },
    )
  })

  it('ownership of shares is kept over night in any history: what was realised today and what is held has gained are the change of equity', function () {
    this.timeout(120_000)
    fc.assert(
      fc.property(anyHistory, fc.double({ min: 0, max: 1, noNaN: true }), (happenings, part) => {
        const executions = liveThrough(happenings)
        dayAddsUp(executions, Math.floor(part * executions.length))
      }),
      { numRuns: cases(3_000) },
    )
  })
})

const OWNERS = ['a', 'b', 'c', 'd', null] as const
const sum = (values: readonly Decimal[]): Decimal => values.reduce(add, '0')
const byKey = (trips: readonly RoundTrip[]) => trips.toSorted((a, b) => (a.key < b.key ? -1 : 1))

/**
 * Executions one a second, each at a price and with fees of its own.
 *
 * @param night the first so many are of the day before, in which their orders have ended
 */
function asFills(executions: readonly AttributedExecution[], night = 0): AttributedFill[] {
  const orders = new Map<ShareOrigin, string>()
  return executions.map((execution, index) => {
    const order = orders.get(execution.origin) ?? `o${index}`
    orders.set(execution.origin, order)
    const day = index < night ? 2 : 3
    return {
      ...execution,
      executionId: `x${index}`,
      brokerOrderId: `${order} of ${day}`,
      symbol: 'AAPL',
      price: decimal(`${100 + ((index * 37) % 23)}.${(index * 7) % 10}`),
      fees: decimal(`0.0${(index * 3) % 7}`),
      at: new Date(Date.UTC(2026, 2, day, 15, 0, index)).toISOString().replace('Z', '000Z'),
    }
  })
}

/** The open trades of each owner are the shares that it owns, and the closed ones those that it has lost. */
function ownersAgree(fills: readonly AttributedFill[], trips: readonly RoundTrip[]): void {
  const shares = sharesAfter(fills)
  for (const owner of OWNERS) {
    const [open, closed] = (['OPEN', 'CLOSED'] as const).map((status) =>
      sum(
        trips
          .filter((trip) => trip.owner === owner && trip.status === status)
          .map(({ quantity }) => quantity),
      ),
    )
    const bought = fills.filter(
      ({ side, origin }) => side === 'BUY' && (origin.role === 'entry' ? origin.signalId : null) === owner,
    )
    assert.equal(open, shares.of(owner))
    assert.equal(closed, subtract(sum(bought.map(({ quantity }) => quantity)), shares.of(owner)))
  }
  for (const { exitOrder, owner } of trips) {
    const exits = fills.find(({ brokerOrderId }) => brokerOrderId === exitOrder)
    if (exits?.origin.role === 'exit') assert.equal(owner, exits.origin.signalId)
  }
}

/** Of each owner its result is what its own shares have brought and are worth, and of all together the change of equity. */
function resultsAddUp(fills: readonly AttributedFill[], trips: readonly RoundTrip[]): void {
  const price: Decimal = '111.11'
  const resultOf = (trip: RoundTrip): Decimal =>
    trip.realisedPnl ?? profit(trip.side, { ...trip, exitValue: multiply(trip.quantity, price) })
  const equity: Decimal[] = []
  for (const owner of OWNERS) {
    let before: Decimal = '0'
    let flow: Decimal = '0'
    for (const [index, fill] of fills.entries()) {
      const after = sharesAfter(fills.slice(0, index + 1)).of(owner)
      flow = add(flow, multiply(subtract(before, after), fill.price))
      before = after
    }
    const own = trips.filter((trip) => trip.owner === owner)
    const worth = add(flow, multiply(before, price))
    equity.push(worth)
    assert.equal(sum(own.map((trip) => add(resultOf(trip), trip.fees))), worth)
  }
  const fees = sum(fills.map((fill) => fill.fees))
  assert.equal(sum(trips.map(resultOf)), subtract(sum(equity), fees))
}

/** The results of today are the change of equity since the last close. Fees of the day before were paid then. */
function dayAddsUp(executions: readonly AttributedExecution[], night: number): void {
  const [lastClose, currentPrice] = ['107.77', '111.11'] as const
  const fills = asFills(executions, night)
  const wasBefore = (at: string | null): boolean => (at ?? '') < '2026-03-03'
  const { trips } = tradesOf(fills)
  const realised = trips
    .filter(({ status, exitAt }) => status === 'CLOSED' && !wasBefore(exitAt))
    .map(({ exitValue, realisedPnl, entryAt, ...trip }) =>
      realisedToday({
        ...trip,
        exitValue: exitValue!,
        realisedPnl: realisedPnl!,
        lastClose: wasBefore(entryAt) ? lastClose : null,
      }),
    )
  const opened = trips.filter(({ status, entryAt }) => status === 'OPEN' && !wasBefore(entryAt))
  const quantity = sharesAfter(executions).quantity
  const dayChange = subtract(currentPrice, lastClose)
  const from = dayReference(
    { quantity, currentPrice, dayChange },
    {
      quantity: sum(opened.map((trip) => trip.quantity)),
      value: sum(opened.map((trip) => add(multiply(trip.quantity, trip.entryPrice), trip.fees))),
    },
  )
  const open = isPositive(quantity) ? dayGain({ side: 'LONG', quantity, currentPrice }, from!) : '0'

  const flows = fills.slice(night).map(({ side, quantity: traded, price, fees }) => {
    const value = multiply(traded, price)
    return subtract(side === 'SELL' ? value : negate(value), fees)
  })
  const before = multiply(sharesAfter(executions.slice(0, night)).quantity, lastClose)
  const change = subtract(add(multiply(quantity, currentPrice), sum(flows)), before)
  const rest = subtract(change, add(sum(realised), open))
  // Averages a share are rounded to nine places.
  assert.ok(compare(magnitude(rest), '0.00001') < 0, `${rest} is not explained`)
}

/** The trades when fills come one by one, and are worked out by another process each time from the last checkpoint. */
function restarted(fills: readonly AttributedFill[], every: number): RoundTrip[] {
  let kept: RoundTrip[] = []
  let from: { at: string; text: string } | undefined
  for (const [index] of fills.entries()) {
    const begin = from && (JSON.parse(from.text) as Checkpoint)
    const at = from?.at ?? ''
    const { trips, checkpoints } = tradesOf(
      fills.slice(0, index + 1).filter((fill) => fill.at > at),
      begin,
      every,
    )
    const changing = new Set(keysIn(begin))
    const isLater = ({ entryAt, exitAt }: RoundTrip) => entryAt > at || (exitAt ?? '') > at
    kept = [...kept.filter((trip) => !changing.has(trip.key) && !isLater(trip)), ...trips]
    for (const [id, checkpoint] of checkpoints)
      from = {
        at: fills.find(({ executionId }) => executionId === id)!.at,
        text: JSON.stringify(checkpoint),
      }
  }
  return kept
}

const SIGNALS = ['a', 'b', 'c', 'd'] as const
type Happening =
  | { what: 'buy'; who: (typeof SIGNALS)[number] | null; quantity: number }
  | { what: 'exit'; who: (typeof SIGNALS)[number] }
  | { what: 'close'; closer: 'signal' | 'person'; quantity: number }
  | { what: 'sell elsewhere'; quantity: number }
  | { what: 'fill' | 'cancel'; which: number; quantity: number }

const shares = fc.integer({ min: 1, max: 9 })
const anyHistory = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant('buy' as const),
      who: fc.constantFrom(...SIGNALS, null),
      quantity: shares,
    }),
    fc.record({ what: fc.constant('exit' as const), who: fc.constantFrom(...SIGNALS) }),
    fc.record({
      what: fc.constant('close' as const),
      closer: fc.constantFrom('signal' as const, 'person' as const),
      quantity: shares,
    }),
    fc.record({ what: fc.constant('sell elsewhere' as const), quantity: shares }),
    {
      weight: 3,
      arbitrary: fc.record({ what: fc.constant('fill' as const), which: fc.nat(), quantity: shares }),
    },
    fc.record({ what: fc.constant('cancel' as const), which: fc.nat(), quantity: shares }),
  ) satisfies fc.Arbitrary<Happening>,
  { maxLength: 40 },
)

interface Sale {
  origin: ShareOrigin
  reservedLots: OwnedShares[]
  quantity: Decimal
  filled: Decimal
}

/** A position that signals, people and others trade, as the service decides about their orders; its executions. */
function liveThrough(happenings: readonly Happening[]): AttributedExecution[] {
  const executions: AttributedExecution[] = []
  const live: Sale[] = []
  const bought = new Map<string | null, Decimal>()
  const exited = new Map<string, Decimal>()
  let net: Decimal = '0'
  const openOf = ({ quantity, filled }: Sale): Decimal => subtract(quantity, filled)
  const claims = (): OwnedShares[] => live.flatMap(({ reservedLots, filled }) => after(reservedLots, filled))
  const execute = (
    origin: ShareOrigin,
    side: 'BUY' | 'SELL',
    quantity: Decimal,
    orderFilled: Decimal,
  ): void => {
    const before = sharesAfter(executions)
    executions.push({ origin, side, quantity, orderFilled })
    net = add(net, side === 'BUY' ? quantity : negate(quantity))
    const now = sharesAfter(executions)
    // The sum of what signals own and what is nobody's is the position, share for share.
    assert.equal(now.quantity, net)
    for (const { quantity: left } of now.lots) assert.ok(isPositive(left))
    assert.equal(
      [...SIGNALS, null].reduce<Decimal>((sum, owner) => add(sum, now.of(owner)), '0'),
      net,
    )
    if (origin.role === 'exit')
      for (const owner of [...SIGNALS, null])
        assert.equal(
          now.of(owner),
          owner === origin.signalId ? subtract(before.of(owner), quantity) : before.of(owner),
          'an exit took shares of another owner',
        )
  }
  const decide = (origin: ShareOrigin, reservedLots: OwnedShares[]): void => {
    const quantity = reservedLots.reduce<Decimal>((sum, one) => add(sum, one.quantity), '0')
    if (isPositive(quantity)) live.push({ origin, reservedLots, quantity, filled: '0' })
  }
  for (const happening of happenings) {
    const free = sharesAfter(executions).without(claims())
    switch (happening.what) {
      case 'buy': {
        const { who, quantity } = happening
        execute(who === null ? manual : entry(who), 'BUY', `${quantity}`, `${quantity}`)
        bought.set(who, add(bought.get(who) ?? '0', `${quantity}`))
        break
      }
      case 'exit': {
        const own = free.of(happening.who)
        if (isPositive(own)) decide(exit(happening.who), [{ owner: happening.who, quantity: own }])
        break
      }
      case 'close': {
        const reservedLots = free.allot(`${happening.quantity}`, happening.closer)
        decide({ role: happening.closer === 'signal' ? 'close' : 'person', reservedLots }, reservedLots)
        break
      }
      case 'sell elsewhere': {
        // The broker lets nobody sell what open orders hold.
        const quantity = smaller(free.quantity, `${happening.quantity}`)
        if (isPositive(quantity) && live.length === 0) execute(elsewhere, 'SELL', quantity, quantity)
        break
      }
      case 'fill': {
        const sale = live[happening.which % live.length]
        if (!sale) break
        const quantity = smaller(openOf(sale), `${happening.quantity}`)
        sale.filled = add(sale.filled, quantity)
        execute(sale.origin, 'SELL', quantity, sale.filled)
        if (sale.origin.role === 'exit')
          exited.set(sale.origin.signalId, add(exited.get(sale.origin.signalId) ?? '0', quantity))
        if (!isPositive(openOf(sale))) live.splice(live.indexOf(sale), 1)
        break
      }
      case 'cancel':
        if (live.length > 0) live.splice(happening.which % live.length, 1)
        break
    }
    for (const [signal, quantity] of exited)
      assert.ok(compare(quantity, bought.get(signal) ?? '0') <= 0, 'sold more than its own')
    const rest = sharesAfter(executions)
    const promised = live.reduce<Decimal>((sum, sale) => add(sum, openOf(sale)), '0')
    assert.ok(compare(promised, rest.quantity) <= 0, 'more is to be sold than is held')
    assert.ok(rest.side !== 'SHORT', 'a position was opened on the other side')
  }
  return executions
}
