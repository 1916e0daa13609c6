import assert from 'node:assert/strict'
import { subtract } from '#domain/money/decimal.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { addMinutes } from '#domain/time/wall-time.ts'
import type { Answer, Answers } from '#test/support/recording-activities.ts'
import { exitAfter, exitAtOnce, reportOf } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  accepts,
  acceptsFilled,
  placesNothing,
  plans,
  sized,
  sizedWhole,
  unknownOutcome,
} from '#test/support/step-answers.ts'

/** The broker takes the order, and has rejected it by the time it answers. */
const acceptsAndRejects: Answer<'submitOrder'> = ({ request }, at) => ({
  outcome: 'accepted',
  report: reportOf(request, at, { status: 'REJECTED', endedAt: at }),
})
const limitExit = { ...exitAtOnce, orderType: 'limit', limitPrice: '120' } as const
const inAuction = { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } as const

describe('the exit of a signal', () => {
  const stage = useStage()

  /** A signal whose entry fills at once; its exit gets these answers. */
  const filledWith = (
    exit: SignalTerms['exit'],
    { submitOrder = [], ...answers }: Answers = {},
  ): Promise<SignalPlay> =>
    stage.begin({ exit }, { submitOrder: [acceptsFilled, ...submitOrder], ...answers })
  /** A signal whose entry is at the broker. */
  async function working(terms: Partial<SignalTerms>, answers: Answers = {}): Promise<SignalPlay> {
    const play = await stage.begin(terms, { submitOrder: [accepts, acceptsFilled], ...answers })
    await play.script.accepted('entry')
    return play
  }
  function assertPunctual(play: SignalPlay, submitAt: string): void {
    const sent = play.script.callsOf('submitOrder').find(({ input }) => input.request.side === 'SELL')
    assert.equal(sent?.at, submitAt)
  }

  it('the exit of a signal, immediate: sent when the entry has ended, sized to its fill, followed to its end', async () => {
    const play = await filledWith(exitAtOnce, { submitOrder: [accepts] })
    const ended = { status: 'executed', reason: null, entryFilled: '10', exitFilled: '10' }
    assert.deepEqual(await play.fillExit(), ended)
    assert.deepEqual(play.script.order, [
      'prepareEntry',
      'submitOrder',
      'recordAccepted',
      'scheduleExit',
      'sizeExit',
      'submitOrder',
      'recordAccepted',
      'recordClosed',
    ])
    assert.deepEqual(play.closed.exit, { generation: 2, status: 'filled', reason: null })
    assert.deepEqual(play.closed.acknowledges, [
      { clientOrderId: play.entryId, filledQuantity: '10' },
      { clientOrderId: play.exitId(), filledQuantity: '10' },
    ])
    assert.equal(play.closed.message, 'The exit is filled: 10 at 100')
  })

  it('the exit of a signal for the closing auction: a market order with time in force cls', async () => {
    const play = await stage.begin(
      { action: 'openShort', exit: inAuction },
      { submitOrder: [acceptsFilled, acceptsFilled] },
    )
    await play.result()
    const [exit] = play.sent(play.exitId())
    assert.deepEqual([exit?.orderType, exit?.timeInForce, exit?.side], ['market', 'cls', 'BUY_TO_COVER'])
  })

  it('the exit of a signal for the closing auction, of parts of a share: the part at market first, then the whole shares in the auction', async () => {
    const play = await filledWith(inAuction, {
      submitOrder: [acceptsFilled, acceptsFilled],
      sizeExit: [sized('0.33', '7', true), sized('3')],
    })
    await play.result()
    assert.deepEqual(
      play.script.inputs('submitOrder').map(({ request }) => `${request.quantity} ${request.timeInForce}`),
      ['10 day', '0.33 day', '3 cls'],
    )
  })

  for (const [what, answer] of [
    ['refused', placesNothing('rejected', 'INVALID_ORDER', 'the asset is not fractionable')],
    ['rejected after its acceptance', acceptsAndRejects],
  ] as const)
    it(`the exit of a signal for the closing auction, whose part of a share is ${what}: the whole shares leave all the same`, async () => {
      const part = sized('0.33', '0.33', true)
      const play = await filledWith(inAuction, {
        submitOrder: [answer, acceptsFilled, acceptsFilled],
        sizeExit: [part, sized('9.67'), part],
      })
      await play.result()
      const asked = play.script.inputs('sizeExit').map(({ wholeFirst }) => wholeFirst)
      assert.deepEqual(asked, [undefined, true, true])
      const sent = play.script.inputs('submitOrder').map(({ request }) => request.timeInForce)
      assert.deepEqual(sent, ['day', 'day', 'cls', 'day'])
    })

  it('the exit of a signal with an order of ours on the other side is sent at the limit of its sizing', async () => {
    const atLimit: Answer<'sizeExit'> = (input, at, hang) => ({
      ...(sizedWhole(input, at, hang) as { quantity: '10'; coversQuantity: '10'; notBefore: null }),
      limitPrice: '60.01',
    })
    const play = await filledWith(exitAtOnce, { submitOrder: [acceptsFilled], sizeExit: [atLimit] })
    await play.result()
    const { orderType, limitPrice } = play.script.inputs('submitOrder').at(-1)!.request
    assert.deepEqual([orderType, limitPrice], ['limit', '60.01'])
  })

  it('the exit of a signal 30 minutes after the entry: sent then, neither earlier nor later', async () => {
    const play = await working({ exit: exitAfter(30) })
    await play.fillEntry()
    await play.result()
    const [plan] = play.script.inputs('scheduleExit')
    assertPunctual(play, addMinutes(plan!.entryEndedAt, 30))
    assert.equal(plan?.entry.filledQuantity, '10')
  })

  it('the exit of a signal rolled to the next session: sent when that opens, and the query says until when it waits', async () => {
    const play = await filledWith(exitAfter(30), {
      submitOrder: [acceptsFilled],
      scheduleExit: [plans(60 * 65.5)],
    })
    await play.script.called('scheduleExit')
    const until = addMinutes(play.script.inputs('scheduleExit')[0]!.entryEndedAt, 60 * 65.5)
    assert.deepEqual(await play.progress(), { status: 'executed', waitsFor: 'the exit time', until })
    await play.result()
    assertPunctual(play, until)
  })

  it('the exit of a signal is timed from the cancel of an entry that filled in part before, not from its fill', async () => {
    const play = await working({ exit: exitAfter(5) })
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    const endedAt = addMinutes(play.script.acceptances('entry')[0]!.at, 90)
    await play.tell(play.entryId, 'CANCELLED', '4', { endedAt })
    await play.script.called('scheduleExit')
    const [plan] = play.script.inputs('scheduleExit')
    assert.equal(plan?.entryEndedAt, endedAt)
    assert.ok(plan.entry.filledAt! < endedAt)
    await play.result()
    assertPunctual(play, addMinutes(endedAt, 5))
  })

  for (const end of ['CANCELLED', 'EXPIRED'] as const)
    it(`the exit of a signal after an entry that was ${end} when partly filled: sized to the part`, async () => {
      const play = await working({ exit: exitAfter(5) })
      await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
      await play.tell(play.entryId, end, '7')
      const { entryFilled, exitFilled } = await play.result()
      assert.deepEqual([entryFilled, exitFilled, play.exits], ['7', '7', ['x1 7']])
    })

  it('the exit of a signal of a gtc entry that is partly filled and still works: not sent, and the entry is not cancelled for it', async () => {
    const play = await working({ exit: exitAtOnce, timeInForce: 'gtc' })
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    await stage.letPass(7 * 24 * 60)
    assert.deepEqual([play.script.inputs('scheduleExit'), play.script.inputs('cancelOrder')], [[], []])
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(play.exits, ['x1 10'])
  })

  it('the exit of a signal after a fill that came late, between the end of the entry and the exit time: grows with it', async () => {
    const play = await working({ exit: exitAfter(5) })
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('scheduleExit')
    await play.tell(play.entryId, 'CANCELLED', '8')
    const { entryFilled, exitFilled } = await play.result()
    assert.deepEqual([entryFilled, exitFilled], ['8', '8'])
    assert.deepEqual(
      play.script.inputs('sizeExit').map(({ filledQuantity }) => filledQuantity),
      ['8'],
    )
    // Planned for again, at the same time, so that the ledger knows that the workflow knows.
    const [first, second, ...others] = play.script.inputs('scheduleExit')
    assert.deepEqual([first?.entry.filledQuantity, second?.entry.filledQuantity, others], ['7', '8', []])
    assert.equal(second?.entryEndedAt, first?.entryEndedAt)
    assertPunctual(play, addMinutes(first!.entryEndedAt, 5))
  })

  it('the exit of a signal while shares are filled late: a second exit for the difference follows the first', async () => {
    const play = await working({ exit: exitAfter(5) }, { submitOrder: [accepts, accepts, acceptsFilled] })
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.accepted('exit')
    await play.tell(play.entryId, 'CANCELLED', '8.5')
    const outcome = await play.fillExit()
    assert.deepEqual(outcome, { status: 'executed', reason: null, entryFilled: '8.5', exitFilled: '8.5' })
    assert.deepEqual(play.exits, ['x1 7', 'x2 1.5'])
    assert.equal(play.closed.message, 'The exit is filled: 7 at 100, then 1.5 at 100')
  })

  for (const [what, left, end] of [
    ['closed: no order', '0', { status: 'cancelled', reason: 'POSITION_ALREADY_CLOSED' }],
    ['reduced: one order, sized to the rest', '3', { status: 'filled', reason: null }],
  ] as const)
    it(`the exit of a signal of a position that a person has ${what}`, async () => {
      const play = await filledWith(exitAfter(5), {
        submitOrder: [acceptsFilled],
        sizeExit: [sized(left, '10')],
      })
      assert.equal((await play.result()).exitFilled, left)
      assert.deepEqual(play.closed.exit, { generation: 2, ...end })
      assert.deepEqual(play.closed.acknowledges[0], { clientOrderId: play.entryId, filledQuantity: '10' })
      assert.deepEqual(play.exits, left === '0' ? [] : [`x1 ${left}`])
      assert.equal(play.script.inputs('sizeExit').length, 1)
    })

  it('the exit of a signal whose outcome is unknown: recorded as such, then sent under the same id until the broker answers', async () => {
    const play = await filledWith(exitAtOnce, {
      submitOrder: [unknownOutcome, unknownOutcome, acceptsFilled],
    })
    assert.equal((await play.result()).exitFilled, '10')
    assert.equal(play.sent(play.exitId(1)).length, 3)
    const [trouble] = play.troubles
    assert.deepEqual([trouble?.kind, trouble?.code], ['unknown', 'OUTCOME_UNKNOWN'])
    const [, ...sent] = play.script.inputs('submitOrder')
    assert.deepEqual(
      sent.map(({ unknownSince, sendBefore }) => [unknownSince, sendBefore]),
      [null, trouble!.at, trouble!.at].map((since) => [since, null]),
    )
  })

  for (const [end, closed, exit, status] of [
    ['CANCELLED', '4', exitAtOnce, 'partially_filled'],
    ['CANCELLED', '0', exitAtOnce, 'cancelled'],
    ['EXPIRED', '0', limitExit, 'cancelled'],
  ] as const)
    it(`the exit of a signal, ${exit.orderType}, whose order ends ${end} with ${closed} of 10 filled: ${status}, left to its owner with an alert`, async () => {
      const play = await filledWith(exit)
      await play.script.accepted('exit')
      await play.tell(play.exitId(), end, closed, { reason: 'at the desk' })
      assert.equal((await play.result()).exitFilled, closed)
      const reason = `The exit order ended ${end}: at the desk`
      assert.deepEqual(play.closed.exit, { generation: 2, status, reason })
      assert.equal(play.closed.unprotected, subtract('10', closed))
      assert.match(play.closed.message, new RegExp(`closed ${closed} of 10 shares; the rest has no exit`))
    })

  for (const [end, closed, exit] of [
    ['REJECTED', '0', limitExit],
    ['REJECTED', '4', exitAtOnce],
    ['EXPIRED', '4', exitAtOnce],
    ['CANCELLED', '4', inAuction],
  ] as const)
    it(`the exit of a signal, ${exit.orderType}, whose order ends ${end} with ${closed} of 10 filled: another one for the rest follows, and an alert until then`, async () => {
      const play = await filledWith(exit, { submitOrder: [accepts, acceptsFilled] })
      await play.script.accepted('exit')
      await play.tell(play.exitId(), end, closed, { reason: 'halted' })
      assert.equal((await play.result()).exitFilled, '10')
      assert.equal(play.sent(play.exitId(2))[0]?.quantity, subtract('10', closed))
      const [{ kind, acknowledges } = assert.fail('nobody was told')] = play.troubles
      assert.deepEqual(acknowledges.at(-1), { clientOrderId: play.exitId(), filledQuantity: closed })
      assert.equal(kind, 'ended')
      assert.deepEqual(play.closed.exit, { generation: 3, status: 'filled', reason: null })
      assert.equal(play.closed.unprotected, null)
    })

  describe('whose order was cancelled for another order', () => {
    const atLimit = { ...exitAtOnce, orderType: 'limit', limitPrice: '110' } as const
    const marks: Answers = { readCancelMarks: [() => ({ askedBy: null, cancelledFor: 'closer-e1' })] }
    const cancelledFor = async (answers: Answers): Promise<SignalPlay> => {
      const play = await filledWith(atLimit, { submitOrder: [accepts], ...answers })
      await play.script.accepted('exit')
      await play.tell(play.exitId(1), 'CANCELLED', '0')
      return play
    }

    it('an exit whose order was cancelled for another order is sent again for the shares that the other order has left open', async () => {
      const play = await cancelledFor({ ...marks, sizeExit: [sizedWhole, sized('4', '10')] })
      assert.equal((await play.fillExit(2)).exitFilled, '4')
      assert.deepEqual(
        play.script.inputs('sizeExit').map(({ generation, filledQuantity }) => [generation, filledQuantity]),
        [1, 2].map((generation) => [generation, '10']),
      )
      assert.deepEqual(play.troubles, [])
    })

    it('an exit whose order was cancelled for another order is not sent again when the cancel did not come from this service', async () => {
      const play = await cancelledFor({})
      await play.result()
      assert.equal(play.closed.unprotected, '10')
    })
  })
})
