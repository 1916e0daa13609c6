import assert from 'node:assert/strict'
import { WorkflowUpdateFailedError } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { Decimal } from '#domain/decimal.ts'
import type { OrderReport } from '#domain/order.ts'
import type { Answer } from '../../support/recording-activities.ts'
import { accepts, acceptsFilled } from '../../support/step-answers.ts'
import { exitAtOnce, filled, reportOf } from '../../support/sample-signal.ts'
import { useStage } from '#test/support/signal-stage.ts'

const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc' } as const
const limitExit = { ...exitAtOnce, orderType: 'limit', limitPrice: '200' } as const

/** However the broker says that the order stands which it is asked to cancel. */
const cancels =
  (status: OrderReport['status'], quantity: Decimal = '0'): Answer<'cancelOrder'> =>
  ({ brokerOrderId }, at) => {
    const clientOrderId = brokerOrderId.replace('broker-', '')
    const request = {
      clientOrderId,
      symbol: 'AAPL',
      side: clientOrderId.endsWith('-e1') ? 'BUY' : 'SELL',
      quantity: '10',
      orderType: 'limit',
      limitPrice: '187.5',
      stopPrice: null,
      timeInForce: 'gtc',
      extendedHours: false,
    } as const
    return { report: reportOf(request, at, { status, ...filled(quantity, at) }) }
  }

async function rejectionOf(update: Promise<unknown>): Promise<string | null | undefined> {
  try {
    await update
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)
      return error.cause.type
    throw error
  }
  return assert.fail('the update was not refused')
}

describe('a cancel by a person of an order of a signal,', function () {
  this.timeout(60_000)

  describe('its entry order,', () => {
    it('ends the signal without a position when the order has no fill', async () => {
      const { play } = await stage.beginAndAwaitEntry({ ...gtcLimit, exit: exitAtOnce }, (script) =>
        script.answer('cancelOrder', cancels('CANCELLED')),
      )
      assert.deepEqual(await play.cancelOrder(play.entryId), { status: 'CANCELLED', filledQuantity: '0' })
      const { status, entryFilled } = await play.result()
      assert.deepEqual([status, entryFilled], ['executed', '0'])
      assert.deepEqual(play.orderIds, [play.entryId])
      assert.equal(play.script.inputs('recordCancelRequested')[0]!.by, 'bob@example.test')
    })

    it('leads to an exit for the filled shares', async () => {
      const { play } = await stage.beginAndAwaitEntry({ ...gtcLimit, exit: exitAtOnce }, (script) =>
        script.answer('submitOrder', accepts, acceptsFilled).answer('cancelOrder', cancels('CANCELLED', '4')),
      )
      await play.cancelOrder(play.entryId)
      const { entryFilled, exitFilled } = await play.result()
      assert.deepEqual([entryFilled, exitFilled], ['4', '4'])
      const [{ onlyIfUnfilled } = assert.fail('nothing was cancelled')] = play.script.inputs('cancelOrder')
      assert.equal(onlyIfUnfilled, false)
    })

    it('a cancel by a person of an order of a signal: its entry order, is requested again until the broker has cancelled the order, and a fill before that gets its exit', async () => {
      const { play } = await stage.beginAndAwaitEntry({ ...gtcLimit, exit: exitAtOnce }, (script) =>
        script
          .answer('submitOrder', accepts, acceptsFilled)
          .answer('cancelOrder', cancels('OPEN'), cancels('OPEN'), cancels('FILLED', '10')),
      )
      assert.equal((await play.cancelOrder(play.entryId)).status, 'OPEN')
      await stage.letPass(8)
      const { exitFilled } = await play.result()
      assert.equal(exitFilled, '10')
      assert.equal(play.script.callsOf('cancelOrder').length, 3)
    })

    it('a cancel by a person of an order of a signal: its entry order, is rejected for an ended order, and for an order of another signal', async () => {
      const { play } = await stage.beginAndAwaitEntry({ exit: exitAtOnce }, (script) =>
        script.answer('submitOrder', acceptsFilled, accepts),
      )
      await play.script.accepted('exit')
      assert.equal(await rejectionOf(play.cancelOrder(play.entryId)), 'ORDER_NOT_CANCELLABLE')
      assert.equal(await rejectionOf(play.cancelOrder(play.exitId(7))), 'ORDER_NOT_CANCELLABLE')
      await play.tell(play.exitId(), 'FILLED', '10')
      await play.result()
    })
  })

  describe('its exit order,', () => {
    it('leaves the position open, and no other exit follows', async () => {
      const { play } = await stage.beginAndAwaitEntry({ exit: exitAtOnce }, (script) =>
        script.answer('submitOrder', acceptsFilled, accepts).answer('cancelOrder', cancels('CANCELLED', '3')),
      )
      await play.script.accepted('exit')
      await play.cancelOrder(play.exitId())
      const { exitFilled } = await play.result()
      assert.equal(exitFilled, '3')
      assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
      assert.equal(play.script.inputs('recordExitCancelled')[0]!.by, 'bob@example.test')
    })

    it('a cancel by a person of an order of a signal: its exit order, is answered when the order fills at the same moment', async () => {
      const { play } = await stage.beginAndAwaitEntry({ exit: limitExit }, (script) =>
        script.answer('submitOrder', acceptsFilled, accepts).answer('cancelOrder', cancels('FILLED', '10')),
      )
      await play.script.accepted('exit')
      assert.equal((await play.cancelOrder(play.exitId())).status, 'FILLED')
      const { exitFilled } = await play.result()
      assert.equal(exitFilled, '10')
      assert.deepEqual(play.script.callsOf('recordExitCancelled'), [])
    })

    it('a cancel by a person of an order of a signal: its exit order, is too late when the order had expired before: the rest gets another exit, as after any such end', async () => {
      const { play } = await stage.beginAndAwaitEntry({ exit: exitAtOnce }, (script) =>
        script
          .answer('submitOrder', acceptsFilled, accepts, acceptsFilled)
          .answer('cancelOrder', cancels('EXPIRED', '4')),
      )
      await play.script.accepted('exit')
      assert.equal((await play.cancelOrder(play.exitId())).status, 'EXPIRED')
      const { exitFilled } = await play.result()
      assert.equal(exitFilled, '10')
      assert.equal(play.sent(play.exitId(2))[0]?.quantity, '6')
      assert.deepEqual(play.script.callsOf('recordExitCancelled'), [])
    })
  })
})
