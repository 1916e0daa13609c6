import assert from 'node:assert/strict'
import type { Decimal } from '#domain/decimal.ts'
import type { Answer } from '../../support/recording-activities.ts'
import { databaseDown, fails } from '../../support/step-answers.ts'
import { exitAtOnce, filled, reportOf } from '../../support/sample-signal.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'

describe('an entry that is good till a date', function () {
  this.timeout(30_000)
  const stage = useStage()

  /** Accepted by the broker, and good for an hour. */
  async function working(cancels: Answer<'cancelOrder'>[] = []): Promise<SignalPlay> {
    const play = await stage.begin(
      {
        orderType: 'limit',
        limitPrice: '187.5',
        timeInForce: 'gtd',
        expiresAt: await stage.minutesFromNow(60),
        exit: exitAtOnce,
      },
      (script) => script.answer('cancelOrder', ...cancels),
    )
    await play.script.accepted('entry')
    return play
  }

  /** What the broker says of the entry when it is asked to cancel it. */
  const cancelled =
    (play: () => SignalPlay, filledQuantity: Decimal): Answer<'cancelOrder'> =>
    (_, at) => ({
      report: reportOf(play().sent(play().entryId)[0]!, at, {
        status: 'CANCELLED',
        ...filled(filledQuantity, at),
      }),
    })

  it('an entry that is good till a date is sent good till cancelled, and cancelled at that instant: unfilled, it ends EXPIRED', async () => {
    const play: SignalPlay = await working([cancelled(() => play, '0')])
    assert.equal(play.sent(play.entryId)[0]?.timeInForce, 'gtc')
    assert.equal((await play.progress()).until, play.terms.expiresAt)
    assert.equal((await play.result()).status, 'executed')
    const [cancel] = play.script.callsOf('cancelOrder')
    const late = Date.parse(cancel!.at) - Date.parse(play.terms.expiresAt!)
    assert.ok(late >= 0 && late < 3_000, `cancelled ${late} ms late`)
    assert.equal(cancel?.input.onlyIfUnfilled, false)
    const [closed] = play.script.inputs('recordClosed')
    assert.match(closed!.message, /ended EXPIRED without a fill/)
    assert.equal(play.script.inputs('recordAccepted')[0]?.report.timeInForce, 'gtd')
    assert.deepEqual(closed?.exit, { generation: 1, status: 'cancelled', reason: 'ENTRY_NOT_FILLED' })
  })

  it('partly filled by then: the rest is cancelled, the filled shares get their exit', async () => {
    const play: SignalPlay = await working([cancelled(() => play, '4')])
    await stage.letPass(60)
    await play.script.accepted('exit')
    assert.equal(play.sent(play.exitId())[0]?.quantity, '4')
    await play.tell(play.exitId(), 'FILLED', '4')
    assert.deepEqual((await play.result()).exitFilled, '4')
  })

  it('filled during its cancel: FILLED, and gets its exit', async () => {
    const play: SignalPlay = await working([() => ({ report: null })])
    await stage.letPass(60)
    await play.script.called('cancelOrder')
    await play.tell(play.entryId, 'FILLED', '10')
    await play.script.accepted('exit')
    assert.equal(play.sent(play.exitId())[0]?.quantity, '10')
    await play.tell(play.exitId(), 'FILLED', '10')
    await play.result()
  })

  it('filled before that: never cancelled', async () => {
    const play = await working()
    await play.tell(play.entryId, 'FILLED', '10')
    await play.script.accepted('exit')
    await stage.letPass(90)
    await play.tell(play.exitId(), 'FILLED', '10')
    await play.result()
    assert.deepEqual(play.script.inputs('cancelOrder'), [])
  })

  it('an entry that is good till a date whose end is not reported after the cancel: the cancel is requested again every minute', async () => {
    const pendingCancel: Answer<'cancelOrder'> = () => ({ report: null })
    const play: SignalPlay = await working([pendingCancel, pendingCancel, cancelled(() => play, '0')])
    await play.result()
    const cancels = play.script.callsOf('cancelOrder')
    assert.equal(cancels.length, 3)
    const passed = Date.parse(cancels[2]!.at) - Date.parse(cancels[0]!.at)
    assert.ok(passed >= 120_000 && passed < 126_000, `${passed} ms`)
  })

  it('an entry that is good till a date whose broker cannot be reached at that instant: cancelled as soon as it can', async () => {
    const unreachable = fails('no answer', 'OutcomeUnknown')
    const play: SignalPlay = await working([unreachable, unreachable, cancelled(() => play, '0')])
    await play.result()
    assert.deepEqual(
      play.script.callsOf('cancelOrder').map(({ onTheSpot }) => onTheSpot),
      [true, false, false],
    )
  })

  it('replaced while its cancel is pending: answered at once, not after a minute', async () => {
    const play: SignalPlay = await working([() => ({ report: null }), cancelled(() => play, '0')])
    await stage.letPass(60)
    await play.script.called('cancelOrder')
    assert.deepEqual(await play.replace(), { warning: null })
    assert.equal((await play.result()).status, 'cancelled')
  })

  it('an entry that is good till a date that has expired while the database was down for its record: cancelled then', async () => {
    const play: SignalPlay = await stage.begin(
      {
        orderType: 'limit',
        limitPrice: '187.5',
        timeInForce: 'gtd',
        expiresAt: await stage.minutesFromNow(0),
      },
      (script) =>
        script.answer('recordAccepted', databaseDown, databaseDown).answer(
          'cancelOrder',
          cancelled(() => play, '0'),
        ),
    )
    await play.result()
    assert.equal(play.script.inputs('cancelOrder').length, 1)
  })
})
