import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  add,
  compare,
  decimal,
  magnitude,
  multiply,
  negate,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import type { Fill } from '#domain/order/fill.ts'
import { profit } from '#domain/money/profit.ts'
import type { ShareOrigin } from '#domain/position/ownership.ts'
import {
  keysIn,
  tradesOf,
  type AttributedFill,
  type Checkpoint,
  type RoundTrip,
} from '#domain/position/round-trips.ts'
import { cases } from '#test/support/generators.ts'

/** The n-th fill of a case: one a second, of an order that was not placed here unless its origin is named. */
const fillAt = (index: number, fields: Partial<AttributedFill>): AttributedFill => ({
  executionId: `x${index}`,
  brokerOrderId: `o${index}`,
  symbol: 'AAPL',
  side: 'BUY',
  quantity: '1',
  price: '1',
  fees: '0',
  at: new Date(Date.UTC(2026, 2, 2, 15, 0, index)).toISOString().replace('Z', '000Z'),
  orderFilled: '1',
  origin: { role: 'stranger' },
  ...fields,
})

/** "BUY 10 @ 100", "SELL 4 @ 101.5 fees 0.2 of a": fills in order, each of an order of its own unless one is named. */
function fills(...lines: string[]): AttributedFill[] {
  return lines.map((line, index) => {
    const match = /^(BUY|SELL) (\S+) @ (\S+?)(?: fees (\S+?))?(?: of (\S+))?$/.exec(line)
    assert.ok(match, line)
    const [, side, quantity, price, fees = '0', order = `o${index}`] = match
    return fillAt(index, {
      side: side as Fill['side'],
      quantity: decimal(quantity!),
      orderFilled: decimal(quantity!),
      price: decimal(price!),
      fees: decimal(fees),
      brokerOrderId: order,
    })
  })
}

/** A trade in one line: what a person would check with paper and pencil. */
const line = (trip: RoundTrip): string =>
  [
    trip.status,
    trip.side,
    trip.quantity,
    `${trip.entryPrice}>${trip.exitPrice ?? ''}`,
    `fees ${trip.fees}`,
    `pnl ${trip.realisedPnl ?? ''}`,
    `${trip.realisedPnlPercent ?? ''}%`,
    `${trip.entryOrder}>${trip.exitOrder ?? ''}`,
  ].join(' ')
const linesOf = (...lines: string[]): string[] => tradesOf(fills(...lines)).trips.map(line)

describe('trades, worked out on paper', () => {
  const PAPER: [name: string, fills: string, trades: string[]][] = [
    [
      'bought and sold whole',
      // 10 * 110 - 10 * 100 = 100, which is 10 % of 1000.
      'BUY 10 @ 100, SELL 10 @ 110',
      ['CLOSED LONG 10 100>110 fees 0 pnl 100 10% o0>o1'],
    ],
    [
      'bought and held: nothing is realised',
      'BUY 10 @ 100 fees 0.5',
      ['OPEN LONG 10 100> fees 0.5 pnl  % o0>'],
    ],
    [
      'sold short and covered dearer, with fees on both sides',
      // 5 * 50 - 5 * 52 = -10; fees 0.30 + 0.20; -10.50 is 4.2 % of 250.
      'SELL 5 @ 50 fees 0.3, BUY 5 @ 52 fees 0.2',
      ['CLOSED SHORT 5 50>52 fees 0.5 pnl -10.5 -4.2% o0>o1'],
    ],
    [
      'one order filled in parts at different prices is one trade at their average',
      // Paid 3 * 100 + 7 * 101 = 1007, 100.7 a share; sold 10 * 102 = 1020; 13 / 1007 = 1.290963...%.
      'BUY 3 @ 100 of a, BUY 7 @ 101 of a, SELL 10 @ 102 of b',
      ['CLOSED LONG 10 100.7>102 fees 0 pnl 13 1.290963% a>b'],
    ],
    [
      'an exit filled in parts is one exit',
      // Got 4 * 105 + 6 * 95 = 990, 99 a share; 990 - 1000 = -10, -1 %.
      'BUY 10 @ 100 of a, SELL 4 @ 105 of b, SELL 6 @ 95 of b',
      ['CLOSED LONG 10 100>99 fees 0 pnl -10 -1% a>b'],
    ],
    [
      'partly closed: the closed part is realised, the rest stays open, and fees go with the shares',
      // The entry cost 1.00 in fees, 0.10 a share: 0.40 go with the 4 sold, 0.60 stay.
      // 4 * 110 - 4 * 100 = 40, less 0.40 and 0.08 = 39.52, which is 9.88 % of 400.
      'BUY 10 @ 100 fees 1 of a, SELL 4 @ 110 fees 0.08 of b',
      ['CLOSED LONG 4 100>110 fees 0.48 pnl 39.52 9.88% a>b', 'OPEN LONG 6 100> fees 0.6 pnl  % a>'],
    ],
    [
      'two entries at different prices, one exit: the first one in is the first one out',
      // The 12 sold at 110 are the 10 bought at 100 (+100, 10 %) and 2 of those at 105 (+10, 10 / 210 = 4.761904...%).
      'BUY 10 @ 100 of a, BUY 10 @ 105 of b, SELL 12 @ 110 of c',
      [
        'CLOSED LONG 10 100>110 fees 0 pnl 100 10% a>c',
        'CLOSED LONG 2 105>110 fees 0 pnl 10 4.761904% b>c',
        'OPEN LONG 8 105> fees 0 pnl  % b>',
      ],
    ],
    [
      'scaled out by three orders: three trades',
      // 3 * (11 - 10) = 3; 3 * (12 - 10) = 6; 4 * (9 - 10) = -4. Together 5 = 33 + 36 + 36 - 100.
      'BUY 10 @ 10 of a, SELL 3 @ 11 of b, SELL 3 @ 12 of c, SELL 4 @ 9 of d',
      [
        'CLOSED LONG 3 10>11 fees 0 pnl 3 10% a>b',
        'CLOSED LONG 3 10>12 fees 0 pnl 6 20% a>c',
        'CLOSED LONG 4 10>9 fees 0 pnl -4 -10% a>d',
      ],
    ],
    [
      'one fill that goes through zero closes the long and opens a short, and its fee is divided',
      // 15 sold for a fee of 0.30: 10 close the long (0.20), 5 open a short (0.10). 10 * (110 - 100) - 0.20 = 99.80.
      'BUY 10 @ 100 of a, SELL 15 @ 110 fees 0.3 of b',
      ['CLOSED LONG 10 100>110 fees 0.2 pnl 99.8 9.98% a>b', 'OPEN SHORT 5 110> fees 0.1 pnl  % b>'],
    ],
    [
      'reversed twice',
      // Long 10 from 100 to 110: +100. Short 5 from 110 to 108: +10, 10 / 550 = 1.818181...%. Then long 5 at 108.
      'BUY 10 @ 100 of a, SELL 15 @ 110 of b, BUY 10 @ 108 of c',
      [
        'CLOSED LONG 10 100>110 fees 0 pnl 100 10% a>b',
        'CLOSED SHORT 5 110>108 fees 0 pnl 10 1.818181% b>c',
        'OPEN LONG 5 108> fees 0 pnl  % c>',
      ],
    ],
    [
      'shorted in two steps and covered in two',
      // Short 4 at 20 and 6 at 22. 5 covered at 19: 4 * (20 - 19) = 4 (5 %) and 1 * (22 - 19) = 3 (13.636363...%).
      // 5 covered at 23: 5 * (22 - 23) = -5, -5 / 110 = -4.545454...%.
      'SELL 4 @ 20 of a, SELL 6 @ 22 of b, BUY 5 @ 19 of c, BUY 5 @ 23 of d',
      [
        'CLOSED SHORT 4 20>19 fees 0 pnl 4 5% a>c',
        'CLOSED SHORT 1 22>19 fees 0 pnl 3 13.636363% b>c',
        'CLOSED SHORT 5 22>23 fees 0 pnl -5 -4.545454% b>d',
      ],
    ],
    [
      'fractions of a share, and a fee that cannot be divided evenly: the parts add up to the charge',
      // 0.01 over 3 thirds: 0.003333333, 0.003333333 and what is left, 0.003333334.
      'BUY 1.5 @ 8 fees 0.01 of a, SELL 0.5 @ 8 of b, SELL 0.5 @ 8 of c',
      [
        'CLOSED LONG 0.5 8>8 fees 0.003333333 pnl -0.003333333 -0.083333% a>b',
        'CLOSED LONG 0.5 8>8 fees 0.003333333 pnl -0.003333333 -0.083333% a>c',
        'OPEN LONG 0.5 8> fees 0.003333334 pnl  % a>',
      ],
    ],
    [
      'opened again after it was flat is another trade',
      // 1 * (12 - 10) = 2; 1 * (11 - 13) = -2, -2 / 13 = -15.384615...%.
      'BUY 1 @ 10, SELL 1 @ 12, BUY 1 @ 13, SELL 1 @ 11',
      ['CLOSED LONG 1 10>12 fees 0 pnl 2 20% o0>o1', 'CLOSED LONG 1 13>11 fees 0 pnl -2 -15.384615% o2>o3'],
    ],
    [
      'an entry that fills on while its exit works already',
      // 5 bought at 10 and sold at 11 (+5, 10 %), then 5 more of the same order at 10, sold at 12 (+10, 20 %).
      'BUY 5 @ 10 of a, SELL 5 @ 11 of b, BUY 5 @ 10 of a, SELL 5 @ 12 of c',
      ['CLOSED LONG 5 10>11 fees 0 pnl 5 10% a>b', 'CLOSED LONG 5 10>12 fees 0 pnl 10 20% a>c'],
    ],
    [
      'got for nothing has no percentage',
      'BUY 1 @ 0, SELL 1 @ 2',
      ['CLOSED LONG 1 0>2 fees 0 pnl 2 % o0>o1'],
    ],
  ]
  for (const [name, given, trades] of PAPER)
    it(name, () => assert.deepEqual(linesOf(...given.split(', ')), trades))

  it('the fees of closing differ from those of opening', () => {
    const { trips } = tradesOf(
      fills('BUY 10 @ 100 fees 1 of a', 'SELL 4 @ 110 fees 0.08 of b', 'SELL 15 @ 110 fees 0.3 of c'),
    )
    // Of the 15 sold 6 close: 6 / 15 of 0.30.
    assert.deepEqual(
      trips.map(({ exitFees }) => exitFees),
      ['0.08', '0.12', '0'],
    )
  })

  it('shares held before the account was followed are closed first, at the cost that the broker said', () => {
    const held = fillAt(0, { brokerOrderId: null, quantity: '2', price: '90' })
    const [bought, sold] = fills('BUY 0 @ 0', 'BUY 1 @ 100 of a', 'SELL 3 @ 100 of b').slice(1) as [
      AttributedFill,
      AttributedFill,
    ]
    // 2 * (100 - 90) = 20, 20 / 180 = 11.111111...%.
    assert.deepEqual(tradesOf([held, bought, sold]).trips.map(line), [
      'CLOSED LONG 2 90>100 fees 0 pnl 20 11.111111% null>b',
      'CLOSED LONG 1 100>100 fees 0 pnl 0 0% a>b',
    ])
  })

  it('trades of several signals: each order closes the shares that are its own, and of others in the order of their owners', () => {
    const [a, b] = ['a', 'b'].map((signalId): ShareOrigin => ({ role: 'entry', signalId })) as [
      ShareOrigin,
      ShareOrigin,
    ]
    const origins: ShareOrigin[] = [
      a,
      b,
      { role: 'stranger' },
      { role: 'exit', signalId: 'b' },
      { role: 'person', reservedLots: [{ owner: 'a', quantity: '2' }] },
    ]
    const all = fills('BUY 5 @ 10', 'BUY 20 @ 11', 'BUY 4 @ 12', 'SELL 20 @ 13', 'SELL 6 @ 14')
    const { trips } = tradesOf(all.map((fill, index) => ({ ...fill, origin: origins[index]! })))
    // The exit sells the 20 of b: 20 * 2 = 40. By hand 2 of a that were set apart (2 * 4 = 8) and 4 that are nobody's (4 * 2 = 8).
    assert.deepEqual(
      trips.map((trip) => `${trip.owner ?? 'nobody'}: ${line(trip)}`),
      [
        'a: CLOSED LONG 2 10>14 fees 0 pnl 8 40% o0>o4',
        'a: OPEN LONG 3 10> fees 0 pnl  % o0>',
        'b: CLOSED LONG 20 11>13 fees 0 pnl 40 18.181818% o1>o3',
        'nobody: CLOSED LONG 4 12>14 fees 0 pnl 8 16.666666% o2>o4',
      ],
    )
  })
})

describe('the name of a trade', () => {
  const keysOf = (...lines: string[]) =>
    tradesOf(fills(...lines)).trips.map(({ key, status }) => [key, status])

  it('stays the same when it is closed', () => {
    assert.deepEqual(keysOf('BUY 2 @ 1 of a'), [['x0', 'OPEN']])
    assert.deepEqual(keysOf('BUY 2 @ 1 of a', 'SELL 2 @ 1 of b'), [['x0', 'CLOSED']])
  })

  it('stays with the rest when a part is closed, to the last share', () => {
    const partly = ['BUY 2 @ 1 of a', 'SELL 1 @ 1 of b']
    assert.deepEqual(keysOf(...partly), [
      ['x0/b', 'CLOSED'],
      ['x0', 'OPEN'],
    ])
    assert.deepEqual(keysOf(...partly, 'SELL 1 @ 1 of c'), [
      ['x0/b', 'CLOSED'],
      ['x0', 'CLOSED'],
    ])
  })
})

describe('where one may begin another time', () => {
  it('the checkpoint of a calculation of trades is after the fills that made the account flat', () => {
    const { checkpoints } = tradesOf(
      fills('BUY 2 @ 1', 'SELL 2 @ 1', 'SELL 1 @ 1', 'BUY 2 @ 1', 'SELL 1 @ 1'),
    )
    assert.deepEqual(
      [...checkpoints],
      [
        ['x1', { openings: [], lots: [] }],
        ['x4', { openings: [], lots: [] }],
      ],
    )
  })

  it('the checkpoint of a calculation of trades is now and then while something is held', () => {
    const all = fills(
      ...Array.from({ length: 120 }, (_, index) => (index % 2 === 0 ? 'BUY 3 @ 1' : 'SELL 2 @ 1')),
    )
    assert.deepEqual([...tradesOf(all).checkpoints.keys()], ['x49', 'x99'])
  })

  it('the checkpoint of a calculation of trades is nowhere where very much is held', () => {
    const all = fills(...Array.from({ length: 300 }, () => 'BUY 1 @ 1'))
    assert.deepEqual([...tradesOf(all).checkpoints.keys()], ['x49', 'x99', 'x149', 'x199'])
  })

  it('the checkpoint of a calculation of trades is not where the next fill is of the same instant', () => {
    const [bought, sold, again] = fills('BUY 1 @ 1', 'SELL 1 @ 1', 'BUY 1 @ 1') as [
      AttributedFill,
      AttributedFill,
      AttributedFill,
    ]
    assert.equal(tradesOf([bought, sold, { ...again, at: sold.at }]).checkpoints.size, 0)
  })
})

describe('trades of any fills', () => {
  const cents = fc.integer({ min: 1, max: 20_000 }).map((value) => (value / 100).toFixed(2) as Decimal)
  const shares = fc.oneof(
    fc.integer({ min: 1, max: 20 }).map((some): Decimal => `${some}`),
    fc.integer({ min: 1, max: 20_000 }).map((value) => (value / 1_000).toFixed(3) as Decimal),
  )
  const fees = fc.oneof(
    fc.constant<Decimal>('0'),
    fc.integer({ min: 0, max: 300 }).map((value) => (value / 100).toFixed(2) as Decimal),
  )
  const rawFill = fc.record({
    side: fc.constantFrom<Fill['side'][]>('BUY', 'SELL'),
    quantity: shares,
    price: cents,
    fees,
    order: fc.integer({ min: 0, max: 5 }),
    // Several within one instant.
    second: fc.integer({ min: 0, max: 6 }),
  })
  const origins: ShareOrigin[] = [
    { role: 'entry', signalId: 'a' },
    { role: 'entry', signalId: 'b' },
    { role: 'exit', signalId: 'a' },
    { role: 'exit', signalId: 'b' },
    { role: 'close', reservedLots: [] },
    { role: 'stranger' },
  ]
  const anyFills = fc.array(rawFill, { minLength: 1, maxLength: 9 }).map((raw): AttributedFill[] => {
    const filled = new Map<string, Decimal>()
    return raw
      .toSorted((a, b) => a.second - b.second)
      .map(({ side, quantity, price, fees: charged, order, second }, index) => {
        const brokerOrderId = `${side}-${order}`
        const orderFilled = add(filled.get(brokerOrderId) ?? '0', quantity)
        filled.set(brokerOrderId, orderFilled)
        return fillAt(second, {
          executionId: `x${index}`,
          brokerOrderId,
          side,
          quantity,
          price,
          fees: charged,
          orderFilled,
          origin: origins[order]!,
        })
      })
  })
  const RUNS = { numRuns: cases(10_000, 400) }
  const sum = (values: readonly Decimal[]): Decimal => values.reduce(add, '0')
  const signed = ({ side, quantity }: { side: string; quantity: Decimal }): Decimal =>
    side === 'BUY' || side === 'LONG' ? quantity : negate(quantity)

  it('realised and unrealised profit together are the change of cash and of held value', function () {
    this.timeout(180_000)
    fc.assert(
      fc.property(anyFills, cents, (all, price) => {
        const { trips } = tradesOf(all)
        const cash = sum(all.map((fill) => negate(add(multiply(signed(fill), fill.price), fill.fees))))
        const held = multiply(sum(all.map(signed)), price)
        const profits = trips.map(
          (trip) =>
            trip.realisedPnl ?? profit(trip.side, { ...trip, exitValue: multiply(trip.quantity, price) }),
        )
        assert.equal(sum(profits), add(cash, held))
      }),
      RUNS,
    )
  })

  it('every share bought or sold is in them once for its entry or its exit, and so is every fee', function () {
    this.timeout(180_000)
    fc.assert(
      fc.property(anyFills, (all) => {
        const { trips } = tradesOf(all)
        const open = trips.filter(({ status }) => status === 'OPEN')
        const closed = trips.filter(({ status }) => status === 'CLOSED')
        const traded = sum(all.map(({ quantity }) => quantity))
        const counted = add(
          multiply('2', sum(closed.map(({ quantity }) => quantity))),
          sum(open.map(({ quantity }) => quantity)),
        )
        assert.equal(counted, traded)
        assert.equal(sum(open.map(signed)), sum(all.map(signed)))
        assert.equal(sum(trips.map((trip) => trip.fees)), sum(all.map((fill) => fill.fees)))
        assert.ok(open.every(({ side }) => side === open[0]!.side))
        assert.equal(new Set(trips.map(({ key }) => key)).size, trips.length)
        for (const { entryAt, exitAt, quantity } of trips) {
          assert.ok(exitAt === null || exitAt >= entryAt)
          assert.ok(compare(quantity, '0') > 0)
        }
      }),
      RUNS,
    )
  })

  it('trades of any fills are the same in any order of arrival of the fills, and when some arrive twice', function () {
    this.timeout(180_000)
    fc.assert(
      fc.property(
        anyFills.chain((all) =>
          fc.record({
            all: fc.constant(all),
            arrived: fc.shuffledSubarray(all, { minLength: all.length }),
            again: fc.subarray(all),
          }),
        ),
        ({ all, arrived, again }) => {
          assert.deepEqual(tradesOf([...arrived, ...again]), tradesOf(all))
        },
      ),
      RUNS,
    )
  })

  it('trades of any fills are the same however one fill is split into two, to the last digit of a fee', function () {
    this.timeout(180_000)
    fc.assert(
      fc.property(anyFills, fc.nat(), fc.integer({ min: 1, max: 999 }), (all, which, permille) => {
        const index = which % all.length
        const whole = all[index]!
        const part = multiply(whole.quantity, decimal(`0.${String(permille).padStart(3, '0')}`))
        const fee = multiply(whole.fees, decimal(`0.${String(permille).padStart(3, '0')}`))
        const first = {
          ...whole,
          quantity: part,
          fees: fee,
          orderFilled: subtract(whole.orderFilled, subtract(whole.quantity, part)),
        }
        const second = {
          ...whole,
          executionId: `${whole.executionId}b`,
          quantity: subtract(whole.quantity, part),
          fees: subtract(whole.fees, fee),
        }
        const split = [...all.slice(0, index), first, second, ...all.slice(index + 1)]
        const [one, two] = [tradesOf(all).trips, tradesOf(split).trips]
        assert.equal(two.length, one.length)
        // A trade is named after an execution, of which there is another one now.
        const told = ({ key: _, fees, exitFees, realisedPnl, realisedPnlPercent, ...trip }: RoundTrip) => trip
        for (const [at, trip] of one.entries()) {
          assert.deepEqual(told(two[at]!), told(trip))
          assert.ok(compare(magnitude(subtract(two[at]!.fees, trip.fees)), '0.0000001') < 0)
        }
      }),
      RUNS,
    )
  })

  it('trades of any fills can be gone through again from any checkpoint, kept as text', function () {
    this.timeout(180_000)
    fc.assert(
      fc.property(anyFills, fc.integer({ min: 1, max: 4 }), (all, every) => {
        const { trips, checkpoints } = tradesOf(all, undefined, every)
        assert.deepEqual(tradesOf(all).trips, trips)
        for (const [executionId, checkpoint] of checkpoints) {
          const { at } = all.find((fill) => fill.executionId === executionId)!
          const kept = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint
          const before = tradesOf(all.filter((fill) => fill.at <= at)).trips
          const again = tradesOf(
            all.filter((fill) => fill.at > at),
            kept,
            every,
          )
          assert.deepEqual(kept, JSON.parse(JSON.stringify(checkpoint)))
          // What was written before and may change is named by the checkpoint or of a later instant; the rest stays.
          const changing = new Set(keysIn(checkpoint))
          const staying = before.filter(({ key }) => !changing.has(key))
          assert.deepEqual(byKey([...staying, ...again.trips]), byKey(trips))
          const isLater = ({ entryAt, exitAt }: RoundTrip) => entryAt > at || (exitAt ?? at) > at
          assert.ok(staying.every((trip) => trip.status === 'CLOSED' && !isLater(trip)))
          assert.ok(again.trips.every((trip) => changing.has(trip.key) || isLater(trip)))
          const later = [...checkpoints].filter(
            ([id]) => all.find((fill) => fill.executionId === id)!.at > at,
          )
          assert.deepEqual([...again.checkpoints], later)
        }
      }),
      { numRuns: cases(10_000, 200) },
    )
  })
  const byKey = (trips: readonly RoundTrip[]) => trips.toSorted((a, b) => (a.key < b.key ? -1 : 1))
})
