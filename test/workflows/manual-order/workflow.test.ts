import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Decimal } from '#domain/decimal.ts'
import type { ManualOrderDecision } from '#domain/manual-order.ts'
import type { OrderReport } from '#domain/order.ts'
import type { Answer } from '../../support/recording-activities.ts'
import {
  accepts,
  acceptsFilled,
  busy,
  databaseDown,
  fails,
  placesNothing,
  unknownOutcome,
} from '../../support/step-answers.ts'
import { manualOrderTerms } from '../../support/sample-order.ts'
import { filled, reportOf } from '../../support/sample-signal.ts'
import { useStage } from '#test/support/signal-stage.ts'

const limit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc' } as const

/** Whatever the broker is asked to cancel stands like this afterwards. */
const cancels =
  (status: OrderReport['status'], filledQuantity: Decimal = '0'): Answer<'cancelOrder'> =>
  ({ brokerOrderId }, at) => {
    const { symbol, side, quantity, timeInForce, extendedHours, stopPrice } = manualOrderTerms()
    const order = { symbol, side, quantity, timeInForce, extendedHours, stopPrice }
    const request = { clientOrderId: brokerOrderId.replace('broker-', ''), ...order, ...limit }
    return { report: reportOf(request, at, { status, ...filled(filledQuantity, at) }) }
  }

describe('the workflow of a manual order', function () {
  this.timeout(60_000)

  describe('sends it', () => {
    it('once, under the client order id of the order, and answers the waiting request', async () => {
      const play = await stage.beginOrder(limit)
      assert.deepEqual(await play.awaitPlacement(), {
        status: 'OPEN',
        brokerOrderId: `broker-${play.terms.orderId}-h1`,
      })
      await play.tell('FILLED', '10')
      assert.deepEqual(await play.result(), { status: 'FILLED', reason: null, filled: '10' })
      assert.deepEqual(new Set(play.sent.map(({ clientOrderId }) => clientOrderId)).size, 1)
      const { request, sendBefore } = play.script.inputs('submitOrder')[0]!
      assert.deepEqual(
        [request.clientOrderId, sendBefore],
        [`${play.terms.orderId}-h1`, play.terms.sendBefore],
      )
      assert.deepEqual(
        [...new Set(play.script.order)],
        ['prepareManualOrder', 'submitOrder', 'recordAccepted', 'recordClosed'],
      )
    })

    it('the workflow of a manual order sends it with the decided side and size, not the requested ones', async () => {
      const play = await stage.beginOrder({ side: 'SELL', quantity: '15' }, (script) =>
        script
          .answer('prepareManualOrder', () => ({
            outcome: 'ready',
            side: 'SELL_SHORT',
            quantity: '4',
            advisories: [],
          }))
          .answer('submitOrder', acceptsFilled),
      )
      await play.result()
      assert.deepEqual([play.sent[0]!.side, play.sent[0]!.quantity], ['SELL_SHORT', '4'])
    })

    it('the workflow of a manual order sends it and looks it up after an unknown outcome, with the time of the first attempt', async () => {
      const play = await stage.beginOrder({}, (script) =>
        script.answer('submitOrder', unknownOutcome, unknownOutcome, acceptsFilled),
      )
      assert.equal((await play.result()).status, 'FILLED')
      const [first, ...others] = play.script.inputs('submitOrder')
      assert.equal(first!.unknownSince, null)
      for (const { unknownSince } of others) assert.ok(unknownSince)
      assert.equal(play.script.callsOf('recordTransmitted').length, 1)
    })

    it('later when the broker is busy, and records no unknown outcome', async () => {
      const play = await stage.beginOrder({}, (script) => script.answer('submitOrder', busy, acceptsFilled))
      assert.equal((await play.result()).status, 'FILLED')
      assert.deepEqual(play.script.callsOf('recordTransmitted'), [])
    })

    it('once although the acceptance cannot be recorded for a while', async () => {
      const play = await stage.beginOrder({}, (script) =>
        script.answer('submitOrder', acceptsFilled).answer('recordAccepted', databaseDown, databaseDown),
      )
      assert.equal((await play.result()).status, 'FILLED')
      assert.equal(play.script.callsOf('recordAccepted').length, 3)
      assert.equal(new Set(play.sent.map(({ clientOrderId }) => clientOrderId)).size, 1)
    })
  })

  describe('ends it as rejected', () => {
    it('the workflow of a manual order ends it as rejected when a rule denies it, and sends nothing', async () => {
      const play = await stage.beginOrder({}, (script) =>
        script.answer('prepareManualOrder', () => ({
          outcome: 'denied',
          code: 'REDUCE_ONLY',
          detail: 'halted',
        })),
      )
      assert.deepEqual(await play.result(), {
        status: 'REJECTED',
        reason: 'halted',
        filled: '0',
      })
      assert.deepEqual(play.sent, [])
      const [recorded] = play.script.inputs('recordNotPlaced')
      assert.deepEqual([recorded?.outcome, recorded?.code], ['rejected', 'REDUCE_ONLY'])
    })

    for (const [status, shown] of [
      ['cancelled', 'CANCELLED'],
      ['rejected', 'REJECTED'],
    ] as const)
      it(`the workflow of a manual order ends it as rejected as ${status} when the ledger has this end, which an execution recorded that is lost`, async () => {
        const play = await stage.beginOrder({}, (script) =>
          script.answer('prepareManualOrder', () => ({
            outcome: 'ended',
            status,
            reason: null,
            detail: 'as bob wished',
          })),
        )
        assert.deepEqual(await play.result(), { status: shown, reason: 'as bob wished', filled: '0' })
        const recorded = [...play.script.inputs('recordCancelled'), ...play.script.inputs('recordNotPlaced')]
        assert.deepEqual([play.sent, recorded], [[], []])
      })

    for (const [outcome, recorded] of [
      ['rejected', 'rejected'],
      ['conflict', 'not_placed'],
      ['stale', 'not_placed'],
    ] as const)
      it(`the workflow of a manual order ends it as rejected when its submission ends ${outcome}`, async () => {
        const play = await stage.beginOrder({}, (script) =>
          script.answer('submitOrder', placesNothing(outcome, 'BROKER_ERROR', 'no')),
        )
        assert.equal((await play.result()).status, 'REJECTED')
        assert.equal(play.script.inputs('recordNotPlaced')[0]!.outcome, recorded)
        // A refusal has to be in the history before it is written down: a lost task would send the order again.
        assert.equal(play.script.callsOf('recordNotPlaced')[0]!.onTheSpot, false)
      })
  })

  describe('cancels it', () => {
    it('the workflow of a manual order cancels it before it is decided: nothing is sent, and the cancel is answered', async () => {
      const play = await stage.beginOrder({}, (script) =>
        script.answer(
          'prepareManualOrder',
          ...Array.from({ length: 50 }, () => fails('no answer', 'OutcomeUnknown')),
        ),
      )
      await play.script.called('prepareManualOrder', 2)
      assert.deepEqual(await play.cancel(), { status: 'CANCELLED', filledQuantity: '0' })
      assert.equal((await play.result()).status, 'CANCELLED')
      assert.deepEqual(play.sent, [])
    })

    it('the workflow of a manual order cancels it at the broker when a crashed worker had decided to send it', async () => {
      const decided: ManualOrderDecision = { outcome: 'ready', side: 'BUY', quantity: '10', advisories: [] }
      const play = await stage.beginOrder(limit, (script) =>
        script
          .answer(
            'prepareManualOrder',
            fails('no answer', 'OutcomeUnknown'),
            fails('no', 'OutcomeUnknown'),
            () => decided,
          )
          .answer('recordCancelled', () => 'too_late')
          .answer('submitOrder', accepts)
          .answer('cancelOrder', cancels('CANCELLED')),
      )
      await play.script.called('prepareManualOrder', 2)
      assert.equal((await play.cancel()).status, 'CANCELLED')
      assert.equal((await play.result()).status, 'CANCELLED')
      assert.equal(new Set(play.sent.map(({ clientOrderId }) => clientOrderId)).size, 1)
    })

    it('the workflow of a manual order cancels it while it works, and keeps its fills', async () => {
      const play = await stage.beginOrder(limit, (script) =>
        script.answer('cancelOrder', cancels('CANCELLED', '4')),
      )
      await play.awaitPlacement()
      assert.deepEqual(await play.cancel(), { status: 'CANCELLED', filledQuantity: '4' })
      assert.deepEqual(await play.result(), { status: 'CANCELLED', reason: null, filled: '4' })
      assert.equal(play.script.inputs('recordClosed')[0]!.acknowledges[0]?.filledQuantity, '4')
    })

    it('the workflow of a manual order cancels it and answers before the broker has confirmed it, which the feed reports later', async () => {
      const play = await stage.beginOrder(limit, (script) => script.answer('cancelOrder', cancels('OPEN')))
      await play.awaitPlacement()
      assert.deepEqual(await play.cancel(), { status: 'OPEN', filledQuantity: '0' })
      await play.tell('CANCELLED', '0')
      assert.equal((await play.result()).status, 'CANCELLED')
    })

    it('again and again until it has ended', async () => {
      const play = await stage.beginOrder(limit, (script) =>
        script.answer(
          'cancelOrder',
          ...Array.from({ length: 3 }, () => cancels('OPEN')),
          cancels('CANCELLED'),
        ),
      )
      await play.awaitPlacement()
      await play.cancel()
      await stage.letPass(25)
      assert.equal((await play.result()).status, 'CANCELLED')
      assert.equal(play.script.callsOf('cancelOrder').length, 4)
    })

    it('the workflow of a manual order cancels it in vain when it fills before the cancel', async () => {
      const play = await stage.beginOrder(limit, (script) =>
        script.answer('cancelOrder', cancels('FILLED', '10')),
      )
      await play.awaitPlacement()
      assert.deepEqual(await play.cancel(), { status: 'FILLED', filledQuantity: '10' })
      assert.equal((await play.result()).filled, '10')
    })

    it('once for any number of requests', async () => {
      const play = await stage.beginOrder(limit, (script) => script.answer('cancelOrder', cancels('OPEN')))
      await play.awaitPlacement()
      const answers = await Promise.all([play.cancel('ann'), play.cancel('bob'), play.cancel('eve')])
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['OPEN']))
      assert.equal(play.script.callsOf('cancelOrder').length, 1)
      await play.tell('CANCELLED', '0')
      await play.result()
      await assert.rejects(play.cancel('late'))
    })
  })

  it('ends the same with reports in any order, repeated or lost', async () => {
    const lives = [
      [
        ['OPEN', '0'],
        ['PARTIALLY_FILLED', '4'],
        ['FILLED', '10'],
      ],
      [
        ['OPEN', '0'],
        ['PARTIALLY_FILLED', '4'],
        ['CANCELLED', '4'],
      ],
      [
        ['CANCELLED', '0'],
        ['CANCELLED', '3'],
        ['FILLED', '10'],
      ],
      [
        ['PARTIALLY_FILLED', '7'],
        ['EXPIRED', '7'],
      ],
    ] as const
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...lives)
          .chain((life) =>
            fc.tuple(fc.constant(life), fc.array(fc.constantFrom(...life.slice(0, -1)), { maxLength: 6 })),
          ),
        async ([life, others]) => {
          const [status, filledQuantity] = life.at(-1)!
          const play = await stage.beginOrder(limit)
          await play.awaitPlacement()
          await stage.stopWorker()
          for (const [other, quantity] of others) await play.tell(other, quantity)
          await play.tell(status, filledQuantity)
          for (const [other, quantity] of others) await play.tell(other, quantity)
          await stage.startWorker()
          const outcome = await play.result()
          assert.deepEqual([outcome.status, outcome.filled], [status, filledQuantity])
        },
      ),
      { numRuns: 12 },
    )
  })

  it('leaves few events behind', async () => {
    const play = await stage.beginOrder()
    await play.awaitPlacement()
    await play.tell('FILLED', '10')
    await play.result()
    const [history] = await play.runs()
    assert.ok(history!.events!.length <= 22, `${history!.events!.length} events`)
  })
})
