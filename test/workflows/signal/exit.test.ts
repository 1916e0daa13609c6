import assert from 'node:assert/strict'
import { subtract } from '#domain/decimal.ts'
import { addMinutes } from '#domain/wall-time.ts'
import {
  accepts,
  acceptsFilled,
  busy,
  databaseDown,
  placesNothing,
  recordsAcceptance,
  unknownOutcome,
  type Answer,
} from '../../support/recording-activities.ts'
import { exitAfter, exitAtOnce, reportOf } from '../../support/sample-signal.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'

/** The broker takes the order, and has rejected it by the time it answers. */
const acceptsAndRejects: Answer<'submitOrder'> = ({ request }, at) => ({
  outcome: 'accepted',
  report: reportOf(request, at, { status: 'REJECTED', endedAt: at }),
})

/** A timer starts when the task that asks for it ends, so it may ring a little late, in milliseconds. */
const LATENESS = 1_000

/** Milliseconds that the first exit order was sent after its time. */
function lateness(play: SignalPlay, submitAt: string): number {
  const sent = play.script
    .callsOf('submitOrder')
    .find((call) => call.input.request.clientOrderId === play.exitId())
  assert.ok(sent, 'no exit was sent')
  return Date.parse(sent.at) - Date.parse(submitAt)
}

function assertPunctual(play: SignalPlay, submitAt: string): void {
  const late = lateness(play, submitAt)
  assert.ok(late >= 0 && late < LATENESS, `the exit was sent ${late} ms after ${submitAt}`)
}

const refusal = placesNothing('rejected', 'INVALID_ORDER', 'the symbol is halted')

describe('the exit of a signal', function () {
  this.timeout(30_000)
  const stage = useStage()

  it('immediate: sent when the entry has ended, sized to its fill, followed to its end', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, accepts),
    )
    await play.script.accepted('exit')
    await play.tell(play.exitId(), 'FILLED', '10')
    assert.deepEqual(await play.result(), {
      status: 'executed',
      reason: null,
      entryFilled: '10',
      exitFilled: '10',
    })
    assert.deepEqual(play.script.order, [
      'prepareEntry',
      'submitOrder',
      'recordAccepted',
      'planExit',
      'sizeExit',
      'submitOrder',
      'recordAccepted',
      'recordClosed',
    ])
    const [closed] = play.script.inputs('recordClosed')
    assert.deepEqual(closed?.exit, { generation: 2, status: 'filled', reason: null })
    assert.deepEqual(closed.acknowledges, [
      { clientOrderId: play.entryId, filledQuantity: '10' },
      { clientOrderId: play.exitId(), filledQuantity: '10' },
    ])
    assert.equal(closed.message, 'The exit is filled: 10 at 100')
  })

  it('the exit of a signal for the closing auction: a market order with time in force cls', async () => {
    const play = await stage.begin(
      { action: 'openShort', exit: { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } },
      (script) => script.answer('submitOrder', acceptsFilled, acceptsFilled),
    )
    await play.result()
    const [exit] = play.sent(play.exitId())
    assert.equal(exit?.orderType, 'market')
    assert.equal(exit.timeInForce, 'cls')
    assert.equal(exit.side, 'BUY_TO_COVER')
  })

  it('the exit of a signal for the closing auction, of parts of a share: the part at market first, then the whole shares in the auction', async () => {
    const play = await stage.begin(
      { exit: { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } },
      (script) =>
        script.answer('submitOrder', acceptsFilled, acceptsFilled, acceptsFilled).answer(
          'sizeExit',
          () => ({ quantity: '0.33', coversQuantity: '7', notBefore: null, isFraction: true }),
          () => ({ quantity: '3', coversQuantity: '3', notBefore: null }),
        ),
    )
    await play.result()
    assert.deepEqual(
      play.script.inputs('submitOrder').map(({ request }) => [request.quantity, request.timeInForce]),
      [
        ['10', 'day'],
        ['0.33', 'day'],
        ['3', 'cls'],
      ],
    )
  })

  for (const [what, answer] of [
    ['refused', placesNothing('rejected', 'INVALID_ORDER', 'the asset is not fractionable')],
    ['rejected after its acceptance', acceptsAndRejects],
  ] as const)
    it(`the exit of a signal for the closing auction, whose part of a share is ${what}: the whole shares leave all the same`, async () => {
      const part = { quantity: '0.33', coversQuantity: '0.33', notBefore: null, isFraction: true } as const
      const play = await stage.begin(
        { exit: { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } },
        (script) =>
          script.answer('submitOrder', acceptsFilled, answer, acceptsFilled, acceptsFilled).answer(
            'sizeExit',
            () => part,
            () => ({ quantity: '9.67', coversQuantity: '9.67', notBefore: null }),
            () => part,
          ),
      )
      await play.result()
      const asked = play.script.inputs('sizeExit').map(({ wholeFirst }) => wholeFirst)
      assert.deepEqual(asked, [undefined, true, true])
      const sent = play.script.inputs('submitOrder').map(({ request }) => request.timeInForce)
      assert.deepEqual(sent, ['day', 'day', 'cls', 'day'])
    })

  it('30 minutes after the entry: sent then, neither earlier nor a second later', async () => {
    const play = await stage.begin({ exit: exitAfter(30) }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.fillEntry()
    await play.result()
    const [plan] = play.script.inputs('planExit')
    assertPunctual(play, addMinutes(plan!.entryEndedAt, 30))
    assert.equal(plan?.entry.filledQuantity, '10')
  })

  it('rolled to the next session: sent when that opens, and the query says until when it waits', async () => {
    let opensAt = ''
    const play = await stage.begin({ exit: exitAfter(30) }, (script) =>
      script.answer('submitOrder', acceptsFilled, acceptsFilled).answer('planExit', ({ entryEndedAt }) => {
        opensAt = addMinutes(entryEndedAt, 60 * 65.5)
        return { submitAt: opensAt, reason: 'exit_rolled_to_next_session' }
      }),
    )
    await play.script.called('planExit')
    assert.deepEqual(await play.progress(), {
      status: 'executed',
      waitsFor: 'the exit time',
      until: opensAt,
    })
    await play.result()
    assertPunctual(play, opensAt)
  })

  it('the exit of a signal whose time has passed when it is planned: sent at once', async () => {
    const play = await stage.begin({ exit: exitAfter(0) }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, acceptsFilled)
        .answer('planExit', ({ entryEndedAt }) => ({ submitAt: addMinutes(entryEndedAt, -5), reason: null })),
    )
    await play.result()
    assert.ok((await play.history()).every(({ timerStartedEventAttributes }) => !timerStartedEventAttributes))
  })

  it('the exit of a signal is timed from the cancel of an entry that filled in part before, not from its fill', async () => {
    const play = await stage.begin({ exit: exitAfter(5) }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    const endedAt = addMinutes(play.script.acceptances('entry')[0]!.at, 90)
    await play.tell(play.entryId, 'CANCELLED', '4', { endedAt })
    await play.script.called('planExit')
    const [plan] = play.script.inputs('planExit')
    assert.equal(plan?.entryEndedAt, endedAt)
    assert.ok(plan.entry.filledAt! < endedAt)
    await play.result()
  })

  for (const end of ['CANCELLED', 'EXPIRED'] as const) {
    it(`the exit of a signal after an entry that was ${end} when partly filled: sized to the part`, async () => {
      const play = await stage.begin({ exit: exitAfter(5) }, (script) =>
        script.answer('submitOrder', accepts, acceptsFilled),
      )
      await play.script.accepted('entry')
      await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
      await play.tell(play.entryId, end, '7')
      const outcome = await play.result()
      assert.equal(outcome.entryFilled, '7')
      assert.equal(outcome.exitFilled, '7')
      assert.equal(play.sent(play.exitId())[0]?.quantity, '7')
    })
  }

  it('the exit of a signal of a gtc entry that is partly filled and still works: not sent, and the entry is not cancelled for it', async () => {
    const play = await stage.begin({ exit: exitAtOnce, timeInForce: 'gtc' }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    await stage.letPass(7 * 24 * 60)
    assert.deepEqual(play.script.inputs('planExit'), [])
    assert.deepEqual(play.script.inputs('cancelOrder'), [])
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '10')
    assert.equal(play.sent(play.exitId())[0]?.quantity, '10')
  })

  it('the exit of a signal after a fill that came late, between the end of the entry and the exit time: grows with it', async () => {
    const play = await stage.begin({ exit: exitAfter(5) }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('planExit')
    await play.tell(play.entryId, 'CANCELLED', '8')
    const outcome = await play.result()
    assert.equal(outcome.entryFilled, '8')
    assert.equal(outcome.exitFilled, '8')
    assert.deepEqual(
      play.script.inputs('sizeExit').map(({ filledQuantity }) => filledQuantity),
      ['8'],
    )
    // Planned for again, at the same time, so that the ledger knows that the workflow knows.
    const plans = play.script.inputs('planExit')
    assert.deepEqual(
      plans.map(({ entry }) => entry.filledQuantity),
      ['7', '8'],
    )
    assert.equal(plans[1]?.entryEndedAt, plans[0]?.entryEndedAt)
    assertPunctual(play, addMinutes(plans[0]!.entryEndedAt, 5))
  })

  it('the exit of a signal while shares are filled late: a second exit for the difference follows the first', async () => {
    const play = await stage.begin({ exit: exitAfter(5) }, (script) =>
      script.answer('submitOrder', accepts, accepts, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('planExit')
    await stage.letPass(5)
    await play.script.accepted('exit')
    await play.tell(play.entryId, 'CANCELLED', '8.5')
    await play.tell(play.exitId(1), 'FILLED', '7')
    const outcome = await play.result()
    assert.deepEqual(outcome, { status: 'executed', reason: null, entryFilled: '8.5', exitFilled: '8.5' })
    assert.equal(play.sent(play.exitId(1))[0]?.quantity, '7')
    assert.equal(play.sent(play.exitId(2))[0]?.quantity, '1.5')
    assert.equal(
      play.script.inputs('recordClosed')[0]?.message,
      'The exit is filled: 7 at 100, then 1.5 at 100',
    )
  })

  it('the exit of a signal of a position that a person closed: no order, cancelled as POSITION_ALREADY_CLOSED', async () => {
    const play = await stage.begin({ exit: exitAfter(5) }, (script) =>
      script.answer('submitOrder', acceptsFilled).answer('sizeExit', ({ filledQuantity }) => ({
        quantity: '0',
        coversQuantity: filledQuantity,
        notBefore: null,
      })),
    )
    assert.equal((await play.result()).exitFilled, '0')
    const [closed] = play.script.inputs('recordClosed')
    assert.deepEqual(closed?.exit, { generation: 2, status: 'cancelled', reason: 'POSITION_ALREADY_CLOSED' })
    assert.deepEqual(closed.acknowledges, [{ clientOrderId: play.entryId, filledQuantity: '10' }])
    assert.equal(play.script.inputs('submitOrder').length, 1)
  })

  it('the exit of a signal of a position that a person reduced: one order, sized to the rest', async () => {
    const play = await stage.begin({ exit: exitAfter(5) }, (script) =>
      script.answer('submitOrder', acceptsFilled, acceptsFilled).answer('sizeExit', ({ filledQuantity }) => ({
        quantity: '3',
        coversQuantity: filledQuantity,
        notBefore: null,
      })),
    )
    const outcome = await play.result()
    assert.equal(outcome.exitFilled, '3')
    assert.equal(play.script.inputs('sizeExit').length, 1)
    assert.deepEqual(play.script.inputs('recordClosed')[0]?.exit, {
      generation: 2,
      status: 'filled',
      reason: null,
    })
  })

  describe('that the broker rejects', () => {
    it('the exit of a signal that the broker rejects is sent again with a new id each time, after 6 and then 15 seconds', async () => {
      const play = await stage.begin({ exit: exitAtOnce }, (script) =>
        script.answer('submitOrder', acceptsFilled, refusal, refusal, acceptsFilled),
      )
      assert.equal((await play.result()).exitFilled, '10')
      const exits = play.script.callsOf('submitOrder').slice(1)
      assert.deepEqual(
        exits.map(({ input }) => input.request.clientOrderId),
        [play.exitId(1), play.exitId(2), play.exitId(3)],
      )
      for (const [index, pause] of [6_000, 15_000].entries()) {
        const passed = Date.parse(exits[index + 1]!.at) - Date.parse(exits[index]!.at)
        assert.ok(
          passed >= pause && passed < pause + 2 * LATENESS,
          `try ${index + 2} came after ${passed} ms`,
        )
      }
      assert.deepEqual(
        play.script.inputs('recordExitTrouble').map(({ generation, kind, code }) => [generation, kind, code]),
        [
          [1, 'rejected', 'INVALID_ORDER'],
          [2, 'rejected', 'INVALID_ORDER'],
        ],
      )
    })

    it('the exit of a signal that the broker rejects is tried every 15 minutes, and the reason is recorded', async () => {
      const play = await stage.begin({ exit: exitAtOnce }, (script) =>
        script.answer(
          'submitOrder',
          acceptsFilled,
          ...Array.from({ length: 7 }, () => refusal),
          acceptsFilled,
        ),
      )
      await play.script.called('recordExitTrouble')
      assert.equal(
        (await play.progress()).waitsFor,
        'another try of the exit (INVALID_ORDER: the symbol is halted)',
      )
      await play.result()
      const exits = play.script.callsOf('submitOrder').slice(1)
      const minutes = exits
        .slice(1)
        .map(({ at }, index) => (Date.parse(at) - Date.parse(exits[index]!.at)) / 60_000)
      assert.deepEqual(minutes.map(Math.floor), [0, 0, 1, 5, 15, 15, 15])
    })

    it('the exit of a signal that the broker rejects is sized anew before each try: nothing is sent once a person has closed the position', async () => {
      const play = await stage.begin({ exit: exitAtOnce }, (script) =>
        script.answer('submitOrder', acceptsFilled, refusal).answer(
          'sizeExit',
          ({ filledQuantity }) => ({
            quantity: '10',
            coversQuantity: filledQuantity,
            notBefore: null,
          }),
          ({ filledQuantity }) => ({
            quantity: '0',
            coversQuantity: filledQuantity,
            notBefore: null,
          }),
        ),
      )
      await play.result()
      assert.equal(play.sent(play.exitId(2)).length, 0)
      assert.deepEqual(play.script.inputs('recordClosed')[0]?.exit, {
        generation: 3,
        status: 'cancelled',
        reason: 'POSITION_ALREADY_CLOSED',
      })
    })
  })

  it('the exit of a signal whose outcome is unknown: recorded as such, then sent under the same id until the broker tells', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, unknownOutcome, unknownOutcome, acceptsFilled),
    )
    assert.equal((await play.result()).exitFilled, '10')
    assert.equal(play.sent(play.exitId(1)).length, 3)
    const [trouble] = play.script.inputs('recordExitTrouble')
    assert.equal(trouble?.kind, 'unknown')
    assert.equal(trouble.code, 'OUTCOME_UNKNOWN')
    assert.deepEqual(
      play.script.inputs('submitOrder').map(({ unknownSince }) => unknownSince),
      [null, null, trouble.at, trouble.at],
    )
    assert.ok(
      play.script
        .inputs('submitOrder')
        .slice(1)
        .every(({ sendBefore }) => sendBefore === null),
    )
  })

  it('delayed by a busy broker: sent again, with nothing recorded, because nothing was placed', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, busy, acceptsFilled),
    )
    await play.result()
    assert.deepEqual(play.script.inputs('recordExitTrouble'), [])
  })

  it('accepted while the database is down: only the record is repeated, never the exit', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, acceptsFilled)
        .answer('recordAccepted', recordsAcceptance, databaseDown, databaseDown, databaseDown),
    )
    await play.result()
    assert.equal(play.sent(play.exitId(1)).length, 1)
    assert.equal(play.script.acceptances('exit').length, 4)
  })

  const limitExit = { ...exitAtOnce, orderType: 'limit', limitPrice: '120' } as const
  const early = [
    ['CANCELLED', '4', exitAtOnce, 'partially_filled', 'The exit order ended CANCELLED: at the desk'],
    ['CANCELLED', '0', exitAtOnce, 'cancelled', 'The exit order ended CANCELLED: at the desk'],
    ['EXPIRED', '0', limitExit, 'cancelled', 'The exit order ended EXPIRED: at the desk'],
  ] as const
  for (const [end, closed, exit, status, reason] of early) {
    it(`${exit.orderType}, whose order ends ${end} with ${closed} of 10 filled: ${status}, left to its owner with an alert`, async () => {
      const play = await stage.begin({ exit }, (script) => script.answer('submitOrder', acceptsFilled))
      await play.script.accepted('exit')
      await play.tell(play.exitId(), end, closed, { reason: 'at the desk' })
      assert.equal((await play.result()).exitFilled, closed)
      const [record] = play.script.inputs('recordClosed')
      assert.deepEqual(record?.exit, { generation: 2, status, reason })
      assert.equal(record.unprotected, subtract('10', closed))
      assert.match(record.message, new RegExp(`closed ${closed} of 10 shares; the rest has no exit`))
    })
  }

  const again = [
    ['REJECTED', '0', limitExit],
    ['REJECTED', '4', exitAtOnce],
    ['EXPIRED', '4', exitAtOnce],
    ['CANCELLED', '4', { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' }],
  ] as const
  for (const [end, closed, exit] of again) {
    it(`${exit.orderType}, whose order ends ${end} with ${closed} of 10 filled: another one for the rest follows, and an alert until then`, async () => {
      const play = await stage.begin({ exit }, (script) =>
        script.answer('submitOrder', acceptsFilled, accepts, acceptsFilled),
      )
      await play.script.accepted('exit')
      await play.tell(play.exitId(), end, closed, { reason: 'halted' })
      assert.equal((await play.result()).exitFilled, '10')
      assert.equal(play.sent(play.exitId(2))[0]?.quantity, subtract('10', closed))
      const [trouble] = play.script.inputs('recordExitTrouble')
      assert.deepEqual(trouble?.acknowledges.at(-1), { clientOrderId: play.exitId(), filledQuantity: closed })
      assert.equal(trouble.kind, 'ended')
      const [record] = play.script.inputs('recordClosed')
      assert.deepEqual(record?.exit, { generation: 3, status: 'filled', reason: null })
      assert.equal(record.unprotected, null)
    })
  }
})
