import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ApplicationFailure } from '@temporalio/common'
import { exitBegins } from '#domain/exit/progress.ts'
import type { SizedExit } from '#activities/contract.ts'
import { SessionCalendar } from '#activities/brokers.ts'
import { sizeExit, type KeptExit } from '#activities/exit/size.ts'
import { BrokerOutcomeUnknown, type BrokerPosition } from '#brokers/port.ts'
import type { ExitSizeOverride, ExitSizeFacts } from '#domain/risk/sizing.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { EXIT_AT_MARKET, type ExitReason, type ExitRule, type ExitTerms } from '#domain/exit/exit.ts'
import type { ActiveHalt } from '#domain/risk/halt.ts'
import type { OrderRequest } from '#domain/order/order.ts'
import { PositionShares, type OwnedShares } from '#domain/position/ownership.ts'
import type { LiveOrder, SymbolState } from '#domain/position/symbol-state.ts'
import { liveOrder as restingOrder } from '#test/domain/position/live-orders.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'
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

/** A resting order by hand to sell ten at 120, unless told otherwise. */
const liveOrder = (changes: Partial<LiveOrder> = {}): LiveOrder =>
  restingOrder({
    clientOrderId: 'rival',
    brokerOrderId: 'broker-rival',
    signalId: null,
    role: 'manual',
    knownAt: instant(3_600_000),
    ...changes,
  })

/** The first exit of the signal "own", of ten shares. */
const OWN_ORDER = orderRequest({ clientOrderId: 'own-x1', side: 'SELL', quantity: '10' })

/** An exit that its owner was not asked about. */
const UNASKED: ExitSizeFacts = {
  dueAt: null,
  isListed: true,
  isOfBefore: false,
  choice: null,
  soldSince: '0',
  told: null,
}

interface Case {
  side?: 'SELL' | 'BUY_TO_COVER'
  /** What the ledger knows; the signal "own" holds ten long ones unless told otherwise. */
  shares?: OwnedShares[]
  shareSide?: 'LONG' | 'SHORT'
  live?: LiveOrder[]
  unattributed?: SymbolState['unattributed']
  yielding?: SymbolState['yielding']
  /** When the newest fill became known, in milliseconds before now. */
  changedAgo?: number
  position?: BrokerPosition | null
  rule?: ExitTerms
  /** Of a signal with an exit plan. */
  reason?: ExitReason
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
  standing?: ExitSizeFacts
  filledQuantity?: Decimal
  opposed?: boolean
  wholeFirst?: boolean
  /** Where shares are noted that were booked with the size. */
  booked?: string[]
  /** What becomes of orders that are to give way. */
  cancelBlocking?: (orders: readonly LiveOrder[], symbolState: SymbolState) => SymbolState
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
  reason = 'TIME',
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
  let symbolState: SymbolState = {
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
        decide(symbolState, async (asked, sized, beyond) => {
          const key = `exit-${asked.generation}`
          if (beyond !== undefined) booked.push(beyond)
          if (!kept.has(key)) kept.set(key, sized)
          return kept.get(key)!
        }),
      brokerFor,
      haltOf: async () => halt,
      standingOf: async () => standing,
      assertCancelledFor: async () => {},
      cancelBlockingOrders: async (_, closer, orders) => {
        if (!cancelBlocking)
          throw ApplicationFailure.create({ message: `${closer} waits`, type: 'OutcomeUnknown' })
        symbolState = cancelBlocking(orders, symbolState)
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
      reason,
      failures,
      progress: exitBegins(generation),
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
/** A part of the shares, for which the exit stays due. */
const part = (quantity: Decimal, coversQuantity: Decimal = quantity) => of(quantity, { coversQuantity })
const later = (notBefore: string) => ({ quantity: null, coversQuantity: null, notBefore })

const UNSETTLED = 'is asked again'
/** What a sizing comes to: so many of ten shares, or a size in full, an obstacle in words, or another try. */
type Expected = Decimal | object | RegExp | typeof UNSETTLED

async function comesTo(world: Case, expected: Expected): Promise<void> {
  if (expected === UNSETTLED) return assert.rejects(size(world), isUnsettled)
  const sized = await size(world)
  if (expected instanceof RegExp) {
    assert.ok('obstacle' in sized, JSON.stringify(sized))
    assert.match(sized.obstacle, expected)
  } else assert.deepEqual(sized, typeof expected === 'string' ? of(expected) : expected)
}

const isUnsettled = (error: unknown): boolean => {
  assert.ok(error instanceof ApplicationFailure)
  assert.deepEqual([error.type, error.nonRetryable ?? false], ['OutcomeUnknown', false])
  return true
}

/** The comparison of positions with executions has alerted the owner to that. */
const notifiedThat = (shown: Decimal, executed: Decimal): ExitSizeFacts => ({
  ...UNASKED,
  told: { shown, executed },
})

/** For exits that leave other orders alone. */
const cancelled = (orders: readonly LiveOrder[]): never =>
  assert.fail(`cancelled ${orders.map(({ clientOrderId }) => clientOrderId).join()}`)

/** The broker shows so many long shares, all of them free unless told otherwise. */
const shows = (quantity: Decimal, availableQuantity = quantity) => ({
  position: held(quantity, 'LONG', { availableQuantity }),
})
/** The signal has so many shares left, which the broker shows. */
const own = (quantity: Decimal) => ({ shares: lots(['own', quantity]), ...shows(quantity) })
const SHORT = { side: 'BUY_TO_COVER', shareSide: 'SHORT' } as const
const shortTen = { ...SHORT, position: held('10', 'SHORT') }
const moc = { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } as const
const two = lots(['own', '10'], ['other', '10'])

describe('the size of an exit', () => {
  const three = { ...own('3.33'), rule: moc }
  const atMarket = liveOrder({ orderType: 'market', timeInForce: 'day', knownAt: instant(9_000) })
  it('the size of an exit is what was filled, when that is held', () => comesTo({}, '10'))
  it('the size of an exit is what is the signal’s own, when others hold shares too', () =>
    comesTo({ shares: lots(['other', '10'], ['own', '10'], [null, '5']), ...shows('25') }, '10'))
  it('the size of an exit is what a close has left of its own', () => comesTo({ ...own('4') }, '4'))
  it('the size of an exit is nothing, when a close took its shares and another signal has bought since', () =>
    comesTo({ shares: lots(['other', '10']), ...shows('10') }, '0'))
  it('the size of an exit is a fraction, when a fraction is left', () => comesTo({ ...own('0.5') }, '0.5'))
  it('the size of an exit is nothing, when the position was closed', () =>
    comesTo({ shares: [], position: null }, '0'))
  it('the size of an exit is nothing, when the position was turned around', () =>
    comesTo({ shares: lots([null, '10']), shareSide: 'SHORT', position: held('10', 'SHORT') }, '0'))
  it('the size of an exit is what was filled, of a short position', () => comesTo(shortTen, '10'))
  it('the size of an exit is nothing, when its signal is on the other side', () =>
    comesTo({ shareSide: 'SHORT', position: held('10', 'SHORT') }, '0'))
  it('the size of an exit is what this exit is for, when the signal has filled further', () =>
    comesTo({ ...own('14') }, '10'))
  it('the size of an exit is its own, when the broker shows a dividend beside it that was reinvested', () =>
    comesTo({ ...shows('10.034') }, '10'))
  it('the size of an exit is its own, when an order of ours may have bought what the broker shows beyond the fills', () =>
    comesTo(
      {
        ...shows('25'),
        live: [liveOrder({ role: 'entry', signalId: 'other', side: 'BUY', open: '15', brokerOrderId: null })],
      },
      '10',
    ))
  it('the size of an exit is its own, when more is shown right after a fill, which the broker may not show yet', () =>
    comesTo({ ...shows('25'), changedAgo: 4_999 }, '10'))
  it('the size of an exit is its own, when more is shown before the executions of the account have been read', () =>
    comesTo({ ...shows('25'), standing: { ...UNASKED, isListed: false } }, '10'))
  it('the size of an exit is the part of a share first, at market, where it is for the closing auction', () =>
    comesTo(three, { ...part('0.33', '7'), isFraction: true }))
  it('the size of an exit is the whole shares once the part is sold, where it is for the closing auction', () =>
    comesTo({ ...three, ...own('3'), generation: 2 }, '3'))
  it('the size of an exit is the whole shares first, where it is for the closing auction and the broker has not sold the part', () =>
    comesTo({ ...three, wholeFirst: true }, part('3', '9.67')))
  it('the size of an exit is part and shares at once, for an exit of the session', () =>
    comesTo({ ...three, rule: exitAtOnce }, '3.33'))
  for (const failures of [1, 7, 1_000])
    it(`the size of an exit is the held quantity, and it stays due for the others, when the broker shows less ${failures} times`, () =>
      comesTo({ ...shows('4'), failures }, part('4')))
  it('the size of an exit is the held quantity, and all of it, where the comparison has found that the broker shows much less', () =>
    comesTo({ ...shows('4'), standing: notifiedThat('4', '10') }, '4'))
  for (const [which, told] of [
    ['that the broker shows another number', notifiedThat('5', '10')],
    ['that of fewer executions', notifiedThat('4', '9')],
    ['that the shares are on the other side', notifiedThat('-4', '-10')],
  ] as const)
    it(`the size of an exit is the held quantity, and it stays due for the others, where the comparison has found ${which}`, () =>
      comesTo({ ...shows('4'), failures: 7, standing: told }, part('4')))
  it('the size of an exit is the held quantity, and all of it, of a short position for which the comparison has found that', () =>
    comesTo({ ...SHORT, position: held('4', 'SHORT'), standing: notifiedThat('-4', '-10') }, '4'))
  it('the size of an exit is nothing, and the exit has ended, where the comparison has found that the broker shows nothing', () =>
    comesTo({ position: null, failures: 7, standing: notifiedThat('0', '10') }, '0'))
  it('the size of an exit is not decided by what the comparison has found, right after an execution', () =>
    comesTo({ ...shows('4'), changedAgo: 4_999, standing: notifiedThat('4', '10') }, UNSETTLED))
  it('the size of an exit is the quantity of the ledger, when the broker goes on to differ and no order of ours explains it', () =>
    comesTo({ shares: lots(['other', '10']), ...shows('25'), failures: 1 }, '0'))
  it('the size of an exit is its own under a halt that lets positions be closed', () =>
    comesTo({ halt: { level: 'reduceOnly', scope: 'account', reason: 'drill' } }, '10'))
  it('the size of an exit is the free shares, and stays due for the others', () =>
    comesTo({ ...shows('10', '4') }, part('4')))

  const sold: Case = { shares: lots(['other', '10'], ['own', '10']), ...shows('10') }
  const soldLately = liveOrder({
    role: 'exit',
    signalId: 'other',
    orderType: 'market',
    timeInForce: 'day',
    reservedLots: lots(['other', '10']),
    knownAt: instant(9_000),
  })
  const unknown = { ...soldLately, brokerOrderId: null, knownAt: null }
  const lacks = /shows LONG 10 of AAPL where LONG 20 are held/
  // The broker has closed ten long shares and sold five short; of the close the ledger does not know yet.
  const turned: Case = { side: 'BUY_TO_COVER', position: held('10', 'SHORT') }
  const close = liveOrder({
    role: 'entry',
    signalId: 'closer',
    orderType: 'market',
    reservedLots: lots(['other', '10']),
  })
  const turnedPartly: Case = { ...turned, shareSide: 'SHORT', shares: lots(['own', '4']) }
  const unrecorded = liveOrder({ role: 'exit', signalId: 'other', orderType: 'market', brokerOrderId: null })
  const taken: Case = {
    shares: lots(['other', '10']),
    ...shows('10'),
    unattributed: ['SELL'],
    live: [unrecorded],
  }
  it('the size of an exit is not decided while the broker may not show a fill yet', () =>
    comesTo({ position: null, changedAgo: 4_999 }, UNSETTLED))
  it('the size of an exit is not decided while the broker may not show all of a fill yet', () =>
    comesTo({ ...shows('4'), changedAgo: 4_999 }, UNSETTLED))
  it('the size of an exit is not decided by one answer of the broker that shows nothing', () =>
    comesTo({ position: null }, /shows nothing of AAPL where LONG 10 are held/))
  it('the size of an exit is not decided by one answer of the broker that lacks shares', () =>
    comesTo({ ...shows('4') }, /shows LONG 4 of AAPL/))
  it('the size of an exit is not decided by shares that the broker never shows', () =>
    comesTo({ position: null, failures: 7 }, /./))
  it('the size of an exit is not decided by shares on the other side', () =>
    comesTo({ position: held('10', 'SHORT'), failures: 7 }, /./))
  it('the size of an exit is not decided while another exit, sent just now, may have sold what the broker lacks', () =>
    comesTo({ ...sold, live: [soldLately] }, UNSETTLED))
  it('the size of an exit is not decided while another exit, sized just now, may have sold what the broker lacks', () =>
    comesTo({ ...sold, live: [{ ...unknown, sizedAt: instant(9_000) }] }, UNSETTLED))
  it('the size of an exit is not decided where an exit sent just now has sold too few', () =>
    comesTo({ ...sold, live: [{ ...soldLately, open: '9' }] }, lacks))
  it('the size of an exit is not decided where the exit was sent long ago', () =>
    comesTo({ ...sold, live: [{ ...soldLately, knownAt: instant(11_000) }] }, lacks))
  it('the size of an exit is not decided where the exit was sized long ago', () =>
    comesTo({ ...sold, live: [{ ...unknown, sizedAt: instant(11_000) }] }, lacks))
  it('the size of an exit is not decided where no exit says when it was sized', () =>
    comesTo({ ...sold, live: [unknown] }, lacks))
  it('the size of an exit is not decided where the exit is its own', () =>
    comesTo({ ...sold, live: [{ ...soldLately, signalId: 'own' }] }, lacks))
  it('the size of an exit is not decided where the order is no exit', () =>
    comesTo({ ...sold, live: [{ ...soldLately, role: 'entry' }] }, lacks))
  it('the size of an exit is not decided where no order sells', () => comesTo({ ...sold, live: [] }, lacks))
  it('the size of an exit is not decided by a trade on the other side right after a fill', () =>
    comesTo({ ...turned, shares: lots(['other', '5']), changedAgo: 4_999 }, UNSETTLED))
  it('the size of an exit is not decided by a trade on the other side that the ledger does not know', () =>
    comesTo(
      { ...turned, shares: lots(['other', '5']) },
      /shows SHORT 10 of AAPL where LONG 5 are held by the fills/,
    ))
  it('the size of an exit is not decided by a trade on the other side where the ledger knows of nothing', () =>
    comesTo({ ...turned, shares: [] }, /shows SHORT 10 of AAPL where nothing is held by the fills/))
  it('the size of an exit is not decided however often it is asked, while a close explains it', () =>
    comesTo({ ...turned, shares: lots(['other', '5']), live: [close], failures: 7 }, /./))
  it('the size of an exit is not decided in part right after a fill', () =>
    comesTo({ ...turnedPartly, changedAgo: 4_999 }, UNSETTLED))
  it('the size of an exit is not decided in part while the broker differs', () =>
    comesTo(turnedPartly, /shows SHORT 10 of AAPL where SHORT 4 are held/))
  it('the size of an exit is not decided right after an execution that an order of ours may have made', () =>
    comesTo({ ...taken, changedAgo: 4_999 }, UNSETTLED))
  it('the size of an exit is not decided while an order of ours that is not recorded yet may have sold its shares', () =>
    comesTo(taken, /^SELL 10 AAPL .*\(rival\) may have traded, and is not recorded/))

  it('the size of an exit names in its other try what the broker lacks, and what may have sold it', () =>
    assert.rejects(
      size({ ...sold, live: [soldLately] }),
      /shows LONG 10 .* LONG 20 are held by the fills; SELL .* may have traded$/,
    ))

  for (const [which, others] of [
    ['recorded', { live: [{ ...unrecorded, brokerOrderId: 'known' }] }],
    ['on the other side', { live: [{ ...unrecorded, side: 'BUY' }] }],
    ['its own', { live: [{ ...unrecorded, signalId: 'own' }] }],
    ['not needed, as every execution has an order', { unattributed: [] }],
  ] as [string, Case][])
    it(`the size of an exit is nothing where the order that may have sold its shares is ${which}`, () =>
      comesTo({ ...taken, ...others }, '0'))

  const resting = (changes: Partial<LiveOrder>) => liveOrder({ role: 'entry', signalId: 'other', ...changes })
  for (const { side, shareSide, closing, opening, away } of [
    { side: 'SELL', shareSide: 'LONG', closing: 'SELL', opening: 'BUY', away: '60' },
    { side: 'BUY_TO_COVER', shareSide: 'SHORT', closing: 'BUY_TO_COVER', opening: 'SELL_SHORT', away: '140' },
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
    const named = /\(rival\) may have traded$/
    const unheard = { brokerOrderId: null, knownAt: null, orderType: 'market' } as const
    it(`an exit of a ${shareSide} position that others have taken in part is kept out by no order`, () =>
      comesTo(partly('5', []), part('5', '9')))
    it(`an exit of a ${shareSide} position that others have taken in part is kept out by no order far away`, async () => {
      const { quantity, coversQuantity } = await size(
        partly('5', [resting({ side: opening, limitPrice: away })]),
      )
      assert.deepEqual([quantity, coversQuantity], ['5', '9'])
    })
    it(`an exit of a ${shareSide} position that others have taken in part is kept out by no close where more is shown`, () =>
      comesTo(partly('6.5', [resting({ side: closing })]), '6'))
    it(`an exit of a ${shareSide} position that others have taken in part waits for a close that may explain it`, () =>
      comesTo(partly('5', [resting({ side: closing })]), named))
    it(`an exit of a ${shareSide} position that others have taken in part waits for an opening that may explain it`, () =>
      comesTo(partly('7', [resting({ side: opening })]), named))
    it(`an exit of a ${shareSide} position that others have taken in part waits for a close on its way`, () =>
      comesTo(partly('5', [resting({ side: closing, ...unheard })]), named))
  }

  it('the size of an exit is none while everything is stopped', () =>
    assert.rejects(size({ halt: { level: 'fullStop', scope: 'account', reason: 'drill' } }), {
      type: 'Halted',
      message: /Trading is stopped.*drill/,
    }))

  it('the size of an exit is none under a number that was given up, and new under the next one', async () => {
    const kept = new Map<string, KeptExit>([['exit-1', { ...of('10'), stopped: true }]])
    const givenUp = { quantity: null, coversQuantity: null, notBefore: null, givenUp: true }
    await comesTo({ kept }, givenUp)
    await comesTo({ kept, generation: 2 }, '10')
  })

  it('the size of an exit is kept with what the exit leaves open, where other orders hold a part of the shares', async () => {
    const kept = new Map<string, KeptExit>()
    await size({ kept, ...shows('10', '4') })
    await size({ kept, generation: 2 })
    assert.deepEqual([kept.get('exit-1')?.leaves, kept.get('exit-2')?.leaves], ['6', undefined])
  })

  it('the size of an exit is kept with the price of the market, which the workflow needs not, where the broker reports it', async () => {
    const kept = new Map<string, KeptExit>()
    const position = held('10', 'LONG', { currentPrice: '101.5', dayChange: '0.5' })
    await comesTo({ kept, position }, '10')
    await size({ kept, generation: 2 })
    // Sent before, at another price.
    const broker = new ScriptedBroker()
    broker.accept({ ...OWN_ORDER, clientOrderId: 'own-x3' })
    await size({ kept, broker, position, shares: [], generation: 3 })
    const prices = [1, 2, 3].map((generation) => kept.get(`exit-${generation}`)?.price)
    assert.deepEqual(prices, ['101.5', undefined, undefined])
  })

  it('the size of an exit is the first answer whenever it is asked for again, though the exit itself has moved the position', async () => {
    const kept = new Map<string, KeptExit>()
    await size({ kept })
    await comesTo({ kept, position: null, shares: [] }, '10')
    await comesTo({ kept, position: null }, '10')
    await comesTo({ kept, ...own('3'), generation: 2 }, '3')
  })

  it('the size of an exit is that of its order at the broker, which a ledger that was rolled back does not know, after any sale of that order', async () => {
    const broker = new ScriptedBroker()
    broker.accept(OWN_ORDER)
    const kept = new Map<string, KeptExit>()
    await comesTo({ kept, broker, shares: [], position: null, rule: EXIT_AT_MARKET }, '10')
    assert.equal(kept.get('exit-1')?.quantity, '10')
    await comesTo({ broker, ...own('4'), rule: EXIT_AT_MARKET }, '10')
  })

  it('leaves the whole shares to the next exit, when a ledger that was rolled back finds the part at the broker', async () => {
    const broker = new ScriptedBroker()
    broker.accept({ ...OWN_ORDER, quantity: '0.33' })
    const kept = new Map<string, KeptExit>()
    const rest = { ...three, broker, kept, ...own('3') }
    await comesTo(
      { ...rest, filledQuantity: '3.33' },
      { ...part('0.33'), isFraction: true, order: { reason: 'TIME', terms: EXIT_AT_MARKET } },
    )
    await comesTo({ ...rest, filledQuantity: '3', generation: 2 }, part('3'))
  })

  it('the size of an exit is not kept in by a calendar that cannot be had, while the clock of the broker says that it is taken', async () => {
    const without = (isOpen: boolean, closesIn: number, rule: ExitTerms = exitAtOnce): Case => ({
      sessions: null,
      rule,
      broker: Object.assign(new ScriptedBroker(), {
        getClock: async () => ({
          now: instant(0),
          isOpen,
          nextOpen: instant(-72_000_000),
          nextClose: instant(-closesIn),
        }),
      }),
    })
    await comesTo(without(true, 300_000), '10')
    await comesTo(without(true, 3_600_000, moc), '10')
    await assert.rejects(size(without(true, 300_000, moc)), BrokerOutcomeUnknown)
    await assert.rejects(size(without(false, 3_600_000)), BrokerOutcomeUnknown)
  })

  /** The session has ended by now, by the clock of the broker or ours. */
  const closed = [
    { date: '2026-03-02', opensAt: '2026-03-02T14:30:00.000Z', closesAt: '2026-03-02T14:59:30.000Z' },
    { date: '2026-03-03', opensAt: '2026-03-03T14:30:00.000Z', closesAt: '2026-03-03T21:00:00.000Z' },
  ]
  const tomorrow = later('2026-03-03T14:30:00.000Z')
  const stop: ExitTerms = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' }
  const plan = { reason: 'PROTECTION', rule: stop } as const
  const yielding = [{ signalId: 'own', closer: 'rival' }]
  it('an exit waits for the next session when the exchange is closed by now', () =>
    comesTo({ sessions: closed }, tomorrow))
  it('an exit is sized where the broker’s clock says that the session still lasts', () =>
    comesTo({ sessions: closed, clockOffset: -60_000 }, '10'))
  it('an exit that had to wait for the next session is sized then', () =>
    comesTo({ sessions: closed, now: NOW + 24 * 3_600_000 }, '10'))
  it('the order of an exit by levels waits for no session where it is good till cancelled', () =>
    comesTo({ ...plan, sessions: closed }, '10'))
  it('the order of an exit by levels waits for the next session where it is good for the day', () =>
    comesTo({ ...plan, rule: { ...stop, timeInForce: 'day' }, sessions: closed }, tomorrow))
  it('the order of an exit by levels leaves to the resting order of a person what that closes, and is for the rest', () =>
    comesTo(
      {
        ...plan,
        live: [liveOrder({ open: '4', reservedLots: lots(['own', '4']) })],
        yielding,
        ...shows('10', '6'),
        cancelBlocking: cancelled,
      },
      part('6'),
    ))
  it('the order of an exit by levels is for whole shares where it is good till cancelled and others hold parts of one', () =>
    comesTo({ ...plan, ...shows('10', '3.5') }, part('3')))
  it('an exit that was cancelled for an unknown close waits', () => comesTo({ yielding }, UNSETTLED))
  it('an exit that gave way to a close at market waits', () =>
    comesTo({ yielding, live: [atMarket] }, UNSETTLED))
  it('an exit that gave way to a close names it where it rests', () =>
    comesTo({ yielding, live: [liveOrder()] }, /^SELL 10 AAPL limit 120 \(rival\)/))
  it('an exit leaves a resting order alone that is to close the shares of another', () =>
    comesTo(
      {
        shares: two,
        ...shows('20', '10'),
        live: [liveOrder({ reservedLots: lots(['other', '10']) })],
      },
      '10',
    ))
  it('an exit leaves the resting exit of another signal alone, though foreign orders hold some of its shares', () =>
    comesTo(
      {
        shares: two,
        ...shows('20', '4'),
        live: [liveOrder({ role: 'exit', signalId: 'other', reservedLots: lots(['other', '10']) })],
        cancelBlocking: cancelled,
      },
      part('4'),
    ))
  for (const [which, order] of [
    ['at market', atMarket],
    ['that is on its way', liveOrder({ brokerOrderId: null })],
  ] as const)
    it(`an exit waits for an order ${which} that closes its shares`, () =>
      comesTo(
        { live: [{ ...order, reservedLots: lots(['own', '10']) }], cancelBlocking: cancelled },
        UNSETTLED,
      ))

  it('the size of the order of an exit by levels is kept with its terms: asked again for something else, it is the order that was decided first', async () => {
    const kept = new Map<string, KeptExit>()
    await comesTo({ ...plan, kept }, '10')
    await comesTo({ ...plan, kept }, '10')
    const first = of('10', { order: { reason: 'PROTECTION', terms: stop } })
    await comesTo({ reason: 'STOP_LOSS', rule: EXIT_AT_MARKET, kept }, first)
  })

  it('the size of the order of an exit by levels is that of its order at the broker, for any size, where a ledger that was rolled back knows of none', async () => {
    const broker = new ScriptedBroker()
    broker.accept({ ...OWN_ORDER, clientOrderId: 'own-t1', orderType: 'limit', limitPrice: '110' })
    const sized = await size({ ...plan, broker, shares: [], position: null })
    assert.ok('order' in sized)
    assert.deepEqual([sized.order?.reason, sized.order?.terms.limitPrice], ['TAKE_PROFIT', '110'])
  })
})

describe('an exit whose shares orders of ours hold, or that would meet one,', () => {
  const buy = (changes: Partial<LiveOrder> = {}): LiveOrder =>
    liveOrder({ role: 'entry', signalId: 'other', side: 'BUY', limitPrice: '60', ...changes })
  const stopOrder = { orderType: 'stop', limitPrice: null } as const

  for (const [which, order, world] of [
    [
      'that is to close these very shares',
      liveOrder({ role: 'entry', signalId: 'closer', reservedLots: lots(['own', '10']) }),
      { shares: two, ...shows('20', '10') },
    ],
    [
      'that a person placed here, whose shares are unknown to the ledger',
      liveOrder({ ...stopOrder, stopPrice: '90' }),
      { ...shows('10', '0') },
    ],
    ...(['PROTECTION', 'STOP_LOSS', 'TIME', 'TAKE_PROFIT'] as const).map((reason) => [
      `that is for more than its signal owns, though the exit is for ${reason}`,
      liveOrder({ ...stopOrder, stopPrice: '90', role: 'exit', signalId: 'other' }),
      { shares: lots(['own', '10'], ['other', '4']), ...shows('14', '4'), reason },
    ]),
    ['at a stop that it would meet at market', buy({ ...stopOrder, stopPrice: '110' }), {}],
    ['at a limit that would trade with it at market', buy({ limitPrice: '100' }), {}],
    ['on the other side of its stop', buy(), { rule: { ...exitAtOnce, orderType: 'stop', stopPrice: '90' } }],
    ['on the other side of its closing auction', buy(), { rule: moc }],
    ['on the other side at the close', buy(), { rule: { ...exitAtOnce, timeInForce: 'cls' } }],
    ['that its limit meets', buy(), { rule: { ...exitAtOnce, orderType: 'limit', limitPrice: '55' } }],
    ['at its very limit', buy(), { rule: { ...exitAtOnce, orderType: 'limit', limitPrice: '60' } }],
  ] as [string, LiveOrder, Case][])
    it(`an exit has an order of ours cancelled ${which}`, async () => {
      const gone: LiveOrder[] = []
      const broker = new ScriptedBroker()
      const cancelBlocking: Case['cancelBlocking'] = (orders, symbolState) => {
        gone.push(...orders)
        broker.positions = broker.positions.map((one) => held(one.quantity, 'LONG'))
        return { ...symbolState, live: [] }
      }
      await comesTo({ broker, live: [order], cancelBlocking, ...world }, '10')
      assert.deepEqual(gone, [order])
    })

  it('an exit has an order of ours on the other side cancelled when no price could be had for ten seconds after its time', async () => {
    const broker = new ScriptedBroker()
    broker.priceTrouble = new BrokerOutcomeUnknown('no answer')
    const gone: LiveOrder[] = []
    const late = (ago: number): Case => ({
      broker,
      live: [buy()],
      standing: { ...UNASKED, dueAt: instant(ago) },
      cancelBlocking(orders, symbolState) {
        gone.push(...orders)
        return { ...symbolState, live: [] }
      },
    })
    await assert.rejects(size(late(9_000)), BrokerOutcomeUnknown)
    await comesTo(late(10_000), '10')
    assert.deepEqual(gone, [buy()])
  })

  const atOther = {
    orderType: 'market',
    limitPrice: null,
    timeInForce: 'day',
    knownAt: instant(9_000),
  } as const
  it('an exit at market goes round resting limit orders on the other side, by a limit that trades at once', () =>
    comesTo({ live: [buy(), buy({ limitPrice: '70' })] }, of('10', { limitPrice: '70.01' })))
  it('an exit of a short position goes round a resting limit order from the other side', () =>
    comesTo(
      { ...shortTen, live: [buy({ side: 'SELL_SHORT', limitPrice: '140' })] },
      of('10', { limitPrice: '139.99' }),
    ))
  it('an exit at a limit that does not meet an order on the other side leaves it alone', () =>
    comesTo({ live: [buy()], rule: { ...exitAtOnce, orderType: 'limit', limitPrice: '110' } }, '10'))
  it('an exit waits for an order on the other side that fills or ends at once', () =>
    comesTo({ live: [buy(atOther)], cancelBlocking: cancelled }, UNSETTLED))
})

describe('an exit beside orders that were not placed here', () => {
  /** The broker has an order of somebody else; to buy five at 60 unless told otherwise. */
  const foreign = (changes: Partial<OrderRequest> = {}): ScriptedBroker => {
    const broker = new ScriptedBroker()
    const order = {
      side: 'BUY',
      quantity: '5',
      orderType: 'limit',
      limitPrice: '60',
      timeInForce: 'gtc',
    } as const
    const request = orderRequest({ clientOrderId: 'at-the-broker', ...order, ...changes })
    broker.put(reportOf(request, instant(60_000)))
    return broker
  }
  const stopAt = (stopPrice: Decimal) => ({ orderType: 'stop', limitPrice: null, stopPrice }) as const
  const refused = (changes: Partial<OrderRequest> = {}) => ({ broker: foreign(changes), opposed: true })
  it('an exit names the orders that were not placed here and hold the shares', () =>
    comesTo(
      {
        broker: foreign({ side: 'SELL', quantity: '10', ...stopAt('90') }),
        ...shows('10', '0'),
      },
      /not placed here hold the shares of AAPL: SELL 10 AAPL stop \(broker-at-the-broker at the broker\)/,
    ))
  it('an exit names no order of ours as one that was not placed here', () =>
    comesTo(
      {
        broker: foreign({
          clientOrderId: `${randomUUID()}-p1`,
          side: 'SELL',
          quantity: '10',
          ...stopAt('90'),
        }),
        ...shows('10', '0'),
      },
      /^open orders hold the shares of AAPL: SELL 10 AAPL stop/,
    ))
  it('an exit that was refused because of an order from elsewhere goes round it by a limit that trades at once and does not meet it', () =>
    comesTo(refused(), of('10', { limitPrice: '60.01' })))
  it('an exit of a short position that was refused because of an order from elsewhere does so from the other side', () =>
    comesTo(
      { ...refused({ side: 'SELL', limitPrice: '140' }), ...shortTen },
      of('10', { limitPrice: '139.99' }),
    ))
  for (const [what, changes] of [
    ['it would trade with it', { limitPrice: '100' }],
    ['it is a stop order', stopAt('110')],
    ['it is of another symbol', { symbol: 'MSFT' }],
    ['it is on its own side', { side: 'SELL', limitPrice: '140' }],
  ] as [string, Partial<OrderRequest>][])
    it(`an exit that was refused because of an order from elsewhere is sent as it is asked for when ${what}, and cancels nothing`, () =>
      comesTo({ ...refused(changes), cancelBlocking: cancelled }, '10'))

  it('asks for no orders from elsewhere before it was refused', async () => {
    const broker = foreign()
    await comesTo({ broker }, '10')
    assert.equal(broker.requests.get('listOrders'), undefined)
  })
})

describe('an exit while the broker shows fewer shares than anything explains', () => {
  /** As after one share for ten, by the second answer. */
  const fewer: Case = { shares: lots(['own', '50']), filledQuantity: '50', ...shows('5'), failures: 1 }
  const stop: ExitTerms = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' }
  const limit: ExitTerms = { ...exitAtOnce, orderType: 'limit', limitPrice: '110' }
  const byPrice: [string, Case][] = [
    ['the order of a plan', { reason: 'PROTECTION', rule: stop }],
    ['at a target', { reason: 'TAKE_PROFIT', rule: limit }],
    ['at a stop that is watched here', { reason: 'STOP_LOSS', rule: EXIT_AT_MARKET }],
    ['a time exit at a limit beside levels', { reason: 'TIME', rule: limit }],
    ['a time exit at a stop', { rule: { ...exitAtOnce, orderType: 'stop', stopPrice: '95' } }],
  ]
  const choice = {
    quantity: '5',
    shown: '5',
    limitPrice: '1100',
    stopPrice: null,
    by: 'ann',
    at: instant(0),
  } as const
  const whole = { quantity: '5', coversQuantity: '50', notBefore: null } as const
  for (const [which, changes] of byPrice) {
    it(`an exit while the broker shows fewer shares than anything explains is not sent, and asks its owner: ${which}`, async () => {
      const sized = await size({ ...fewer, ...changes })
      assert.ok('obstacle' in sized, JSON.stringify(sized))
      assert.match(sized.obstacle, /shows LONG 5 of AAPL where LONG 50 are held by the fills, 50 of them/)
      assert.deepEqual(sized.beyond, { shown: '5', own: '50' })
      await comesTo({ ...fewer, ...changes, changedAgo: 4_999 }, UNSETTLED)
    })
    it(`an exit while the broker shows fewer shares than anything explains is not sent either by prices of before, once its owner has accepted the number: ${which}`, () =>
      comesTo(
        { ...own('5'), ...changes, filledQuantity: '5', standing: { ...UNASKED, isOfBefore: true } },
        /from before/,
      ))
  }
  it('an exit while the broker shows fewer shares than anything explains closes what is shown where it is at market at its time', async () => {
    for (const isOfBefore of [false, true]) {
      await comesTo({ ...fewer, standing: { ...UNASKED, isOfBefore } }, part('5'))
      await comesTo({ ...fewer, standing: { ...notifiedThat('5', '50'), isOfBefore } }, whole)
    }
  })
  it('an exit while the broker shows fewer shares than anything explains is sent for those that order of ours may have sold, or that are a slight part', async () => {
    const order = liveOrder({ role: 'entry', orderType: 'market', open: '45', knownAt: instant(9_000) })
    await comesTo({ ...fewer, ...byPrice[0]![1], live: [order] }, part('5'))
    const told = notifiedThat('5', '50')
    await comesTo({ ...fewer, ...byPrice[0]![1], live: [order], standing: told }, whole)
    await comesTo({ ...byPrice[0]![1], ...shows('9.5'), failures: 1 }, part('9'))
  })
  it('an exit while the broker shows fewer shares than anything explains sells the number that its owner has chosen, at the prices that are named again, and no others', async () => {
    const standing = { ...UNASKED, isOfBefore: true, choice }
    const prices = { limitPrice: '1100', stopPrice: null }
    await comesTo({ ...fewer, rule: limit, standing }, { ...whole, prices })
    await comesTo({ ...fewer, ...shows('4'), rule: limit, standing }, /shows LONG 4/)
  })
  it('names the split of one for ten that its broker has booked, and what the own shares have become', async () => {
    for (const quantities of [['-45'], ['-50', '5'], ['5']] as Decimal[][]) {
      const splits = quantities.map((quantity) => ({ date: '2026-03-02', quantity }))
      const broker = Object.assign(new ScriptedBroker(), { splits })
      await comesTo({ ...fewer, broker, rule: limit }, /lists a split of AAPL .* turns them into 5\b/)
    }
  })
})

describe('an exit while the broker shows more shares than anything explains', () => {
  const split = held('100', 'LONG')
  const shortSplit = { ...SHORT, position: held('100', 'SHORT') }
  const chosen = (quantity: Decimal, changes: Partial<ExitSizeOverride> = {}): ExitSizeFacts => ({
    ...UNASKED,
    isOfBefore: true,
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
  const beyondOf = async (world: Case) => {
    const sized = await size(world)
    assert.ok('beyond' in sized, JSON.stringify(sized))
    return sized.beyond
  }
  const dueFor = (ago: number, failures = 0): Case => ({
    position: split,
    failures,
    standing: { ...UNASKED, dueAt: instant(ago) },
  })
  const half: Case = { shares: lots(['own', '0.5']), filledQuantity: '0.5' }
  const limit: ExitRule = { ...exitAtOnce, orderType: 'limit', limitPrice: '120' }
  const smaller = { ...shows('8'), standing: chosen('100') }
  const second = (quantity: Decimal): Case => ({
    position: held(quantity, 'LONG'),
    filledQuantity: quantity,
    generation: 2,
  })

  it('an exit while the broker shows more shares than anything explains is not sent, and says how many are shown and how many it would sell', () =>
    comesTo({ position: split }, /shows LONG 100 of AAPL where LONG 10 are held by the fills, 10 of them/))
  it('an exit while the broker shows more shares than anything explains is not sent of a short position either', () =>
    comesTo(shortSplit, /shows SHORT 100/))
  it('an exit while the broker shows more shares than anything explains is not sent of part of a share when a tenth of it is beyond', () =>
    comesTo({ ...half, ...shows('0.55') }, /shows LONG 0\.55/))
  it('an exit while the broker shows more shares than anything explains is sent of part of a share when less than a tenth of it is beyond', () =>
    comesTo({ ...half, ...shows('0.549') }, { quantity: '0.5', coversQuantity: '0.5', notBefore: null }))
  it('an exit while the broker shows more shares than anything explains is asked again for five seconds after its time, as a purchase may be listed', () =>
    comesTo(dueFor(4_999), UNSETTLED))
  it('an exit while the broker shows more shares than anything explains stops after five seconds', () =>
    comesTo(dueFor(5_000), /shows LONG 100/))
  it('an exit while the broker shows more shares than anything explains stops at once where it has failed before', () =>
    comesTo(dueFor(4_999, 1), /shows LONG 100/))
  it('an exit while the broker shows more shares than anything explains says that its prices may be from before', () =>
    comesTo(
      {
        position: split,
        rule: { ...exitAtOnce, orderType: 'stopLimit', limitPrice: '89', stopPrice: '90' },
      },
      /Its limit of 89 and stop of 90 may be from before/,
    ))
  it('an exit while the broker shows more shares than anything explains is none by levels, which are of before, for any choice of its owner', () =>
    comesTo(
      {
        position: split,
        standing: chosen('100'),
        reason: 'PROTECTION',
        rule: { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' },
      },
      /levels are from before/,
    ))
  it('an exit while the broker shows more shares than anything explains sells ten as its owner has chosen', () =>
    comesTo({ position: split, standing: chosen('10') }, '10'))
  it('an exit while the broker shows more shares than anything explains sells four as its owner has chosen', () =>
    comesTo({ position: split, standing: chosen('4') }, '4'))
  it('an exit while the broker shows more shares than anything explains asks its owner again when the broker shows another number by then', () =>
    comesTo({ ...shows('120'), standing: chosen('100') }, /shows LONG 120/))
  it('an exit while the broker shows more shares than anything explains does not sell less than was chosen by one answer', () =>
    comesTo(smaller, /shows LONG 8/))
  it('an exit while the broker shows more shares than anything explains sells what is left of a position that is smaller than the choice, once that has lasted', () =>
    comesTo({ ...smaller, failures: 1 }, part('8')))
  it('an exit while the broker shows more shares than anything explains sells no more than the choice where less is left than was known', () =>
    comesTo({ ...smaller, standing: chosen('4'), failures: 1 }, '4'))
  it('an exit while the broker shows more shares than anything explains sells nothing of its choice once its shares were closed by others', () =>
    comesTo({ shares: [], position: null, standing: chosen('100') }, '0'))
  it('an exit while the broker shows more shares than anything explains sells shares that were filled after the chosen ones were sold', () =>
    comesTo(
      { ...second('5'), shares: lots(['own', '5']), standing: { ...chosen('100'), soldSince: '100' } },
      part('5'),
    ))
  it('an exit while the broker shows more shares than anything explains leaves open what other orders hold of the chosen shares', () =>
    comesTo({ ...shows('100', '60'), standing: chosen('100') }, part('60', '-30')))
  it('an exit while the broker shows more shares than anything explains is sent at the prices that its owner has named again', () =>
    comesTo(
      { position: split, rule: limit, standing: chosen('100', { limitPrice: '12' }) },
      of('100', { prices: { limitPrice: '12', stopPrice: null } }),
    ))

  it('asks its owner with the numbers, and to choose only once it can be answered', async () => {
    assert.deepEqual(await beyondOf({ position: split }), { shown: '100', own: '10' })
    await assert.rejects(size(dueFor(4_999)), ({ message }: Error) => !/choose/i.test(message))
  })

  const booked = (...quantities: Decimal[]) =>
    quantities.map((quantity) => ({ date: '2026-03-02', quantity }))
  for (const [how, splits] of [
    ['as the shares that came', booked('90')],
    ['as those that went and those that came', booked('-10', '100')],
    ['as the new number of all', booked('100')],
  ] as const)
    it(`names the split that its broker has booked ${how}, and what the own shares have become`, async () => {
      const broker = Object.assign(new ScriptedBroker(), { splits: [...splits] })
      const world: Case = {
        broker,
        position: split,
        shares: lots(['own', '4'], ['other', '6']),
        filledQuantity: '4',
      }
      await comesTo(world, /lists a split of AAPL on 2026-03-02, which turns them into 40\b/)
      const told = { shown: '100', own: '4', split: { date: '2026-03-02', own: '40' } }
      assert.deepEqual(await beyondOf(world), told)
    })

  it('names no split that does not explain it, or that its broker cannot report', async () => {
    const broker = Object.assign(new ScriptedBroker(), { splits: booked('30') })
    assert.deepEqual(await beyondOf({ broker, position: split }), { shown: '100', own: '10' })
    broker.listSplits = () => Promise.reject(new BrokerOutcomeUnknown('no answer in time'))
    await beyondOf({ broker, position: split })
  })

  it('sells all when its owner has chosen that, and what nothing explains is booked with it', async () => {
    const books: string[] = []
    await comesTo({ position: split, standing: chosen('100'), booked: books }, '100')
    await comesTo({ ...shortSplit, standing: chosen('100'), booked: books }, '100')
    assert.deepEqual(books, ['90', '-90'])
  })

  it('sells what is left of the chosen shares after an order that sold a part of them, and books nothing', async () => {
    const books: string[] = []
    const standing = { ...chosen('100'), soldSince: '40' as const }
    await comesTo({ ...second('60'), shares: lots([null, '60']), standing, booked: books }, part('60'))
    assert.deepEqual(books, [])
  })
})
