import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import type { SizedExit } from '#activities/contract.ts'
import { SessionCalendar } from '#activities/session-calendar.ts'
import { sizeExit, type KeptExit } from '#activities/exit/size.ts'
import { BrokerOutcomeUnknown, type BrokerPosition } from '#brokers/port.ts'
import type { ChosenSize, ExitStanding } from '#domain/chosen-size.ts'
import type { Decimal } from '#domain/decimal.ts'
import { EXIT_AT_MARKET, type ExitFor, type ExitRule, type ExitTerms } from '#domain/exit.ts'
import type { ActiveHalt } from '#domain/halt.ts'
import type { OrderRequest } from '#domain/order.ts'
import { PositionShares, type OwnedShares } from '#domain/ownership.ts'
import type { LiveOrder, SymbolBook } from '#domain/symbol-book.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce, reportOf } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

const NOW = Date.parse('2026-03-02T15:00:00.000Z')
const instant = (ago: number): string => new Date(NOW - ago).toISOString()

const AT_ANY_TIME = [
  { date: '2026-03-02', opensAt: '2026-03-02T00:00:00.000Z', closesAt: '2026-03-03T00:00:00.000Z' },
]

const lots = (...shares: [owner: string | null, quantity: Decimal][]): OwnedShares[] =>
  shares.map(([owner, quantity]) => ({ owner, quantity }))

/** A resting manual order to sell ten at 120, unless told otherwise. */
const liveOrder = (changes: Partial<LiveOrder> = {}): LiveOrder => ({
  clientOrderId: 'rival',
  brokerOrderId: 'broker-rival',
  signalId: null,
  role: 'manual',
  symbol: 'AAPL',
  side: 'SELL',
  open: '10',
  orderType: 'limit',
  limitPrice: '120',
  stopPrice: null,
  timeInForce: 'gtc',
  knownAt: instant(3_600_000),
  takes: [],
  ...changes,
})

/** The first exit of the signal "own", of ten shares. */
const OWN_ORDER: OrderRequest = {
  clientOrderId: 'own-x1',
  symbol: 'AAPL',
  side: 'SELL',
  quantity: '10',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  extendedHours: false,
}

/** An exit that its owner was not asked about. */
const UNASKED: ExitStanding = { dueAt: null, isListed: true, choice: null, soldSince: '0' }

interface Case {
  side?: 'SELL' | 'BUY_TO_COVER'
  /** What the ledger knows; the signal "own" holds ten long ones unless told otherwise. */
  shares?: OwnedShares[]
  shareSide?: 'LONG' | 'SHORT'
  live?: LiveOrder[]
  unattributed?: SymbolBook['unattributed']
  yielding?: SymbolBook['yielding']
  /** When the newest fill became known, in milliseconds before now. */
  changedAgo?: number
  position?: BrokerPosition | null
  rule?: ExitTerms
  /** Of a signal with an exit plan. */
  isFor?: ExitFor
  failures?: number
  /** Null while the broker gives no calendar. */
  sessions?: typeof AT_ANY_TIME | null
  /** Milliseconds by which the broker's clock is ahead. */
  clockOffset?: number
  now?: number
  generation?: number
  kept?: Map<string, KeptExit>
  broker?: ScriptedBroker
  halt?: ActiveHalt | null
  standing?: ExitStanding
  filledQuantity?: Decimal
  opposed?: boolean
  wholeFirst?: boolean
  /** Where shares are noted that were booked with the size. */
  booked?: string[]
  /** What becomes of orders that are to give way. */
  cancelBlocking?: (orders: readonly LiveOrder[], book: SymbolBook) => SymbolBook
}

/** The size of an exit of ten filled shares of the signal "own". */
function size({
  side = 'SELL',
  shares = lots(['own', '10']),
  shareSide = 'LONG',
  live = [],
  unattributed = [],
  yielding = [],
  changedAgo = 60_000,
  position = held('10', 'LONG'),
  rule = exitAtOnce,
  isFor,
  failures = 0,
  sessions = AT_ANY_TIME,
  now = NOW,
  clockOffset = 0,
  generation = 1,
  kept = new Map<string, KeptExit>(),
  broker = new ScriptedBroker(),
  halt = null,
  standing = UNASKED,
  filledQuantity = '10',
  opposed = false,
  wholeFirst = false,
  booked = [],
  cancelBlocking,
}: Case = {}): Promise<SizedExit> {
  broker.positions = position ? [position] : []
  let book: SymbolBook = {
    asOf: instant(0),
    shares: new PositionShares(shareSide, shares),
    changedAt: instant(changedAgo),
    live,
    unattributed,
    yielding,
  }
  const listSessions = async () => {
    if (sessions === null) throw new BrokerOutcomeUnknown('no calendar')
    return sessions
  }
  const brokerFor = async () => Object.assign(broker, { listSessions })
  return sizeExit(
    {
      readDecision: async (_, key) => kept.get(key) ?? null,
      decideUnderLock: (_, __, decide) =>
        decide(book, async (___, key, sized, beyond) => {
          if (beyond !== undefined) booked.push(beyond)
          if (!kept.has(key)) kept.set(key, sized)
          return kept.get(key)!
        }),
      brokerFor,
      haltOf: async () => halt,
      standingOf: async () => standing,
      assertGivenWay: async () => {},
      cancelBlockingOrders: async (_, closer, orders) => {
        if (!cancelBlocking)
          throw ApplicationFailure.create({ message: `${closer} waits`, type: 'OutcomeUnknown' })
        book = cancelBlocking(orders, book)
      },
      calendar: new SessionCalendar(brokerFor, () => now),
      clocks: { offsetOf: async () => clockOffset },
      zoneOf: async () => 'America/New_York',
      now: () => now,
    },
    {
      signalId: 'own',
      generation,
      accountId: 'account',
      symbol: 'AAPL',
      side,
      filledQuantity,
      coveredQuantity: '0',
      rule,
      ...(isFor && { isFor }),
      failures,
      ...(opposed && { opposed }),
      ...(wholeFirst && { wholeFirst }),
    },
  )
}

const of = (quantity: Decimal, changes: object = {}) => ({
  quantity,
  coversQuantity: '10' as const,
  notBefore: null,
  ...changes,
})

const isUnsettled = (error: unknown): boolean => {
  assert.ok(error instanceof ApplicationFailure)
  assert.deepEqual([error.type, error.nonRetryable ?? false], ['OutcomeUnknown', false])
  return true
}

async function obstacleOf(sizing: Promise<SizedExit>): Promise<string> {
  const sized = await sizing
  assert.ok('obstacle' in sized, JSON.stringify(sized))
  return sized.obstacle
}

/** For exits that leave other orders alone. */
const cancelled = (orders: readonly LiveOrder[]): never =>
  assert.fail(`cancelled ${orders.map(({ clientOrderId }) => clientOrderId).join()}`)

describe('the size of an exit', () => {
  const table: [name: string, world: Case, quantity: Decimal][] = [
    ['what was filled, when that is held', {}, '10'],
    [
      'what is the signal’s own, when others hold shares too',
      { shares: lots(['other', '10'], ['own', '10'], [null, '5']), position: held('25', 'LONG') },
      '10',
    ],
    ['what a close has left of its own', { shares: lots(['own', '4']), position: held('4', 'LONG') }, '4'],
    [
      'nothing, when a close took its shares and another signal has bought since',
      { shares: lots(['other', '10']), position: held('10', 'LONG') },
      '0',
    ],
    [
      'a fraction, when a fraction is left',
      { shares: lots(['own', '0.5']), position: held('0.5', 'LONG') },
      '0.5',
    ],
    ['nothing, when the position was closed', { shares: [], position: null }, '0'],
    [
      'nothing, when the position was turned around',
      { shares: lots([null, '10']), shareSide: 'SHORT', position: held('10', 'SHORT') },
      '0',
    ],
    [
      'what was filled, of a short position',
      { side: 'BUY_TO_COVER', shareSide: 'SHORT', position: held('10', 'SHORT') },
      '10',
    ],
    [
      'nothing, when its signal is on the other side',
      { shares: lots(['own', '10']), shareSide: 'SHORT', position: held('10', 'SHORT') },
      '0',
    ],
    [
      'what this exit is for, when the signal has filled further',
      { shares: lots(['own', '14']), position: held('14', 'LONG') },
      '10',
    ],
    [
      'its own, when the broker shows a dividend beside it that was reinvested',
      { position: held('10.034', 'LONG') },
      '10',
    ],
    [
      'its own, when an order of ours may have bought what the broker shows beyond the fills',
      {
        position: held('25', 'LONG'),
        live: [liveOrder({ role: 'entry', signalId: 'other', side: 'BUY', open: '15', brokerOrderId: null })],
      },
      '10',
    ],
    [
      'its own, when more is shown right after a fill, which the broker may not show yet',
      { position: held('25', 'LONG'), changedAgo: 4_999 },
      '10',
    ],
    [
      'its own, when more is shown before the executions of the account have been read',
      { position: held('25', 'LONG'), standing: { ...UNASKED, isListed: false } },
      '10',
    ],
  ]
  for (const [name, world, quantity] of table)
    it(`the size of an exit is ${name}`, async () => {
      assert.deepEqual(await size(world), of(quantity))
    })

  describe('of parts of a share, for the closing auction', () => {
    const moc = { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } as const
    const three = { shares: lots(['own', '3.33']), position: held('3.33', 'LONG'), rule: moc }

    it('the size of an exit of parts of a share, for the closing auction is that of the part first, at market, and leaves the whole shares to the next exit', async () => {
      assert.deepEqual(await size(three), {
        quantity: '0.33',
        coversQuantity: '7',
        notBefore: null,
        isFraction: true,
      })
    })

    it('the size of an exit of parts of a share, for the closing auction is that of the whole shares once the part is sold', async () => {
      const rest = { ...three, shares: lots(['own', '3']), position: held('3', 'LONG'), generation: 2 }
      assert.deepEqual(await size(rest), { quantity: '3', coversQuantity: '10', notBefore: null })
    })

    it('the size of an exit of parts of a share, for the closing auction is that of the whole shares first, once the broker has not sold the part', async () => {
      assert.deepEqual(await size({ ...three, wholeFirst: true }), {
        quantity: '3',
        coversQuantity: '9.67',
        notBefore: null,
      })
    })

    it('leaves the whole shares to the next exit, when a ledger that was set back finds the part at the broker', async () => {
      const broker = new ScriptedBroker()
      broker.accept({ ...OWN_ORDER, quantity: '0.33' })
      const kept = new Map<string, KeptExit>()
      const rest: Case = {
        ...three,
        shares: lots(['own', '3']),
        position: held('3', 'LONG'),
        filledQuantity: '3.33',
      }
      const found = { quantity: '0.33', coversQuantity: '0.33', notBefore: null, isFraction: true }
      assert.deepEqual(await size({ ...rest, broker, kept }), found)
      const next = await size({ ...rest, broker, kept, filledQuantity: '3', generation: 2 })
      assert.deepEqual(next, { quantity: '3', coversQuantity: '3', notBefore: null })
    })

    it('the size of an exit of parts of a share, for the closing auction is all of them at once for an exit of the session', async () => {
      const { quantity } = await size({ ...three, rule: exitAtOnce })
      assert.equal(quantity, '3.33')
    })
  })

  it('the size of an exit is not decided while the broker may not show a fill yet', async () => {
    for (const position of [null, held('4', 'LONG')])
      await assert.rejects(size({ position, changedAgo: 4_999 }), isUnsettled)
  })

  it('the size of an exit is not decided by one answer of the broker that lacks shares: that is told, and asked again', async () => {
    assert.match(await obstacleOf(size({ position: null })), /shows nothing of AAPL where LONG 10 are held/)
    assert.match(await obstacleOf(size({ position: held('4', 'LONG') })), /shows LONG 4 of AAPL/)
  })

  it('the size of an exit is not decided while the broker lacks shares that another exit, sent just now, may have sold', async () => {
    const exit = liveOrder({
      role: 'exit',
      signalId: 'other',
      orderType: 'market',
      timeInForce: 'day',
      takes: lots(['other', '10']),
      knownAt: instant(9_000),
    })
    const sold: Case = { shares: lots(['other', '10'], ['own', '10']), position: held('10', 'LONG') }
    const unknown = { ...exit, brokerOrderId: null, knownAt: null }
    for (const live of [[exit], [{ ...unknown, sizedAt: instant(9_000) }]])
      await assert.rejects(size({ ...sold, live }), (error: Error) => {
        assert.match(
          error.message,
          /shows LONG 10 .* LONG 20 are held by the fills; SELL .* may have traded$/,
        )
        return isUnsettled(error)
      })
    for (const live of [
      [{ ...exit, open: '9' as const }],
      [{ ...exit, knownAt: instant(11_000) }],
      [{ ...unknown, sizedAt: instant(11_000) }],
      [unknown],
      [{ ...exit, signalId: 'own' }],
      [{ ...exit, role: 'entry' as const }],
      [],
    ])
      assert.match(await obstacleOf(size({ ...sold, live })), /shows LONG 10 of AAPL where LONG 20 are held/)
  })

  it('the size of an exit is the held quantity when the broker goes on to show less, and sells no shares beyond it', async () => {
    assert.deepEqual(await size({ position: held('4', 'LONG'), failures: 1 }), of('4'))
    for (const position of [null, held('10', 'SHORT')]) await obstacleOf(size({ position, failures: 7 }))
  })

  it('the size of an exit is not decided while a trade of which the ledger does not know yet gives its shares to another order', async () => {
    // The broker has closed ten long shares and sold five short; of the close the ledger does not know yet.
    const sold: Case = { side: 'BUY_TO_COVER', position: held('10', 'SHORT') }
    const close = liveOrder({
      role: 'entry',
      signalId: 'closer',
      orderType: 'market',
      takes: lots(['other', '10']),
    })
    for (const known of [lots(['other', '5']), []]) {
      await assert.rejects(size({ ...sold, shares: known, changedAgo: 4_999 }), isUnsettled)
      assert.match(
        await obstacleOf(size({ ...sold, shares: known })),
        /shows SHORT 10 of AAPL where (LONG 5 are|nothing is) held by the fills/,
      )
      await obstacleOf(size({ ...sold, shares: known, live: [close], failures: 7 }))
    }
    const partly: Case = { ...sold, shareSide: 'SHORT', shares: lots(['own', '4']) }
    await assert.rejects(size({ ...partly, changedAgo: 4_999 }), isUnsettled)
    assert.match(await obstacleOf(size(partly)), /shows SHORT 10 of AAPL where SHORT 4 are held/)
  })

  it('the size of an exit is not decided while an order of ours that is not recorded yet may have sold its shares', async () => {
    const unrecorded = liveOrder({
      role: 'exit',
      signalId: 'other',
      orderType: 'market',
      brokerOrderId: null,
    })
    const sold: Case = {
      shares: lots(['other', '10']),
      position: held('10', 'LONG'),
      unattributed: ['SELL'],
      live: [unrecorded],
    }
    await assert.rejects(size({ ...sold, changedAgo: 4_999 }), isUnsettled)
    assert.match(
      await obstacleOf(size(sold)),
      /^SELL 10 AAPL .*\(rival\) may have traded, and is not recorded/,
    )
    assert.deepEqual(await size({ ...sold, live: [{ ...unrecorded, brokerOrderId: 'known' }] }), of('0'))
    assert.deepEqual(await size({ ...sold, live: [{ ...unrecorded, side: 'BUY' }] }), of('0'))
    assert.deepEqual(await size({ ...sold, live: [{ ...unrecorded, signalId: 'own' }] }), of('0'))
    assert.deepEqual(await size({ ...sold, unattributed: [] }), of('0'))
  })

  const resting = (changes: Partial<LiveOrder>) => liveOrder({ role: 'entry', signalId: 'other', ...changes })
  for (const { side, shareSide, closing, opening } of [
    { side: 'SELL', shareSide: 'LONG', closing: 'SELL', opening: 'BUY' },
    { side: 'BUY_TO_COVER', shareSide: 'SHORT', closing: 'BUY_TO_COVER', opening: 'SELL_SHORT' },
  ] as const) {
    /** Others have taken four of the ten shares, and the broker shows another number than are left. */
    const partly = (shown: Decimal, live: LiveOrder[]): Case => ({
      side,
      shareSide,
      shares: lots(['own', '6']),
      position: held(shown, shareSide),
      failures: 7,
      live,
    })

    it(`the size of an exit of a ${shareSide} position of which others have taken a part is not kept out by orders that cannot explain that the broker differs`, async () => {
      assert.deepEqual(await size(partly('5', [])), of('5'))
      const farAway = side === 'SELL' ? '60' : '140'
      const live = [resting({ side: opening, limitPrice: farAway })]
      const { quantity, coversQuantity } = await size(partly('5', live))
      assert.deepEqual([quantity, coversQuantity], ['5', '10'])
      assert.deepEqual(await size(partly('6.5', [resting({ side: closing })])), of('6'))
    })

    it(`the size of an exit of a ${shareSide} position of which others have taken a part waits for orders that may explain it, and names them`, async () => {
      for (const [shown, order] of [
        ['5', resting({ side: closing })],
        ['7', resting({ side: opening })],
        ['5', resting({ side: closing, brokerOrderId: null, knownAt: null, orderType: 'market' })],
      ] as const)
        assert.match(await obstacleOf(size(partly(shown, [order]))), /\(rival\) may have traded$/)
    })
  }

  it('the size of an exit is the quantity of the ledger when the broker goes on to differ and no order of ours explains it', async () => {
    const closed: Case = { shares: lots(['other', '10']), position: held('25', 'LONG') }
    assert.deepEqual(await size({ ...closed, failures: 1 }), of('0'))
  })

  it('nothing while everything is stopped, and not while anything less is', async () => {
    const halt = { level: 'fullStop', scope: 'account', reason: 'drill' } as const
    await assert.rejects(size({ halt }), { type: 'Halted', message: /Trading is stopped.*drill/ })
    assert.deepEqual(await size({ halt: { ...halt, level: 'reduceOnly' } }), of('10'))
  })

  it('nothing under a number that was given up, and anew under the next one', async () => {
    const kept = new Map<string, KeptExit>([['exit-1', { ...of('10'), stopped: true }]])
    assert.deepEqual(await size({ kept }), {
      quantity: null,
      coversQuantity: null,
      notBefore: null,
      givenUp: true,
    })
    assert.deepEqual(await size({ kept, generation: 2 }), of('10'))
  })

  it('the size of an exit is kept with what the exit leaves open, where other orders hold a part of the shares', async () => {
    const kept = new Map<string, KeptExit>()
    const position = held('10', 'LONG', { availableQuantity: '4' })
    assert.deepEqual(await size({ kept, position }), of('4', { coversQuantity: '4' }))
    assert.equal(kept.get('exit-1')?.leaves, '6')
    await size({ kept, generation: 2 })
    assert.equal(kept.get('exit-2')?.leaves, undefined)
  })

  it('the size of an exit is kept with the price of the market, which the workflow needs not, where the broker tells it', async () => {
    const kept = new Map<string, KeptExit>()
    const position = held('10', 'LONG', { currentPrice: '101.5', dayChange: '0.5' })
    assert.deepEqual(await size({ kept, position }), of('10'))
    await size({ kept, generation: 2 })
    // Sent before, at another price.
    const broker = new ScriptedBroker()
    broker.accept({ ...OWN_ORDER, clientOrderId: 'own-x3' })
    await size({ kept, broker, position, shares: [], generation: 3 })
    assert.deepEqual(
      [1, 2, 3].map((generation) => kept.get(`exit-${generation}`)?.price),
      ['101.5', undefined, undefined],
    )
  })

  it('the size of an exit is the first answer whenever it is asked for again, though the exit itself has moved the position', async () => {
    const kept = new Map<string, KeptExit>()
    await size({ kept })
    assert.deepEqual(await size({ kept, position: null, shares: [] }), of('10'))
    assert.deepEqual(await size({ kept, position: null }), of('10'))
    assert.deepEqual(
      await size({ kept, shares: lots(['own', '3']), position: held('3', 'LONG'), generation: 2 }),
      of('3'),
    )
  })

  it('the size of an exit is that of its order at the broker, which a ledger that was set back does not know, whatever that order has sold', async () => {
    const broker = new ScriptedBroker()
    broker.accept(OWN_ORDER)
    for (const left of ['0', '4'] as const) {
      const kept = new Map<string, KeptExit>()
      const rest =
        left === '0'
          ? { shares: [], position: null }
          : { shares: lots(['own', left]), position: held(left, 'LONG') }
      assert.deepEqual(await size({ kept, broker, ...rest }), of('10'))
      assert.equal(kept.get('exit-1')?.quantity, '10')
    }
  })

  it('the size of an exit is not kept in by a calendar that cannot be had, while the clock of the broker says that it is taken', async () => {
    const broker = (isOpen: boolean, nextClose: string) =>
      Object.assign(new ScriptedBroker(), {
        getClock: async () => ({ now: instant(0), isOpen, nextOpen: instant(-72_000_000), nextClose }),
      })
    const [soon, late] = [instant(-300_000), instant(-3_600_000)]
    const moc = { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } as const
    assert.deepEqual(await size({ sessions: null, broker: broker(true, soon) }), of('10'))
    assert.deepEqual(await size({ sessions: null, broker: broker(true, late), rule: moc }), of('10'))
    await assert.rejects(
      size({ sessions: null, broker: broker(true, soon), rule: moc }),
      BrokerOutcomeUnknown,
    )
    await assert.rejects(size({ sessions: null, broker: broker(false, late) }), BrokerOutcomeUnknown)
  })

  it('waits for the next session when the exchange is closed by now', async () => {
    const sessions = [
      { date: '2026-03-02', opensAt: '2026-03-02T14:30:00.000Z', closesAt: '2026-03-02T14:59:30.000Z' },
      { date: '2026-03-03', opensAt: '2026-03-03T14:30:00.000Z', closesAt: '2026-03-03T21:00:00.000Z' },
    ]
    const kept = new Map<string, SizedExit>()
    const closed = await size({ sessions, kept })
    assert.deepEqual(closed, { quantity: null, coversQuantity: null, notBefore: '2026-03-03T14:30:00.000Z' })
    assert.deepEqual(await size({ sessions, kept, now: NOW + 24 * 3_600_000 }), of('10'))
  })
})

describe('the size of the order of an exit plan', () => {
  const stop: ExitTerms = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' }
  const plan = { isFor: 'plan', rule: stop } as const
  const closed = [
    { date: '2026-03-02', opensAt: '2026-03-02T14:30:00.000Z', closesAt: '2026-03-02T14:59:30.000Z' },
    { date: '2026-03-03', opensAt: '2026-03-03T14:30:00.000Z', closesAt: '2026-03-03T21:00:00.000Z' },
  ]

  it('waits for no session where it is good till cancelled, and for the next one where it is good for the day', async () => {
    assert.deepEqual(await size({ ...plan, sessions: closed }), of('10'))
    const day = await size({ ...plan, rule: { ...stop, timeInForce: 'day' }, sessions: closed })
    assert.deepEqual(day, { quantity: null, coversQuantity: null, notBefore: '2026-03-03T14:30:00.000Z' })
  })

  it('leaves to the resting order of a person what that closes, and is for the rest', async () => {
    const rival = liveOrder({ open: '4', takes: lots(['own', '4']) })
    const position = held('10', 'LONG', { availableQuantity: '6' })
    const yielding = [{ signalId: 'own', closer: 'rival' }]
    const sized = await size({ ...plan, live: [rival], yielding, position, cancelBlocking: cancelled })
    assert.deepEqual(sized, { quantity: '6', coversQuantity: '6', notBefore: null })
  })

  it('the size of the order of an exit plan is of whole shares where it is good till cancelled and others hold parts of one', async () => {
    const position = held('10', 'LONG', { availableQuantity: '3.5' })
    assert.deepEqual(await size({ ...plan, position }), {
      quantity: '3',
      coversQuantity: '3',
      notBefore: null,
    })
  })

  it('the size of the order of an exit plan is kept with its terms: asked again for something else, it is the order that was decided first', async () => {
    const kept = new Map<string, KeptExit>()
    assert.deepEqual(await size({ ...plan, kept }), of('10'))
    assert.deepEqual(await size({ ...plan, kept }), of('10'))
    const again = await size({ isFor: 'stop', rule: EXIT_AT_MARKET, kept })
    assert.deepEqual(again, of('10', { order: { isFor: 'plan', terms: stop } }))
  })

  it('the size of the order of an exit plan is that of its order at the broker, whatever that is for, where a ledger that was set back knows of none', async () => {
    const broker = new ScriptedBroker()
    broker.accept({ ...OWN_ORDER, clientOrderId: 'own-t1', orderType: 'limit', limitPrice: '110' })
    const sized = await size({ ...plan, broker, shares: [], position: null })
    assert.ok('order' in sized)
    assert.equal(sized.order?.isFor, 'target')
    assert.equal(sized.order.terms.limitPrice, '110')
  })
})

describe('an exit whose shares other orders hold', () => {
  const without = (orders: readonly LiveOrder[], book: SymbolBook): SymbolBook => ({
    ...book,
    live: book.live.filter((order) => !orders.includes(order)),
  })

  it('an exit whose shares other orders hold has a resting order of ours cancelled that is to close these very shares', async () => {
    const rival = liveOrder({ role: 'entry', signalId: 'closer', takes: lots(['own', '10']) })
    const ended: string[] = []
    const sized = await size({
      shares: lots(['own', '10'], ['other', '10']),
      position: held('20', 'LONG', { availableQuantity: '10' }),
      live: [rival],
      cancelBlocking: (orders, book) => {
        ended.push(...orders.map(({ clientOrderId }) => clientOrderId))
        return without(orders, book)
      },
    })
    assert.deepEqual([sized.quantity, ended], ['10', ['rival']])
  })

  it('leaves a resting order alone that is to close the shares of another', async () => {
    const rival = liveOrder({ takes: lots(['other', '10']) })
    const position = held('20', 'LONG', { availableQuantity: '10' })
    const shares = lots(['own', '10'], ['other', '10'])
    assert.deepEqual(await size({ shares, position, live: [rival] }), of('10'))
  })

  it('waits for an order that closes these shares at once', async () => {
    for (const changes of [
      { orderType: 'market', timeInForce: 'day', knownAt: instant(9_000) },
      { brokerOrderId: null },
    ] as const)
      await assert.rejects(
        size({ live: [liveOrder({ ...changes, takes: lots(['own', '10']) })], cancelBlocking: cancelled }),
        isUnsettled,
      )
  })

  it('leaves the resting exit of another signal alone, though foreign orders hold some of its shares', async () => {
    const exit = liveOrder({ role: 'exit', signalId: 'other', takes: lots(['other', '10']) })
    const sized = await size({
      shares: lots(['own', '10'], ['other', '10']),
      position: held('20', 'LONG', { availableQuantity: '4' }),
      live: [exit],
      cancelBlocking: cancelled,
    })
    assert.deepEqual(sized, of('4', { coversQuantity: '4' }))
  })

  it('an exit whose shares other orders hold that has given way to a close waits for it, and names it as the reason if it rests', async () => {
    const yielding = [{ signalId: 'own', closer: 'rival' }]
    await assert.rejects(size({ yielding }), isUnsettled)
    const market = liveOrder({ orderType: 'market', timeInForce: 'day', knownAt: instant(9_000) })
    await assert.rejects(size({ yielding, live: [market] }), isUnsettled)
    assert.match(
      await obstacleOf(size({ yielding, live: [liveOrder()] })),
      /^SELL 10 AAPL limit 120 \(rival\)/,
    )
  })

  it('an exit whose shares other orders hold has a stop cancelled that a person placed here, of which the ledger does not know whose shares it takes', async () => {
    const stop = liveOrder({ orderType: 'stop', stopPrice: '90', limitPrice: null })
    const broker = new ScriptedBroker()
    const sized = await size({
      broker,
      position: held('10', 'LONG', { availableQuantity: '0' }),
      live: [stop],
      cancelBlocking: (orders, book) => {
        broker.positions = [held('10', 'LONG')]
        return without(orders, book)
      },
    })
    assert.deepEqual(sized, of('10'))
  })

  it('names the orders that were not placed here and hold the shares', async () => {
    const broker = new ScriptedBroker()
    broker.put(
      reportOf(
        {
          clientOrderId: 'at-the-broker',
          symbol: 'AAPL',
          side: 'SELL',
          quantity: '10',
          orderType: 'stop',
          limitPrice: null,
          stopPrice: '90',
          timeInForce: 'gtc',
          extendedHours: false,
        },
        instant(0),
      ),
    )
    const position = held('10', 'LONG', { availableQuantity: '0' })
    assert.match(
      await obstacleOf(size({ broker, position })),
      /not placed here hold the shares of AAPL: SELL 10 AAPL stop \(broker-at-the-broker at the broker\)/,
    )
  })

  it('closes the free shares, and stays due for the others', async () => {
    const position = held('10', 'LONG', { availableQuantity: '4' })
    assert.deepEqual(await size({ position }), { quantity: '4', coversQuantity: '4', notBefore: null })
  })
})

describe('an exit against orders of ours on the other side', () => {
  const buy = (changes: Partial<LiveOrder> = {}): LiveOrder =>
    liveOrder({ role: 'entry', signalId: 'other', side: 'BUY', limitPrice: '60', ...changes })

  it('an exit against orders of ours on the other side at market has it cancelled when no price could be had for ten seconds after its time', async () => {
    const broker = new ScriptedBroker()
    broker.priceTrouble = new BrokerOutcomeUnknown('no answer')
    const cancelled: LiveOrder[] = []
    const late = (ago: number) =>
      size({
        broker,
        live: [buy()],
        standing: { ...UNASKED, dueAt: instant(ago) },
        cancelBlocking(orders, book) {
          cancelled.push(...orders)
          return { ...book, live: [] }
        },
      })
    await assert.rejects(late(9_000), BrokerOutcomeUnknown)
    assert.deepEqual(await late(10_000), of('10'))
    assert.deepEqual(cancelled, [buy()])
  })

  it('an exit against orders of ours on the other side at market goes round a resting limit order, by a limit that trades at once', async () => {
    assert.deepEqual(
      await size({ live: [buy(), buy({ limitPrice: '70' })] }),
      of('10', { limitPrice: '70.01' }),
    )
  })

  it('an exit against orders of ours on the other side of a short position does so from the other side', async () => {
    const sale = buy({ side: 'SELL_SHORT', limitPrice: '140' })
    const world = { side: 'BUY_TO_COVER', shareSide: 'SHORT', position: held('10', 'SHORT') } as const
    assert.deepEqual(await size({ ...world, live: [sale] }), of('10', { limitPrice: '139.99' }))
  })

  const obstacles: [name: string, order: LiveOrder, rule: Partial<ExitRule>][] = [
    ['at market, against a stop order', buy({ orderType: 'stop', limitPrice: null, stopPrice: '110' }), {}],
    ['at market, against a limit that would trade with it', buy({ limitPrice: '100' }), {}],
    ['at a stop', buy(), { orderType: 'stop', stopPrice: '90' }],
    ['in the closing auction', buy(), { orderType: 'moc', timeInForce: 'cls' }],
    ['at market, in the closing auction', buy(), { timeInForce: 'cls' }],
    ['at a limit that meets it', buy(), { orderType: 'limit', limitPrice: '55' }],
    ['at its very limit', buy(), { orderType: 'limit', limitPrice: '60' }],
  ]
  for (const [name, order, rule] of obstacles)
    it(`${name} has it cancelled`, async () => {
      const gone: LiveOrder[] = []
      const sized = await size({
        live: [order],
        rule: { ...exitAtOnce, ...rule },
        cancelBlocking: (orders, book) => {
          gone.push(...orders)
          return { ...book, live: [] }
        },
      })
      assert.deepEqual(gone, [order])
      assert.deepEqual(sized, of('10'))
    })

  it('an exit against orders of ours on the other side at a limit that does not meet it leaves it alone', async () => {
    assert.deepEqual(
      await size({ live: [buy()], rule: { ...exitAtOnce, orderType: 'limit', limitPrice: '110' } }),
      of('10'),
    )
  })

  it('waits for one that fills or ends at once', async () => {
    await assert.rejects(
      size({
        live: [buy({ orderType: 'market', limitPrice: null, timeInForce: 'day', knownAt: instant(9_000) })],
        cancelBlocking: cancelled,
      }),
      isUnsettled,
    )
  })
})

describe('an exit while the broker shows more shares than anything explains', () => {
  const split = held('100', 'LONG')
  const chosen = (quantity: Decimal, changes: Partial<ChosenSize> = {}): ExitStanding => ({
    ...UNASKED,
    choice: {
      quantity,
      shown: '100',
      limitPrice: null,
      stopPrice: null,
      by: 'ann',
      at: instant(0),
      ...changes,
    },
  })

  it('an exit while the broker shows more shares than anything explains is not sent, and says how many are shown and how many it would sell', async () => {
    const sized = await size({ position: split })
    assert.ok('obstacle' in sized)
    assert.match(sized.obstacle, /shows LONG 100 of AAPL where LONG 10 are held by the fills, 10 of them/)
    assert.deepEqual(sized.beyond, { shown: '100', own: '10' })
  })

  const booked = (...quantities: Decimal[]) =>
    quantities.map((quantity) => ({ date: '2026-03-02', quantity }))
  for (const [how, splits] of [
    ['as the shares that came', booked('90')],
    ['as those that went and those that came', booked('-10', '100')],
    ['as the new number of all', booked('100')],
  ] as const)
    it(`names the split that its broker has booked ${how}, and what the own shares have become`, async () => {
      const broker = new ScriptedBroker()
      broker.splits = [...splits]
      const shares = lots(['own', '4'], ['other', '6'])
      const sized = await size({ broker, position: split, shares, filledQuantity: '4' })
      assert.ok('obstacle' in sized)
      assert.match(sized.obstacle, /lists a split of AAPL on 2026-03-02, by which they have become 40\b/)
      assert.deepEqual(sized.beyond, { shown: '100', own: '4', split: { date: '2026-03-02', own: '40' } })
    })

  it('names no split that does not explain it, or that its broker cannot tell', async () => {
    const broker = new ScriptedBroker()
    broker.splits = booked('30')
    assert.deepEqual(
      await size({ broker, position: split }).then((sized) => 'beyond' in sized && sized.beyond),
      {
        shown: '100',
        own: '10',
      },
    )
    broker.listSplits = async () => {
      throw new BrokerOutcomeUnknown('no answer in time')
    }
    assert.ok('beyond' in (await size({ broker, position: split })))
  })

  it('an exit while the broker shows more shares than anything explains of a short position is not sent either', async () => {
    const sized = await size({ side: 'BUY_TO_COVER', shareSide: 'SHORT', position: held('100', 'SHORT') })
    assert.ok('beyond' in sized)
  })

  it('an exit while the broker shows more shares than anything explains of part of a share is not sent when a tenth of it is beyond', async () => {
    const world: Case = {
      shares: lots(['own', '0.5']),
      position: held('0.55', 'LONG'),
      filledQuantity: '0.5',
    }
    assert.ok('beyond' in (await size(world)))
    const { quantity } = await size({ ...world, position: held('0.549', 'LONG') })
    assert.equal(quantity, '0.5')
  })

  it('asks again for five seconds after its time, in which a purchase may be listed, and only then stops', async () => {
    const dueFor = (ago: number, failures = 0) =>
      size({ position: split, failures, standing: { ...UNASKED, dueAt: instant(ago) } })
    await assert.rejects(dueFor(4_999), isUnsettled)
    // Its owner cannot choose yet, and is not told to.
    await assert.rejects(dueFor(4_999), ({ message }: Error) => !/choose/i.test(message))
    assert.ok('beyond' in (await dueFor(5_000)))
    assert.ok('beyond' in (await dueFor(4_999, 1)))
  })

  it('tells that the prices of the exit may be of before', async () => {
    const rule: ExitRule = { ...exitAtOnce, orderType: 'stopLimit', limitPrice: '89', stopPrice: '90' }
    assert.match(
      await obstacleOf(size({ position: split, rule })),
      /Its limit of 89 and stop of 90 may be of before/,
    )
  })

  it('sells all when its owner has chosen that, and what nothing explains is booked with it', async () => {
    const booked: string[] = []
    assert.deepEqual(await size({ position: split, standing: chosen('100'), booked }), of('100'))
    assert.deepEqual(booked, ['90'])
    const short = { side: 'BUY_TO_COVER', shareSide: 'SHORT', position: held('100', 'SHORT') } as const
    assert.deepEqual(await size({ ...short, standing: chosen('100'), booked }), of('100'))
    assert.deepEqual(booked, ['90', '-90'])
  })

  it('the size of an exit is none for an exit plan, whose levels are of before, whatever its owner has chosen', async () => {
    const rule: ExitTerms = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' }
    const sizing = size({ position: split, standing: chosen('100'), isFor: 'plan', rule })
    assert.match(await obstacleOf(sizing), /levels are of before/)
  })

  it('sells as many as its owner has chosen', async () => {
    for (const quantity of ['10', '4'] as const)
      assert.deepEqual(await size({ position: split, standing: chosen(quantity) }), of(quantity))
  })

  it('asks its owner anew when the broker shows another number by then', async () => {
    assert.ok('beyond' in (await size({ position: held('120', 'LONG'), standing: chosen('100') })))
  })

  it('sells what is left of a position that has become smaller than the choice, once that has lasted', async () => {
    const smaller = { position: held('8', 'LONG'), standing: chosen('100') }
    assert.ok('obstacle' in (await size(smaller)))
    assert.equal((await size({ ...smaller, failures: 1 })).quantity, '8')
    const few = { position: held('8', 'LONG'), standing: chosen('4'), failures: 1 }
    assert.equal((await size(few)).quantity, '4')
  })

  it('sells nothing of its choice once its shares were closed by others', async () => {
    const closed = await size({ shares: [], position: null, standing: chosen('100') })
    assert.deepEqual(closed, of('0'))
  })

  it('sells shares that were filled after the chosen ones were sold', async () => {
    const late = await size({
      shares: lots(['own', '5']),
      position: held('5', 'LONG'),
      filledQuantity: '5',
      generation: 2,
      standing: { ...chosen('100'), soldSince: '100' },
    })
    assert.deepEqual([late.quantity, late.coversQuantity], ['5', '5'])
  })

  it('sells what is left of the chosen shares after an order that sold a part of them', async () => {
    const booked: string[] = []
    const left = await size({
      shares: lots([null, '60']),
      position: held('60', 'LONG'),
      filledQuantity: '60',
      generation: 2,
      standing: { ...chosen('100'), soldSince: '40' },
      booked,
    })
    assert.deepEqual([left.quantity, left.coversQuantity, booked], ['60', '60', []])
  })

  it('leaves open what other orders hold of the chosen shares', async () => {
    const position = held('100', 'LONG', { availableQuantity: '60' })
    const sized = await size({ position, standing: chosen('100') })
    assert.deepEqual([sized.quantity, sized.coversQuantity], ['60', '-30'])
  })

  it('goes out at the prices that its owner has named anew', async () => {
    const rule: ExitRule = { ...exitAtOnce, orderType: 'limit', limitPrice: '120' }
    const sized = await size({ position: split, rule, standing: chosen('100', { limitPrice: '12' }) })
    assert.deepEqual(sized, of('100', { prices: { limitPrice: '12', stopPrice: null } }))
  })
})

describe('an exit that was refused because of an order from elsewhere on the other side', () => {
  const foreign = (broker: ScriptedBroker, changes: Partial<OrderRequest> = {}): void =>
    broker.put(
      reportOf(
        {
          clientOrderId: 'at-the-broker',
          symbol: 'AAPL',
          side: 'BUY',
          quantity: '5',
          orderType: 'limit',
          limitPrice: '60',
          stopPrice: null,
          timeInForce: 'gtc',
          extendedHours: false,
          ...changes,
        },
        instant(60_000),
      ),
    )

  it('goes round it by a limit that trades at once and does not meet it', async () => {
    const broker = new ScriptedBroker()
    foreign(broker)
    assert.deepEqual(await size({ broker, opposed: true }), of('10', { limitPrice: '60.01' }))
  })

  it('an exit that was refused because of an order from elsewhere on the other side of a short position does so from the other side', async () => {
    const broker = new ScriptedBroker()
    foreign(broker, { side: 'SELL', limitPrice: '140' })
    const short = { side: 'BUY_TO_COVER', shareSide: 'SHORT', position: held('10', 'SHORT') } as const
    assert.deepEqual(await size({ broker, opposed: true, ...short }), of('10', { limitPrice: '139.99' }))
  })

  const others: [what: string, changes: Partial<OrderRequest>][] = [
    ['it would trade with it', { limitPrice: '100' }],
    ['it is a stop order', { orderType: 'stop', limitPrice: null, stopPrice: '110' }],
    ['it is of another symbol', { symbol: 'MSFT' }],
    ['it is on its own side', { side: 'SELL', limitPrice: '140' }],
  ]
  for (const [what, changes] of others)
    it(`an exit that was refused because of an order from elsewhere on the other side is sent as it is asked for when ${what}, and cancels nothing`, async () => {
      const broker = new ScriptedBroker()
      foreign(broker, changes)
      assert.deepEqual(await size({ broker, opposed: true, cancelBlocking: cancelled }), of('10'))
    })

  it('asks for no orders from elsewhere before it was refused', async () => {
    const broker = new ScriptedBroker()
    foreign(broker)
    assert.deepEqual(await size({ broker }), of('10'))
    assert.equal(broker.requests.get('listOrders'), undefined)
  })
})
