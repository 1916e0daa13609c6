import assert from 'node:assert/strict'
import type { OpenTrade, Order, SignalDetail, SignalEvent } from '#client/types.ts'
import { fits, queryOf, readFilters, viewOf } from '#web/signal/filters.ts'
import { withNews } from '#web/signal/page-news.ts'
import { phasesOf, totalOf } from '#web/signal/speed.ts'
import { EXIT_REASON_NAMES, lastReason, resultOf } from '#web/signal/result.ts'
import { nextOf, stagesOf } from '#web/signal/story.ts'
import { asCurl, asTradingView } from '#web/signal/templates.ts'
import { linesOf } from '#web/signal/timeline.ts'
import { emptyDraft, ofSignal } from '#web/trade/draft.ts'
import { NO_EXIT } from '#web/trade/exit.ts'
import { bodyOf } from '#web/trade/sent.ts'
import { silenceOf } from '#web/words/brokers.ts'
import { detail } from '#web/words/status.ts'
import { duration } from '#web/words/times.ts'

const ID = '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'
const ACCOUNT = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'
const day = (time: string): string => `2026-03-02T${time}Z`

const signal = (changes: Partial<SignalDetail> = {}): SignalDetail => ({
  id: ID,
  workflow: { id: `signal-${ID}`, url: null },
  accountId: ACCOUNT,
  strategyId: null,
  sourceId: null,
  origin: 'sender',
  manages: null,
  symbol: 'AAPL',
  action: 'openLong',
  quantity: 10,
  quantityType: 'fixed',
  executeMode: 'immediate',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  expiresAt: null,
  extendedHours: false,
  scheduledAt: null,
  validUntil: null,
  timezone: null,
  exitRule: null,
  metadata: null,
  targetPosition: null,
  targetAt: null,
  continuedBy: null,
  wish: null,
  continues: null,
  groupId: null,
  advisories: [],
  status: 'executed',
  statusReason: null,
  statusDetail: null,
  orderId: null,
  filledQuantity: 10,
  avgFillPrice: 227.98,
  exit: null,
  protection: null,
  heldPrice: null,
  tokenId: 'e5d4c3b2-a190-4f8e-9d7c-6b5a49382716',
  sentBy: 'token "TradingView"',
  decidedBy: null,
  decidedAt: null,
  approvalRefused: null,
  createdAt: day('15:00:00.100'),
  updatedAt: day('15:00:01.000'),
  ...changes,
  timings: {
    receivedAt: day('15:00:00.100'),
    checkedAt: day('15:00:00.200'),
    sentAt: day('15:00:00.250'),
    acknowledgedAt: day('15:00:00.300'),
    filledAt: day('15:00:00.290'),
    exitDueAt: null,
    exitSentAt: null,
    exitFilledAt: null,
    ...changes.timings,
  },
  result: changes.result ?? { closedQuantity: 0, realisedPnl: 0, fees: 0, closes: [] },
})
const NOT_SENT = { checkedAt: null, sentAt: null, acknowledgedAt: null, filledAt: null }
const exiting = {
  exitRule: {
    triggerType: 'minutesBeforeClose',
    triggerMinutes: 15,
    triggerTime: null,
    orderType: 'market',
    limitPrice: null,
    stopPrice: null,
    timeInForce: 'day',
  },
  exit: { status: 'scheduled', submitAt: day('20:45:00.000'), orderId: null, reason: null },
} as const satisfies Partial<SignalDetail>

const order = (changes: Partial<Order> = {}): Order => ({
  id: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a',
  accountId: ACCOUNT,
  brokerOrderId: 'b1',
  symbol: 'AAPL',
  side: 'BUY',
  orderType: 'MARKET',
  quantity: 10,
  filledQuantity: 10,
  limitPrice: null,
  stopPrice: null,
  stopLimitPrice: null,
  trail: null,
  avgFillPrice: 227.98,
  status: 'FILLED',
  timeInForce: 'DAY',
  expiresAt: null,
  createdAt: day('15:00:00.250'),
  filledAt: day('15:00:00.290'),
  signalId: ID,
  role: 'entry',
  ...changes,
})

const event = (kind: SignalEvent['kind'], time: string, data: SignalEvent['data'] = null): SignalEvent => ({
  kind,
  at: day(time),
  message: `as the service words ${kind}`,
  data,
})

const stages = (known: Partial<SignalDetail>, orders: Order[] = [order()], events: SignalEvent[] = []) =>
  stagesOf({ signal: signal(known), orders, events }).map(({ name, is }) => `${name} ${is}`)

describe('the filters of the signals page', () => {
  it('leave out of an address the values that the service would refuse', () => {
    assert.deepEqual(
      readFilters({
        status: 'pending,nonsense,executed',
        symbol: 'aapl',
        account: 'not an id',
        from: 'yesterday',
        mode: 'immediate',
        sort: 'price',
        source: 17,
        unknown: 'x',
      }),
      { status: 'pending,executed', symbol: 'AAPL', mode: 'immediate', source: '17' },
    )
  })

  it('take a day as the whole of it', () => {
    const { from, to } = queryOf({ from: '2026-03-02', to: '2026-03-02' })
    assert.equal(Date.parse(to!) - Date.parse(from!), 86_400_000)
  })

  it('name the view that their statuses are, in any order', () => {
    assert.equal(viewOf({}), 'all')
    assert.equal(viewOf({ status: 'scheduled,pending' }), 'waiting')
    assert.equal(viewOf({ status: 'pending' }), undefined)
  })

  it('judge a signal of the stream as the service does', () => {
    const one = signal({ ...exiting, strategyId: ID, sourceId: 'a' })
    assert.ok(fits(one, { status: ['executed'], exitStatus: ['scheduled'], symbol: 'AAPL', strategyId: ID }))
    for (const other of [
      { status: ['pending' as const] },
      { exitStatus: ['filled' as const] },
      { symbol: 'MSFT' },
      { sourceId: 'b' },
      { executeMode: 'pending' as const },
      { tokenId: ACCOUNT },
      { to: one.createdAt },
      { from: day('15:00:00.101') },
    ])
      assert.equal(fits(one, other), false, JSON.stringify(other))
  })
})

describe('a page of signals', () => {
  const page = { signals: [signal()], total: 1, totalIsExact: true, offset: 0, nextCursor: null }

  it('changes a signal in its place, and lets one go that does not fit any more', () => {
    const changed = signal({ status: 'rejected' })
    assert.deepEqual(withNews(page, changed, {})?.signals, [changed])
    const left = withNews(page, changed, { status: ['executed'] })
    assert.deepEqual([left?.signals, left?.total], [[], 0])
  })

  it('puts a new signal first on the first page only', () => {
    const later = signal({ id: ACCOUNT, createdAt: day('15:01:00.000') })
    assert.deepEqual(
      withNews(page, later, {})?.signals.map(({ id }) => id),
      [ACCOUNT, ID],
    )
    assert.deepEqual(withNews(page, later, { cursor: 'x' }), page)
    assert.deepEqual(withNews({ ...page, offset: 50 }, later, {})?.signals, page.signals)
  })

  it('asks the service again where the place of a signal is not known', () => {
    const earlier = signal({ id: ACCOUNT, createdAt: day('14:00:00.000') })
    assert.equal(withNews(page, earlier, {}), null)
    assert.equal(withNews(page, signal({ id: ACCOUNT }), { sort: 'validUntil' }), null)
  })

  it('a page of signals never grows beyond sixty rows', () => {
    let grown = page as Parameters<typeof withNews>[0]
    for (let index = 0; index < 200; index++) {
      const next = withNews(grown, signal({ id: `new ${index}`, createdAt: day('16:00:00.000') }), {})
      if (next === null) break
      grown = next
    }
    assert.equal(grown.signals.length, 60)
  })
})

describe('the picture of a signal', () => {
  const exit = { status: 'submitted', submitAt: null, orderId: null, reason: null } as const
  const plan = { stop: { price: 216.58, by: 'stop' }, target: 250 }
  const guarded = { protection: { stop: { percent: 5 } }, plan } as object
  const at = signal().timings
  const unsent = { ...at, ...NOT_SENT }
  const expired = {
    status: 'cancelled',
    statusReason: 'EXPIRED',
    executeMode: 'pending',
    filledQuantity: 0,
    timings: unsent,
  } as const
  const because = 'The order is worth $6,000.00, and orders above $5,000.00 wait for a person'
  const held: Partial<SignalDetail> = {
    status: 'pending',
    filledQuantity: 0,
    advisories: [{ code: 'held_for_approval', message: because }],
    timings: unsent,
  }
  const declined = {
    ...held,
    status: 'rejected',
    statusReason: 'DECLINED',
    decidedAt: day('15:00:48.000'),
  } as const
  const close = {
    at: day('16:00:00.000'),
    quantity: 4,
    price: 230,
    realisedPnl: 8.08,
    signalId: null,
    reason: 'CLOSE',
    clientOrderId: null,
  } as const
  const closes: SignalDetail['result']['closes'] = [
    { ...close, by: 'person', person: 'ada@example.com' },
    { ...close, at: day('16:30:00.000'), quantity: 6, by: 'signal', signalId: ACCOUNT, person: null },
  ]
  /** What others have closed of it: the first four shares, or all ten. */
  const closed = (count: number): SignalDetail['result'] => ({
    closedQuantity: count === 2 ? 10 : 4,
    realisedPnl: 8.08 * count,
    fees: 0.1,
    closes: closes.slice(0, count),
  })
  const unfilled = { filledQuantity: 0, timings: { ...at, filledAt: null } }
  const cancelled = { ...exiting, exit: { ...exiting.exit, status: 'cancelled' } } as const
  const gone = { ...exiting, result: closed(2) }
  const shown = (known: Partial<SignalDetail>, events: SignalEvent[] = [], orders = [order()]) =>
    stagesOf({ signal: signal(known), orders, events })
  const next = (known: Partial<SignalDetail>, orders = [order()], silence: string | null = null) =>
    nextOf({ signal: signal(known), orders, events: [] }, { entry: '', exit: '' }, null, silence)

  const STAGES: [
    name: string,
    known: Partial<SignalDetail>,
    from: number,
    stages: string[],
    orders?: Order[],
  ][] = [
    [
      'ends with the fill without an exit',
      {},
      0,
      ['Received done', 'Checked done', 'Sent done', 'Filled done'],
    ],
    ['waits for the exit of a filled entry', exiting, 3, ['Filled done', 'Exit now', 'Closed ahead']],
    [
      'is complete once the exit has filled',
      {
        ...exiting,
        exit: { ...exiting.exit, status: 'filled' },
        timings: { ...at, exitSentAt: day('20:45:00.010'), exitFilledAt: day('20:45:00.100') },
      },
      4,
      ['Exit sent done', 'Closed done'],
    ],
    ['is protected by its plan', { ...guarded, exit }, 3, ['Filled done', 'Protected done', 'Closed now']],
    [
      'shows a plan that was removed',
      { ...guarded, plan: null, exit: { ...exit, status: 'cancelled' } } as object,
      -1,
      ['Protection removed failed'],
    ],
    ['ends where it came to nothing', expired, 0, ['Received done', 'Expired failed'], []],
    ['shows an exit that was cancelled', cancelled, 4, ['Exit cancelled failed']],
    ['has no exit ahead where others closed all', gone, 3, ['Filled done', 'Closed done']],
    [
      'keeps its exit for the shares left',
      { ...exiting, result: closed(1) },
      4,
      ['Exit now', 'Closed ahead'],
    ],
    [
      'ends with an order that expired',
      unfilled,
      -1,
      ['Order expired failed'],
      [order({ status: 'EXPIRED', filledQuantity: 0 })],
    ],
  ]
  for (const [name, known, from, expected, orders] of STAGES)
    it(`the picture of a signal ${name}`, () => {
      assert.deepEqual(stages(known, orders).slice(from), expected)
    })

  it('the picture of a signal names the time of an exit, of an end and of each wait', () => {
    const last = (known: Partial<SignalDetail>, events?: SignalEvent[]) => shown(known, events).at(-1)
    assert.equal(shown(exiting)[4]?.at, day('20:45:00.000'))
    assert.deepEqual(shown(exiting)[4]?.wait, { ms: null, why: '15 minutes before the close' })
    const soon = { ...exiting, exitRule: { ...exiting.exitRule, triggerMinutes: 1 } }
    assert.equal(shown(soon)[4]?.wait?.why, '1 minute before the close')
    assert.equal(last(expired, [event('cancelled', '15:05:00.000')])?.at, day('15:05:00.000'))
    const approved = { executeMode: 'pending', decidedAt: day('15:00:48.100') } as const
    assert.deepEqual(shown(approved)[1]?.wait, { ms: 48_000, why: 'for approval' })
    const behind = { timings: { ...at, filledAt: day('14:59:00.000') } }
    assert.equal(shown(behind)[3]?.wait?.ms, 0, 'the clock of the broker is behind')
  })

  it('the picture of a signal that a limit of its owner holds shows for whom it waits, why, and how it ended', () => {
    const events = [event('held', '15:00:00.200')]
    assert.deepEqual(stages(held, [], events), [
      'Received done',
      'Approval required done',
      'Approved now',
      'Sent ahead',
      'Filled ahead',
    ])
    const then = nextOf({ signal: signal(held), orders: [], events }, { entry: '', exit: '' })
    assert.equal(then?.title, 'Above your approval limit')
    assert.ok(then.isToDecide && then.why?.startsWith(`${because}. `))
    const approved = { ...held, timings: at, status: 'executed', decidedAt: day('15:00:00.240') } as const
    assert.deepEqual(shown(approved, events)[2]?.wait, { ms: 40, why: 'for approval' })
    assert.deepEqual(stages(declined, [], events), [
      'Received done',
      'Approval required done',
      'Declined failed',
    ])
  })

  it('the picture of a signal shows the next step', () => {
    const title = (known: Partial<SignalDetail>) => next(known)?.title
    assert.equal(title({ ...guarded, exit }), 'Protected: stop loss $216.58, take profit $250.00')
    assert.equal(title(expired), 'Expired. No order was sent')
    assert.match(title(cancelled) ?? '', /position stays/)
    assert.deepEqual([title(gone), next(gone)?.at], ['Nothing left to sell', undefined])
  })

  it('says for whom a signal in flight waits while its broker does not answer', () => {
    const now = Date.parse(day('15:00:08.400'))
    assert.equal(silenceOf({ unansweredSince: null }, now), null)
    assert.equal(silenceOf({ unansweredSince: day('15:00:00.000') }, now), 'has not answered for 8 s')
    const words = 'Paper venue has not answered for 8 s'
    const working = [order({ status: 'OPEN', filledQuantity: 0 })]
    for (const [status, orders] of [
      ['queued', []],
      ['transmitted', []],
      ['executed', working],
    ] as const)
      for (const silence of [words, null]) {
        const told = next({ status, filledQuantity: 0 }, [...orders], silence)
        assert.equal(`${told?.title} ${told?.why}`.includes('answered for'), silence !== null, status)
      }
  })

  it('a signal whose shares others have closed names in its timeline who closed how many at which price', () => {
    const events = [event('exit_planned', '15:00:01.000'), event('exit_delayed', '16:15:00.000')]
    const lines = linesOf(events, signal({ result: closed(2) }), [order()], 'market')
    assert.deepEqual(
      lines.map(({ text, after }) => [text, after]),
      [
        ['as the service words exit_planned', null],
        ['4 sold by hand by ada@example.com at $230.00 (+$8.08)', 3_599_000],
        ['as the service words exit_delayed', 900_000],
        ['6 closed by signal 7f9c24e8 at $230.00 (+$8.08)', 900_000],
      ],
    )
  })

  it('a signal whose shares others have closed has the result of all its shares, so far while some are open', () => {
    const open = { unrealisedPnl: 12, currentPrice: 230, fees: 0.05 } as OpenTrade
    const partly = resultOf(signal({ result: closed(1) }), [open])
    assert.deepEqual([partly?.pnl, partly?.isSoFar, partly?.out], [20.08, true, 230])
    assert.equal(resultOf(signal({ result: closed(1) }), [])?.pnl, null)
    const whole = resultOf(signal({ result: closed(2) }), [])
    assert.deepEqual([whole?.pnl, whole?.isSoFar], [16.16, false])
    assert.equal(resultOf(signal(), []), null)
  })
})

describe('how fast a signal was', () => {
  it('counts from the moment at which a person let it go', () => {
    const phases = phasesOf(signal({ executeMode: 'pending', decidedAt: day('15:00:00.150') }))
    assert.deepEqual(
      phases.map(({ name, took }) => [name, took]),
      [
        ['Check', 50],
        ['Send', 50],
        ['Answer of the broker', 50],
      ],
    )
    assert.equal(totalOf(phases), 150)
  })

  it('words a duration by its size', () => {
    assert.deepEqual([0, 93, 1_400, 48_000, 252_000, 18_840_000, 260_000_000].map(duration), [
      '0 ms',
      '93 ms',
      '1.4 s',
      '48 s',
      '4 min 12 s',
      '5 h 14 min',
      '3 days',
    ])
  })
})

describe('the timeline in words', () => {
  const text = (one: SignalEvent, zone: 'market' | 'utc' = 'market', changes: Partial<SignalDetail> = {}) =>
    linesOf([one], signal(changes), [order()], zone)[0]?.text

  it('shows times in the zone that was chosen', () => {
    const planned = event('exit_planned', '15:00:00.300', { submitAt: day('20:45:00.000'), reason: null })
    assert.equal(text(planned), 'Exit scheduled for 15:45 New York')
    assert.equal(text(planned, 'utc'), 'Exit scheduled for 20:45 UTC')
  })

  it('names who approved with which edits', () => {
    const due = event('due', '15:00:48.000', {
      by: 'ada@example.com',
      quantity: '5.000',
      limitPrice: '186.90',
    })
    assert.equal(text(due), 'Approved by ada@example.com, with quantity 5 and limit $186.90')
  })

  it('shows fills without needless places', () => {
    const data = {
      clientOrderId: `${ID}-x1`,
      status: 'FILLED',
      filledQuantity: '10.000000000',
      avgFillPrice: '227.98',
    }
    assert.equal(
      text(event('order_progress', '15:00:00.290', data)),
      'The exit order is filled: 10 at $227.98',
    )
  })

  it('the timeline names the level that closed the position, and its result, once', () => {
    const reasons = Object.keys(EXIT_REASON_NAMES) as (keyof typeof EXIT_REASON_NAMES)[]
    const at = day('16:00:00.000')
    for (const [action, done, realisedPnl, result] of [
      ['openLong', 'sold', 182, '+$182.00'],
      ['openShort', 'bought to cover', -40.5, '−$40.50'],
    ] as const)
      for (const [index, reason] of reasons.entries()) {
        const clientOrderId = `${ID}-${['p1', 't2', 'x3'][index % 3]!}`
        const of = { at, quantity: 10, price: 30, realisedPnl, clientOrderId, signalId: ID, person: null }
        const closed = signal({
          action,
          exit: { ...exiting.exit, status: 'filled' },
          timings: { ...signal().timings, exitSentAt: at },
          result: { closedQuantity: 10, realisedPnl, fees: 0, closes: [{ ...of, by: 'exit', reason }] },
        })
        const data = { clientOrderId, status: 'FILLED', filledQuantity: '10', avgFillPrice: '30' }
        const events = [
          event('order_progress', '16:00:00.000', data),
          { ...event('closed', '16:00:00.100'), message: 'The exit is filled: 10 at 30' },
        ]
        const lines = linesOf(events, closed, [order()], 'market').map(({ text: line }) => line)
        assert.equal(lines.length, 1)
        assert.ok(lines[0]!.endsWith(`: ${done} 10 at $30.00 (${result})`), lines[0])
        const word = EXIT_REASON_NAMES[reason]
        assert.ok(lines[0]!.toLowerCase().startsWith(word.split(' ')[0]!), `${lines[0]} ${word}`)
        assert.equal(lastReason(closed), reason)
        const shown = { ...closed, status: 'executed' as const, closed: { reason, realisedPnl } }
        assert.ok(detail(shown, Date.parse(at), 'market').endsWith(`, result ${result}`))
        const note = stagesOf({ signal: closed, events: [], orders: [order()] }).at(-1)?.note ?? ''
        assert.ok(note.endsWith(result) && (reason === 'CLOSE' || note.toLowerCase().startsWith(word)), note)
      }
    assert.equal(lastReason(signal({ ...exiting })), null)
  })

  it('calls the order of a signal that closes a position a closing order', () => {
    const data = { clientOrderId: `${ID}-e1`, status: 'FILLED', filledQuantity: '10', avgFillPrice: '227.98' }
    const filled = event('order_progress', '15:00:00.290', data)
    assert.equal(text(filled), 'The entry order is filled: 10 at $227.98')
    assert.equal(
      text(filled, 'market', { action: 'closeLong' }),
      'The closing order is filled: 10 at $227.98',
    )
  })

  it('takes the words of the service for an exit at a price, which its plan may have changed since', () => {
    const accepted = event('acknowledged', '15:00:00.290', { brokerOrderId: 'b1' })
    const told = (changes: Partial<Order>) =>
      linesOf([accepted], signal(), [order(changes)], 'market')[0]?.text
    assert.equal(told({ role: 'exit', orderType: 'STOP', stopPrice: 95 }), accepted.message)
    assert.equal(text(event('closed', '15:00:00.290')), 'as the service words closed')
    assert.equal(
      told({ orderType: 'STOP', stopPrice: 195 }),
      'The broker accepted the entry: buy 10 AAPL, stop $195.00 (day)',
    )
  })
})

describe('a signal that is written by hand', () => {
  const draft = emptyDraft({ sourceId: 'web-1', symbol: ' aapl ', accountId: ACCOUNT, quantity: '10' })

  it('leaves out fields that a later choice has hidden', () => {
    const limit = {
      ...draft,
      orderType: 'limit',
      limitPrice: '187.50',
      exit: { ...NO_EXIT, exitTriggerType: 'immediate' },
    } as const
    assert.equal(bodyOf(limit, 0).limitPrice, 187.5)
    const changed = bodyOf({ ...limit, orderType: 'market', side: 'SELL' }, 10)
    assert.deepEqual([changed.limitPrice, changed.exitTriggerType], [undefined, undefined])
  })

  it('a signal that is written by hand is a signal again that was sent before, without the times that have passed', () => {
    const before = signal({
      ...exiting,
      executeMode: 'scheduled',
      scheduledAt: '2020-01-02T15:00:00.000Z',
      validUntil: '2999-01-02T15:00:00.000Z',
      timezone: 'America/New_York',
      metadata: { note: 'x' },
    })
    const again = ofSignal(before, ACCOUNT)
    assert.deepEqual([again.isSignal, again.side, again.effect], [true, 'BUY', 'open'])
    assert.deepEqual(bodyOf(again, 0), {
      symbol: 'AAPL',
      action: 'openLong',
      accountId: ACCOUNT,
      quantity: 10,
      executeMode: 'scheduled',
      validUntil: '2999-01-02T10:00:00',
      timezone: 'America/New_York',
      exitTriggerType: 'minutesBeforeClose',
      exitTriggerMinutes: 15,
      sourceId: again.sourceId,
      metadata: { note: 'x' },
    })
  })

  it('keeps its quotes within a command line', () => {
    const line = asCurl({ ...bodyOf(draft, 0), metadata: { note: "it's $HOME" } }, 'http://127.0.0.1:3000')
    assert.ok(line.includes(String.raw`it'\''s $HOME`), line)
  })

  it('a signal that is written by hand is an alert of TradingView with a name of its own for each alert', () => {
    const body = bodyOf(
      { ...draft, orderType: 'limit', limitPrice: '187', validUntil: '2026-03-02T10:00' },
      0,
    )
    const alert = JSON.parse(asTradingView(body, 'alert'))
    assert.deepEqual(
      [alert.symbol, alert.limitPrice, alert.validUntil, alert.timezone],
      ['{{ticker}}', '{{close}}', undefined, undefined],
    )
    assert.equal(alert.sourceId, `${body.sourceId} openLong 10 {{ticker}} {{interval}} {{timenow}}`)
  })
})
