import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { clientOrderIdFor } from '#domain/order.ts'
import { UNTRUSTED } from '#workflows/messages/address-contract.ts'
import { orderChanged } from '#workflows/order/contract.ts'
import { approveSignal } from '#workflows/signal/contract.ts'
import {
  accepts,
  acceptsFilled,
  databaseDown,
  placesNothing,
  unknownOutcome,
} from '../../support/step-answers.ts'
import { exitAfter, exitAtOnce, filled, reportOf } from '../../support/sample-signal.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'

/** What an operator reads on the page of the workflow. */
async function currentDetails(play: SignalPlay): Promise<string> {
  const { currentDetails: details } = await play.handle.query<{ currentDetails: string }>(
    '__temporal_workflow_metadata',
  )
  return details
}

/** The values that the search attribute for the status took after the start. */
async function statusesShown(play: SignalPlay): Promise<string[]> {
  const events = await play.history()
  return events.flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upserted }) => {
    const data = upserted?.searchAttributes?.indexedFields?.['SignalStatus']?.data
    return data ? [JSON.parse(Buffer.from(data).toString()) as string] : []
  })
}

describe('messages to the workflow of a signal', function () {
  this.timeout(30_000)
  const stage = useStage()

  describe('of the right name and the wrong shape', () => {
    for (const [name, argument] of Object.entries({
      nothing: null,
      'a word': 'FILLED',
      'an empty object': {},
      'a report whose shares are no number': { status: 'FILLED', quantity: 'ten', filledQuantity: 'ten' },
    }))
      it(`${name} as news of an order: dropped, and the real news ends the signal`, async () => {
        const play = await stage.begin()
        await play.script.accepted('entry')
        const [request] = play.sent(play.entryId)
        const report = reportOf(request!, play.terms.acceptedAt)
        const malformed = argument !== null && typeof argument === 'object' && 'status' in argument
        await play.handle.signal(orderChanged.name, malformed ? { ...report, ...argument } : argument)
        await play.fillEntry()
        assert.equal((await play.result()).entryFilled, '10')
        assert.equal(stage.untrusted.at(-1)?.address, 'signal orderChanged')
      })

    it('an approval without a name: rejected, and the signal goes on waiting', async () => {
      const play = await stage.begin({ executeMode: 'pending' })
      await play.script.called('recordWaiting')
      await assert.rejects(
        play.handle.executeUpdate(approveSignal.name, { args: [{ quantity: '999' }] }),
        ({ cause }: { cause: { type: string } }) => cause.type === UNTRUSTED,
      )
      await play.approve()
      assert.equal(play.sent(play.entryId)[0]?.quantity, '10')
    })
  })

  describe('orderChanged', () => {
    it('orderChanged before the main function runs: kept, and the entry counts as ended once accepted', async () => {
      const play = await stage.beginWithMessage({}, (terms) =>
        reportOf(
          {
            clientOrderId: clientOrderIdFor(terms.signalId, 'entry', 1),
            symbol: terms.symbol,
            side: 'BUY',
            quantity: terms.quantity,
            orderType: terms.orderType,
            limitPrice: null,
            stopPrice: null,
            timeInForce: terms.timeInForce,
            extendedHours: false,
          },
          terms.acceptedAt,
          { status: 'FILLED', ...filled('10', terms.acceptedAt) },
        ),
      )
      assert.equal((await play.result()).entryFilled, '10')
      assert.deepEqual(play.script.order, ['prepareEntry', 'submitOrder', 'recordAccepted', 'recordClosed'])
    })

    it('orderChanged while the acceptance is being recorded: the report is not lost', async () => {
      const play = await stage.begin({ exit: exitAtOnce }, (script) =>
        script.answer('recordAccepted', databaseDown, databaseDown),
      )
      await play.script.accepted('entry', 2)
      await play.tell(play.entryId, 'FILLED', '10')
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'FILLED', '10')
      assert.equal((await play.result()).exitFilled, '10')
    })

    it('orderChanged that comes twice: the same as once', async () => {
      const play = await stage.begin({ exit: exitAfter(1) })
      await play.script.accepted('entry')
      await play.tell(play.entryId, 'FILLED', '10')
      await play.tell(play.entryId, 'FILLED', '10')
      await play.script.called('planExit')
      await stage.letPass(1)
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'PARTIALLY_FILLED', '4')
      await play.tell(play.exitId(), 'PARTIALLY_FILLED', '4')
      await play.tell(play.exitId(), 'FILLED', '10')
      assert.equal((await play.result()).exitFilled, '10')
      assert.equal(play.script.inputs('planExit').length, 1)
      assert.equal(play.script.inputs('recordClosed').length, 1)
    })

    it('orderChanged that arrives after a newer one: changes nothing', async () => {
      const play = await stage.begin({ exit: exitAfter(1) }, (script) =>
        script.answer('submitOrder', accepts, acceptsFilled),
      )
      await play.script.accepted('entry')
      await play.tell(play.entryId, 'CANCELLED', '6')
      await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
      await play.tell(play.entryId, 'OPEN', '0')
      assert.equal((await play.result()).entryFilled, '6')
      assert.equal(play.sent(play.exitId())[0]?.quantity, '6')
    })

    it('orderChanged of an order of another signal: changes nothing', async () => {
      const play = await stage.begin()
      await play.script.accepted('entry')
      await play.tell(play.entryId, 'FILLED', '10', {
        clientOrderId: clientOrderIdFor(randomUUID(), 'entry', 1),
      })
      assert.equal((await play.progress()).waitsFor, 'the entry order to end')
      await play.tell(play.entryId, 'FILLED', '10')
      await play.result()
    })
  })

  describe('awaitEntry', () => {
    it('sent with the start: answers with our order id when the broker has accepted', async () => {
      const { play, answer } = await stage.beginAndAwaitEntry()
      assert.deepEqual(answer, {
        status: 'executed',
        orderId: `order ${play.entryId}`,
        reason: null,
        detail: null,
      })
      await play.fillEntry()
      await play.result()
    })

    it('sent while the outcome is unknown: answers when that is known', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', unknownOutcome, unknownOutcome),
      )
      await play.script.called('submitOrder', 2)
      const answer = play.awaitEntry()
      assert.equal((await answer).status, 'executed')
      await play.fillEntry()
      await play.result()
    })

    it('sent twice, and again after the entry has ended: the same answer every time', async () => {
      const { play, answer } = await stage.beginAndAwaitEntry({ exit: exitAfter(30) })
      assert.deepEqual(await play.awaitEntry(), answer)
      await play.fillEntry()
      await play.script.called('planExit')
      assert.deepEqual(await play.awaitEntry(), answer)
      await stage.letPass(30)
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'FILLED', '10')
      await play.result()
      assert.equal(play.sent(play.entryId).length, 1)
    })

    it('sent after the end of the workflow: rejected as completed', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', placesNothing('rejected', 'INVALID_ORDER', 'no')),
      )
      await play.result()
      await assert.rejects(play.awaitEntry(), /completed|not found/i)
    })
  })

  it('signalProgress answers in words in every phase, and after the end', async () => {
    const play = await stage.begin({ exit: exitAfter(30) })
    await play.script.accepted('entry')
    assert.deepEqual(await play.progress(), {
      status: 'executed',
      waitsFor: 'the entry order to end',
      until: null,
    })
    await play.fillEntry()
    await play.script.called('planExit')
    const waiting = await play.progress()
    assert.equal(waiting.waitsFor, 'the exit time')
    assert.match(waiting.until ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    await stage.letPass(30)
    await play.script.accepted('exit')
    assert.equal((await play.progress()).waitsFor, 'the exit order to end')
    await play.tell(play.exitId(), 'FILLED', '10')
    await play.result()
    assert.deepEqual(await play.progress(), { status: 'executed', waitsFor: null, until: null })
  })

  describe('the details for operators', () => {
    it('the details for operators are the order, its status and the reason of its wait', async () => {
      const play = await stage.begin({
        orderType: 'limit',
        limitPrice: '187.50',
        timeInForce: 'gtc',
        exit: exitAfter(30),
      })
      await play.script.accepted('entry')
      const details = await currentDetails(play)
      assert.match(
        details,
        /\*\*Buy 10 AAPL limit 187\.5 \(gtc\)\*\*, then exit at market 30 minutes after the entry/,
      )
      assert.match(details, /status: \*\*executed\*\*/)
      assert.match(details, /waits for the entry order to end/)
      assert.ok(details.includes(`order ${play.entryId}: BUY 10 AAPL, OPEN, filled 0`), details)
      await play.tell(play.entryId, 'CANCELLED', '0')
      await play.result()
      assert.match(await currentDetails(play), /- ended/)
    })

    it('gives the reason for which nothing was placed', async () => {
      const play = await stage.begin({}, (script) =>
        script.answer('submitOrder', placesNothing('rejected', 'INSUFFICIENT_FUNDS', 'buying power 12.40')),
      )
      await play.result()
      assert.match(
        await currentDetails(play),
        /status: \*\*rejected\*\* \(INSUFFICIENT_FUNDS\): buying power 12\.40/,
      )
    })

    it('finds the signal by its status: every change of it becomes a search attribute, and only changes do', async () => {
      const straight = await stage.begin({}, (script) => script.answer('submitOrder', acceptsFilled))
      await straight.result()
      assert.deepEqual(await statusesShown(straight), ['executed'])
      const doubtful = await stage.begin({}, (script) => script.answer('submitOrder', unknownOutcome))
      await doubtful.script.accepted('entry')
      await doubtful.tell(doubtful.entryId, 'REJECTED', '0')
      await doubtful.result()
      assert.deepEqual(await statusesShown(doubtful), ['transmitted', 'executed', 'rejected'])
    })
  })
})
