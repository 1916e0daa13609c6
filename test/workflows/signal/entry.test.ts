import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import type { OrderStatus } from '#domain/order/order.ts'
import type { Answers } from '#test/support/recording-activities.ts'
import { exitAfter, exitAtOnce } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  accepts,
  acceptsFilled,
  acceptsUnheard,
  busy,
  cancelPends,
  databaseDown,
  denies,
  fails,
  placesNothing,
  stands,
  takenBack,
  times,
  unknownOutcome,
} from '#test/support/step-answers.ts'

const SENDS = ['prepareEntry', 'submitOrder'] as const
const RECORDS = ['recordAccepted', 'recordClosed'] as const
const NOT_FILLED = { generation: 1, status: 'cancelled', reason: 'ENTRY_NOT_FILLED' }

describe('the entry of a signal', () => {
  const stage = useStage()

  it('the entry of a signal is sent by its terms, with the first entry id and the instant after which it is too old', async () => {
    const order = {
      symbol: 'MSFT',
      quantity: '2.5',
      orderType: 'stopLimit',
      limitPrice: '410.25',
      stopPrice: '411',
      timeInForce: 'gtc',
    } as const
    const play = await stage.begin({ action: 'openShort', ...order }, { submitOrder: [acceptsFilled] })
    await play.result()
    const { accountId, sendBefore } = play.terms
    const request = { clientOrderId: play.entryId, side: 'SELL_SHORT', extendedHours: false, ...order }
    assert.deepEqual(play.script.inputs('submitOrder'), [
      { accountId, request, unknownSince: null, sendBefore },
    ])
  })

  it('the entry of a signal filled at once without an exit rule: recorded, closed, no exit', async () => {
    const play = await stage.begin({}, { submitOrder: [acceptsFilled] })
    const outcome = { status: 'executed', reason: null, entryFilled: '10', exitFilled: '0' }
    assert.deepEqual(await play.result(), outcome)
    // The attempt that sends the entry records both, so that the workflow has nothing more to do.
    assert.deepEqual(play.script.order, [...SENDS, ...RECORDS])
    const { acknowledges, exit, rejected, message } = play.closed
    assert.deepEqual(acknowledges, [{ clientOrderId: play.entryId, filledQuantity: '10' }])
    assert.deepEqual([exit, rejected, message], [null, false, 'The entry is filled: 10 of 10 shares at 100'])
  })

  it('the entry of a signal accepted, and later reported filled by the feed: closed with that report and not before', async () => {
    const play = await stage.begin()
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    const waits = { status: 'executed', waitsFor: 'the entry order to end', until: null }
    assert.deepEqual(await play.progress(), waits)
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).entryFilled, '10')
  })

  for (const [end, status, reason] of [
    ['CANCELLED', 'executed', null],
    ['EXPIRED', 'executed', null],
    ['REJECTED', 'rejected', 'BROKER_ERROR'],
  ] as const)
    it(`the entry of a signal accepted and ${end} without a fill: ${status}, its exit cancelled as ENTRY_NOT_FILLED`, async () => {
      const play = await stage.begin({ exit: exitAfter(5) })
      await play.script.accepted('entry')
      await play.tell(play.entryId, end, '0', { reason: 'by the broker' })
      const outcome = await play.result()
      assert.deepEqual([outcome.status, outcome.reason], [status, reason])
      const { exit, message, rejected } = play.closed
      assert.deepEqual([exit, rejected], [NOT_FILLED, end === 'REJECTED'])
      if (status === 'executed')
        assert.equal(message, `The entry order ended ${end} without a fill (by the broker)`)
      assert.deepEqual(play.script.inputs('scheduleExit'), [])
    })

  it('the entry of a signal ends without an order when the ledger has its end, which an execution recorded that is lost', async () => {
    const end = { outcome: 'ended', status: 'cancelled', reason: 'SUPERSEDED', detail: 'Replaced' } as const
    const { play, answer } = await stage.beginAndAwaitEntry(
      { exit: exitAfter(5) },
      { prepareEntry: [() => end] },
    )
    const outcome = { status: 'cancelled', reason: 'SUPERSEDED', entryFilled: '0', exitFilled: '0' }
    assert.deepEqual([await play.result(), answer.status], [outcome, 'cancelled'])
    assert.deepEqual(play.script.order, ['prepareEntry'])
  })

  it('the entry of a signal that is too old when it is decided on ends as one that is too old when it is sent', async () => {
    const { play, answer } = await stage.beginAndAwaitEntry(
      { action: 'closeLong' },
      { prepareEntry: [denies('STALE', 'the position was not shown')] },
    )
    assert.deepEqual([answer.status, answer.reason], ['error', 'STALE'])
    assert.equal(play.script.inputs('recordNotPlaced')[0]?.outcome, 'not_placed')
  })

  for (const [outcome, code, status] of [
    ['denied', 'TRADING_STOPPED', 'rejected'],
    ['rejected', 'INSUFFICIENT_FUNDS', 'rejected'],
    ['stale', 'STALE', 'error'],
    ['conflict', 'DUPLICATE_CLIENT_ORDER_ID', 'error'],
  ] as const)
    it(`the entry of a signal that cannot be placed because it is ${outcome}: ${status} with ${code}, reported to all who wait, sent once`, async () => {
      const detail = 'in the words of the broker'
      const { play, answer } = await stage.beginAndAwaitEntry(
        { exit: exitAfter(5) },
        { submitOrder: [placesNothing(outcome, code, detail)], recordNotPlaced: times(3, databaseDown) },
      )
      assert.deepEqual(await play.result(), { status, reason: code, entryFilled: '0', exitFilled: '0' })
      assert.deepEqual(answer, { status, orderId: null, reason: code, detail })
      assert.deepEqual(play.script.order, [...SENDS, ...times(4, 'recordNotPlaced')])
      const [recorded] = play.script.inputs('recordNotPlaced')
      const expected = status === 'rejected' ? 'rejected' : 'not_placed'
      assert.deepEqual([recorded?.outcome, recorded?.code], [expected, code])
    })

  it('the entry of a signal whose decision was taken back is decided on again, and sent under the same id', async () => {
    const play = await stage.begin({}, { submitOrder: [takenBack('everything was stopped'), acceptsFilled] })
    assert.equal((await play.result()).status, 'executed')
    assert.deepEqual(play.script.order, [...SENDS, ...SENDS, ...RECORDS])
    assert.equal(play.sent(play.entryId).length, 2)
  })

  it('the entry of a signal whose decision was taken back can be withdrawn before it is decided on again', async () => {
    const play = await stage.begin(
      { sendBefore: stage.minutesFromNow(60) },
      {
        submitOrder: [takenBack('everything was stopped')],
        prepareEntry: [
          () => ({ outcome: 'ready', quantity: '10', advisories: [] }),
          ...times(20, fails('everything is stopped', 'Halted')),
        ],
      },
    )
    await play.script.called('prepareEntry', 3)
    assert.equal((await play.withdraw()).status, 'cancelled')
    assert.equal((await play.result()).status, 'cancelled')
  })

  describe('whose outcome is unknown', () => {
    it('the entry of a signal whose outcome is unknown is recorded as transmitted, then sent again under the same id until the broker answers', async () => {
      const play = await stage.begin({}, { submitOrder: [unknownOutcome, unknownOutcome, acceptsFilled] })
      assert.equal((await play.result()).status, 'executed')
      assert.deepEqual(play.script.order, [
        ...SENDS,
        'recordTransmitted',
        ...times(2, 'submitOrder'),
        ...RECORDS,
      ])
      const [first, ...again] = play.script.callsOf('submitOrder')
      const [{ at, cause } = assert.fail('not recorded')] = play.script.inputs('recordTransmitted')
      assert.equal(cause, 'the broker did not answer within 5000 ms')
      assert.deepEqual([first?.input.unknownSince, first?.onTheSpot], [null, true])
      assert.ok(at <= first!.at, `unknown since ${at}, first tried at ${first!.at}`)
      for (const { input, onTheSpot } of again)
        assert.deepEqual([input, onTheSpot], [{ ...first!.input, unknownSince: at }, false])
    })

    it('the entry of a signal whose outcome is unknown because the attempt that checked and sent it is silent: checked again, and looked up before it is sent', async () => {
      const play = await stage.begin({}, { submitOrder: [acceptsUnheard, acceptsFilled] })
      assert.equal((await play.result()).status, 'executed')
      assert.deepEqual(
        play.script.order.filter((step) => step !== 'recordAccepted'),
        [...SENDS, 'prepareEntry', 'recordTransmitted', 'submitOrder', 'recordClosed'],
      )
      const [first, second] = play.script.callsOf('submitOrder')
      assert.deepEqual([first?.input.unknownSince, second?.input.unknownSince], [null, first?.at])
      assert.deepEqual(play.script.inputs('recordTransmitted')[0]?.at, first?.at)
    })

    it('the entry of a signal whose outcome is unknown has status transmitted in answers and queries', async () => {
      const play = await stage.begin({}, { submitOrder: [...times(3, unknownOutcome), acceptsFilled] })
      await play.script.called('submitOrder', 2)
      const cause = 'the broker did not answer within 5000 ms'
      const waitsFor = `the broker to say whether it has the entry order (${cause})`
      assert.deepEqual(await play.progress(), { status: 'transmitted', waitsFor, until: null })
    })
  })

  it('the entry of a signal delayed by a busy broker: not recorded as transmitted, because nothing was placed', async () => {
    const play = await stage.begin({}, { submitOrder: [busy, busy, acceptsFilled] })
    assert.equal((await play.result()).status, 'executed')
    assert.deepEqual(play.script.inputs('recordTransmitted'), [])
    assert.equal(play.sent(play.entryId).length, 3)
  })

  it('the entry of a signal accepted while the database is down: only the record is repeated, never the submission', async () => {
    const play = await stage.begin({}, { submitOrder: [accepts], recordAccepted: times(6, databaseDown) })
    await play.script.accepted('entry', 2)
    // The feed hears of the fill before the ledger does.
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).entryFilled, '10')
    assert.deepEqual(play.script.order, [...SENDS, ...times(7, 'recordAccepted'), 'recordClosed'])
    const inputs = play.script.inputs('recordAccepted')
    for (const input of inputs) assert.deepEqual(input, inputs[0])
  })

  describe('that is good till a date', () => {
    /** Accepted by the broker, and good for an hour. */
    async function working(...cancelOrder: NonNullable<Answers['cancelOrder']>): Promise<SignalPlay> {
      const terms = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtd', exit: exitAtOnce } as const
      const play = await stage.begin({ ...terms, expiresAt: stage.minutesFromNow(60) }, { cancelOrder })
      await play.script.accepted('entry')
      return play
    }
    /** Milliseconds after the date at which its broker was asked to cancel it. */
    const cancelledAfter = (play: SignalPlay) =>
      play.script.callsOf('cancelOrder').map(({ at }) => Date.parse(at) - Date.parse(play.terms.expiresAt!))
    const gone = stands('CANCELLED')

    it('an entry that is good till a date is sent good till cancelled, and cancelled at that instant: unfilled, it ends EXPIRED', async () => {
      const play = await working(gone)
      assert.equal(play.sent(play.entryId)[0]?.timeInForce, 'gtc')
      assert.equal((await play.progress()).until, play.terms.expiresAt)
      assert.equal((await play.result()).status, 'executed')
      assert.deepEqual(cancelledAfter(play), [0])
      assert.equal(play.script.inputs('cancelOrder')[0]?.onlyIfUnfilled, false)
      assert.match(play.closed.message, /ended EXPIRED without a fill/)
      assert.equal(play.script.inputs('recordAccepted')[0]?.report.timeInForce, 'gtd')
      assert.deepEqual(play.closed.exit, NOT_FILLED)
    })

    const ENDS: [
      title: string,
      says: Answers['cancelOrder'],
      tells: [OrderStatus, Decimal] | null,
      exit: Decimal,
    ][] = [
      ['partly filled by then: the rest is cancelled', [stands('CANCELLED', '4')], null, '4'],
      ['filled during its cancel: FILLED', [cancelPends], ['FILLED', '10'], '10'],
    ]
    for (const [title, says, tells, exit] of ENDS)
      it(`an entry that is good till a date, ${title}, and the filled shares get their exit`, async () => {
        const play = await working(...says!)
        await play.script.called('cancelOrder')
        if (tells) await play.tell(play.entryId, ...tells)
        assert.equal((await play.fillExit()).exitFilled, exit)
      })

    it('an entry that is good till a date whose end is not reported after the cancel: the cancel is requested again every minute', async () => {
      const play = await working(cancelPends, cancelPends, gone)
      await play.result()
      assert.deepEqual(cancelledAfter(play), [0, 60_000, 120_000])
    })

    it('an entry that is good till a date whose broker cannot be reached at that instant: cancelled as soon as it can', async () => {
      const play = await working(...times(2, fails('no answer', 'OutcomeUnknown')), gone)
      await play.result()
      assert.deepEqual(
        play.script.callsOf('cancelOrder').map(({ onTheSpot }) => onTheSpot),
        [true, false, false],
      )
    })

    it('an entry that is good till a date, replaced while its cancel is pending: answered at once, not after a minute', async () => {
      const play = await working(cancelPends, gone)
      await play.script.called('cancelOrder')
      assert.deepEqual(await play.replace(), { warning: null })
      assert.deepEqual(cancelledAfter(play), [0, 0])
      assert.equal((await play.result()).status, 'cancelled')
    })

    it('an entry that is good till a date that has expired while the database was down for its record: cancelled then', async () => {
      const play = await stage.begin(
        { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtd', expiresAt: stage.minutesFromNow(0) },
        { recordAccepted: [databaseDown, databaseDown], cancelOrder: [gone] },
      )
      await play.result()
      assert.equal(play.script.inputs('cancelOrder').length, 1)
      assert.match(play.closed.message, /EXPIRED/)
    })
  })
})
