import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Decimal } from '#domain/decimal.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderStatus } from '#domain/order.ts'
import type { OrderPlay } from '#test/support/order-play.ts'
import type { Answer, Answers } from '#test/support/recording-activities.ts'
import { useStage } from '#test/support/signal-stage.ts'
import {
  accepts,
  acceptsFilled,
  busy,
  databaseDown,
  placesNothing,
  stands,
  times,
  unknownOutcome,
} from '#test/support/step-answers.ts'

const limit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc' } as const
const decides =
  (side: 'BUY' | 'SELL_SHORT', quantity: Decimal): Answer<'prepareManualOrder'> =>
  () => ({
    outcome: 'ready',
    side,
    quantity,
    advisories: [],
  })
const ended =
  (status: 'cancelled' | 'rejected'): Answer<'prepareManualOrder'> =>
  () => ({ outcome: 'ended', status, reason: null, detail: 'as bob wished' })
const LIVES = [
  ['OPEN 0', 'PARTIALLY_FILLED 4', 'FILLED 10'],
  ['OPEN 0', 'PARTIALLY_FILLED 4', 'CANCELLED 4'],
  ['CANCELLED 0', 'CANCELLED 3', 'FILLED 10'],
  ['PARTIALLY_FILLED 7', 'EXPIRED 7'],
]

/** Orders that end without more: the answers to their steps, their outcome, and how many unknown outcomes are recorded. */
const ENDS: Record<
  string,
  { answers: Answers; outcome: [OrderStatus, reason?: string]; isSent?: false; doubts?: 1 }
> = {
  'looks it up after an unknown outcome, with the time of the first attempt': {
    answers: { submitOrder: [unknownOutcome, unknownOutcome, acceptsFilled] },
    outcome: ['FILLED'],
    doubts: 1,
  },
  'sends it later when the broker is busy, and records no unknown outcome': {
    answers: { submitOrder: [busy, acceptsFilled] },
    outcome: ['FILLED'],
  },
  'sends it once although the acceptance cannot be recorded for a while': {
    answers: { submitOrder: [acceptsFilled], recordAccepted: [databaseDown, databaseDown] },
    outcome: ['FILLED'],
  },
  'ends it as rejected when a rule denies it, and sends nothing': {
    answers: { prepareManualOrder: [() => ({ outcome: 'denied', code: 'REDUCE_ONLY', detail: 'halted' })] },
    outcome: ['REJECTED', 'halted'],
    isSent: false,
  },
  'ends it as cancelled when the ledger has this end, which an execution recorded that is lost': {
    answers: { prepareManualOrder: [ended('cancelled')] },
    outcome: ['CANCELLED', 'as bob wished'],
    isSent: false,
  },
  'ends it as rejected when the ledger has this end, which an execution recorded that is lost': {
    answers: { prepareManualOrder: [ended('rejected')] },
    outcome: ['REJECTED', 'as bob wished'],
    isSent: false,
  },
}

describe('the workflow of a manual order', () => {
  const stage = useStage()
  const ids = (play: OrderPlay) => new Set(play.sent.map(({ clientOrderId }) => clientOrderId))
  /** An order that is at the broker, which answers cancels like this. */
  async function working(...says: [OrderStatus, Decimal?][]): Promise<OrderPlay> {
    const play = await stage.beginOrder(limit, { cancelOrder: says.map((each) => stands(...each)) })
    await play.awaitPlacement()
    return play
  }

  it('the workflow of a manual order sends it once, under the client order id of the order, and answers the waiting request', async () => {
    const play = await stage.beginOrder(limit)
    const { orderId, sendBefore } = play.terms
    assert.deepEqual(await play.awaitPlacement(), { status: 'OPEN', brokerOrderId: `broker-${orderId}-h1` })
    await play.tell('FILLED', '10')
    assert.deepEqual(await play.result(), { status: 'FILLED', reason: null, filled: '10' })
    const sent = play.script.inputs('submitOrder')
    assert.deepEqual(
      sent.map(({ request, sendBefore: until }) => [request.clientOrderId, until]),
      [[`${orderId}-h1`, sendBefore]],
    )
    const steps = ['prepareManualOrder', 'submitOrder', 'recordAccepted', 'recordClosed']
    assert.deepEqual(play.script.order, steps)
  })

  it('the workflow of a manual order sends it with the decided side and size, not the requested ones', async () => {
    const play = await stage.beginOrder(
      { side: 'SELL', quantity: '15' },
      { prepareManualOrder: [decides('SELL_SHORT', '4')], submitOrder: [acceptsFilled] },
    )
    await play.result()
    assert.deepEqual([play.sent[0]!.side, play.sent[0]!.quantity], ['SELL_SHORT', '4'])
  })

  for (const [title, { answers, outcome, isSent = true, doubts = 0 }] of Object.entries(ENDS))
    it(`the workflow of a manual order ${title}`, async () => {
      const play = await stage.beginOrder({}, answers)
      const { status, reason, filled } = await play.result()
      const [expected, why = null] = outcome
      assert.deepEqual([status, reason, filled], [expected, why, isSent ? '10' : '0'])
      assert.equal(ids(play).size, isSent ? 1 : 0)
      assert.equal(play.script.callsOf('recordTransmitted').length, doubts)
      for (const [index, { unknownSince }] of play.script.inputs('submitOrder').entries())
        if (doubts > 0 || index === 0) assert.equal(unknownSince !== null, index > 0)
      const recorded = play.script.inputs('recordNotPlaced').map((each) => `${each.outcome} ${each.code}`)
      assert.deepEqual(recorded, why === 'halted' ? ['rejected REDUCE_ONLY'] : [])
      assert.deepEqual(play.script.inputs('recordCancelled'), [])
      const failed = answers.recordAccepted?.length ?? 0
      assert.equal(play.script.callsOf('recordAccepted').length, isSent ? failed + 1 : 0)
    })

  for (const [outcome, recorded] of [
    ['rejected', 'rejected'],
    ['conflict', 'not_placed'],
    ['stale', 'not_placed'],
  ] as const)
    it(`the workflow of a manual order ends it as rejected when its submission ends ${outcome}`, async () => {
      const play = await stage.beginOrder({}, { submitOrder: [placesNothing(outcome, 'BROKER_ERROR', 'no')] })
      assert.equal((await play.result()).status, 'REJECTED')
      const [{ input, onTheSpot } = assert.fail('not recorded')] = play.script.callsOf('recordNotPlaced')
      // A refusal has to be in the history before it is written down: a lost task would send the order again.
      assert.deepEqual([input.outcome, onTheSpot], [recorded, false])
    })

  for (const [title, terms, answers, sent] of [
    [
      'before it is decided: nothing is sent, and the cancel is answered',
      {},
      { prepareManualOrder: times(50, unknownOutcome) },
      0,
    ],
    [
      'at the broker when a crashed worker had decided to send it',
      limit,
      {
        prepareManualOrder: [unknownOutcome, unknownOutcome, decides('BUY', '10')],
        recordCancelled: [() => 'too_late'],
        submitOrder: [accepts],
        cancelOrder: [stands('CANCELLED')],
      },
      1,
    ],
  ] as [string, Partial<ManualOrderTerms>, Answers, number][])
    it(`the workflow of a manual order cancels it ${title}`, async () => {
      const play = await stage.beginOrder(terms, answers)
      await play.script.called('prepareManualOrder', 2)
      assert.deepEqual(await play.cancel(), { status: 'CANCELLED', filledQuantity: '0' })
      assert.equal((await play.result()).status, 'CANCELLED')
      assert.equal(ids(play).size, sent)
    })

  for (const [title, status, filledQuantity, last] of [
    ['while it works, and keeps its fills', 'CANCELLED', '4', 'CANCELLED'],
    ['in vain when it fills before the cancel', 'FILLED', '10', 'FILLED'],
    [
      'and answers before the broker has confirmed it, which the feed reports later',
      'OPEN',
      '0',
      'CANCELLED',
    ],
  ] as const)
    it(`the workflow of a manual order cancels it ${title}`, async () => {
      const play = await working([status, filledQuantity])
      assert.deepEqual(await play.cancel(), { status, filledQuantity })
      if (status === 'OPEN') await play.tell('CANCELLED', '0')
      assert.deepEqual(await play.result(), { status: last, reason: null, filled: filledQuantity })
      const { acknowledges } = play.script.inputs('recordClosed')[0]!
      assert.deepEqual(
        acknowledges.map((end) => end.filledQuantity),
        [filledQuantity],
      )
    })

  it('the workflow of a manual order cancels it again and again until it has ended', async () => {
    const play = await working(['OPEN'], ['OPEN'], ['OPEN'], ['CANCELLED'])
    await play.cancel()
    assert.equal((await play.result()).status, 'CANCELLED')
    const asked = play.script.callsOf('cancelOrder').map(({ at }) => Date.parse(at) / 60_000)
    const minutes = asked.slice(1).map((at, index) => at - asked[index]!)
    assert.deepEqual(minutes, [1, 5, 15])
  })

  it('the workflow of a manual order cancels it once for any number of requests', async () => {
    const play = await working(['OPEN'])
    const answers = await Promise.all([play.cancel('ann'), play.cancel('bob'), play.cancel('eve')])
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['OPEN']))
    assert.equal(play.script.callsOf('cancelOrder').length, 1)
    await play.tell('CANCELLED', '0')
    await play.result()
    await assert.rejects(play.cancel('late'))
  })

  it('the workflow of a manual order ends it the same with reports in any order, repeated or lost', async () => {
    const arrivals = fc
      .constantFrom(...LIVES)
      .chain((life) =>
        fc.tuple(
          fc.constant(life.at(-1)!),
          fc.array(fc.constantFrom(...life.slice(0, -1)), { maxLength: 6 }),
        ),
      )
    await fc.assert(
      fc.asyncProperty(arrivals, async ([last, others]) => {
        const play = await working()
        await stage.settle()
        await stage.stopWorker()
        for (const report of [...others, last, ...others])
          await play.tell(...(report.split(' ') as [OrderStatus, Decimal]))
        await stage.startWorker()
        const { status, filled } = await play.result()
        assert.equal(`${status} ${filled}`, last)
      }),
      { numRuns: 50 },
    )
  })
})
