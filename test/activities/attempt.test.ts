import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { orderAttempts, type AttemptedSteps } from '#activities/attempt.ts'
import type { OrderAttempt, PreparedEntry } from '#activities/contract.ts'
import type { Signal } from '#db/entities/index.ts'
import { decideOnce, readDecision } from '#db/order/decisions.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { recordNotPlaced } from '#db/signal/ledger.ts'
import { termsOf } from '#db/signal/terms.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order/order.ts'
import { orderIn, signalIn, timelineOf } from '#test/support/ledger.ts'
import { filled } from '#test/support/sample-signal.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const AT = '2026-03-02T15:00:02.000Z'
/** Milliseconds; longer than an attempt that sends nothing yet goes on. */
const LATE = 500

describe('one attempt to check, send and record an entry', () => {
  let { desk, em, account, broker, accepted, attempt } = {} as ActivityDesk
  let lateness: number
  /** Looks at the clock, and the one from which on it is too late to send. */
  let looks: number
  let lateFrom: number
  useDesk(
    (opened) => {
      ;({ desk, em, account, broker, accepted, attempt } = opened)
      broker.lastPrice = '150'
    },
    () => {
      lateness = 0
      looks = 0
      lateFrom = Number.POSITIVE_INFINITY
      const now = () => Date.now() + ((looks += 1) > lateFrom ? LATE : lateness)
      return { now }
    },
  )

  const entryOf = (signal: Signal): string => clientOrderIdFor(signal.id, 'entry', 1)
  const decisionOn = (signal: Signal): Promise<PreparedEntry | null> => readDecision(em, signal.id, 'entry')
  const told = async (signal: Signal): Promise<string[]> =>
    (await timelineOf(em, signal.id)).map(({ kind }) => kind).filter((kind) => kind !== 'received')
  const withdraw = (signal: Signal) =>
    recordCancelled(em, signal.id, AT, { reason: 'WITHDRAWN', detail: 'withdrawn' })
  const ready = (quantity: Decimal): PreparedEntry => ({ outcome: 'ready', quantity, advisories: [] })
  const outcomeOf = ({ submission }: OrderAttempt<PreparedEntry>): string =>
    submission === null ? 'not tried' : submission.completed ? submission.result.outcome : submission.failure

  it('one attempt to check, send and record an entry that nothing disturbs: the order is at the broker, and decision, acceptance and its advisories are in the ledger', async () => {
    const signal = await accepted({ quantity: '10' })
    const { check, submission, orderId } = await attempt(signal)
    assert.deepEqual(check, { completed: true, result: ready('10') })
    assert.ok(submission?.completed && submission.result.outcome === 'accepted')
    assert.deepEqual(await decisionOn(signal), ready('10'))
    const { status, orderId: known } = await signalIn(em, signal.id)
    assert.deepEqual([status, known], ['executed', orderId])
    assert.equal(broker.submissions.length, 1)
  })

  for (const status of ['REJECTED', 'CANCELLED'] as const)
    it(`one attempt to check, send and record an entry that the broker takes and that is ${status} at once: acceptance and end are one record, and the workflow ends the signal`, async () => {
      const signal = await accepted()
      const submit = broker.submitOrder.bind(broker)
      broker.submitOrder = async (request) => ({ ...(await submit(request)), status })
      const attempted = await attempt(signal)
      assert.equal(outcomeOf(attempted), 'accepted')
      assert.equal((await orderIn(em, entryOf(signal))).status, status)
      assert.deepEqual(await told(signal), ['acknowledged', 'order_progress'])
    })

  /** The broker answers with the fill, or the feed has recorded it before the answer comes. */
  const fillsAtOnce = (how: 'answered' | 'by feed'): void => {
    const submit = broker.submitOrder.bind(broker)
    broker.submitOrder = async (request) => {
      const report = await submit(request)
      const whole: OrderReport = { ...report, status: 'FILLED', ...filled('10', new Date().toISOString()) }
      if (how === 'answered') return whole
      await applyOrderReport(em, account.id, whole)
      return report
    }
  }

  for (const how of ['answered', 'by feed'] as const)
    it(`one attempt to check, send and record an entry that fills at once, ${how}: it is executed with its fill, and its end is left to the workflow`, async () => {
      const signal = await accepted()
      fillsAtOnce(how)
      const attempted = await attempt(signal)
      const { status, orderId, filledQuantity } = await signalIn(em, signal.id)
      assert.deepEqual([status, orderId, Number(filledQuantity)], ['executed', attempted.orderId, 10])
      assert.deepEqual((await told(signal)).toSorted(), ['acknowledged', 'order_progress'])
    })

  it('one attempt to check, send and record an entry that is made again after its fill is recorded changes nothing', async () => {
    const signal = await accepted()
    fillsAtOnce('by feed')
    await attempt(signal)
    const state = () =>
      em.execute('select order_id, status, filled_quantity from signals where id = ?', [signal.id])
    const before = [await state(), await timelineOf(em, signal.id)]
    assert.equal(outcomeOf(await attempt(signal)), 'accepted')
    assert.deepEqual([await state(), await timelineOf(em, signal.id)], before)
    assert.equal(broker.submissions.length, 1)
  })

  for (const outcome of ['rejected', 'not_placed'] as const)
    it(`one attempt to check, send and record an entry that begins after the ledger has the end ${outcome} decides and sends nothing`, async () => {
      const signal = await accepted({ quantity: '10' })
      const end = { outcome, code: 'BROKER_ERROR', detail: 'refused' } as const
      await recordNotPlaced(em, signal.id, AT, end)
      await attempt(signal)
      assert.deepEqual([await decisionOn(signal), broker.submissions], [null, []])
    })

  it('one attempt to check, send and record an entry that begins after a withdrawal decides and sends nothing', async () => {
    const signal = await accepted({ quantity: '10' })
    assert.equal(await withdraw(signal), 'stopped')
    await attempt(signal)
    await assert.rejects(decisionOn(signal), /was stopped before this was decided/)
    assert.deepEqual(broker.submissions, [])
  })

  it('one attempt to check, send and record an entry beside another one in another process, whose workflow task was lost, sends one order', async () => {
    const elsewhere = desk.activitiesWith({ em: em.fork(), liveTrading: true })
    for (const latency of [0, 2, 5, 10, 20]) {
      const signal = await accepted({ quantity: '10' })
      broker.latency = async () => void (await setTimeout(Math.random() * latency))
      const next = setTimeout(Math.random() * latency).then(() => attempt(signal))
      const attempts = await Promise.all([elsewhere.attemptEntry(termsOf(signal)), next])
      const { status, orderId } = await signalIn(em, signal.id)
      assert.equal(status, 'executed')
      // On a busy machine one of them may have no time left to send anything.
      const tried = attempts.filter((each) => outcomeOf(each) !== 'not tried')
      assert.ok(tried.length > 0)
      for (const each of tried) assert.deepEqual([outcomeOf(each), each.orderId], ['accepted', orderId])
      const orders = await em.execute('select from orders where signal_id = ?', [signal.id])
      assert.equal(orders.length, 1)
    }
    assert.equal(broker.accepted.size, 5)
  })

  it('one attempt to check, send and record an entry has the decision in the ledger before anything leaves', async () => {
    const signal = await accepted()
    let atSending: PreparedEntry | null = null
    const submit = broker.submitOrder.bind(broker)
    broker.submitOrder = async (request) => {
      atSending = await decisionOn(signal)
      return submit(request)
    }
    await attempt(signal)
    assert.deepEqual(atSending, ready('10'))
  })

  for (const outcome of ['rejected', 'not_placed'] as const)
    it(`one attempt to check, send and record an entry that is made again after the ledger has the end ${outcome} sends nothing, though the broker would take it now`, async () => {
      const signal = await accepted()
      broker.script.push('refuse')
      assert.equal(outcomeOf(await attempt(signal)), 'rejected')
      const end = { outcome, code: 'BROKER_ERROR', detail: 'refused' } as const
      await recordNotPlaced(em, signal.id, AT, end)
      const sent = broker.submissions.length
      const { check, submission } = await attempt(signal)
      const status = outcome === 'rejected' ? 'rejected' : 'error'
      const result = { outcome: 'ended', status, reason: 'BROKER_ERROR', detail: 'refused' }
      assert.deepEqual([check, submission], [{ completed: true, result }, null])
      assert.equal(broker.submissions.length, sent)
    })

  it('one attempt to check, send and record an entry that another attempt has decided meanwhile sends what that decided', async () => {
    const signal = await accepted({ quantityType: 'dollarAmount', quantity: '1500' })
    // The price is asked for by the check, which has read the ledger by then.
    broker.latency = async () => void (await decideOnce(em, signal.id, 'entry', ready('7')))
    assert.deepEqual((await attempt(signal)).check, { completed: true, result: ready('7') })
    assert.deepEqual(
      broker.submissions.map(({ quantity }) => quantity),
      ['7'],
    )
  })

  it('one attempt to check, send and record an entry and a stop at once, thirty times: one of the two, never both', async () => {
    for (let round = 0; round < 30; round += 1) {
      const signal = await accepted()
      const [{ check, orderId }, stopping] = await Promise.all([attempt(signal), withdraw(signal)])
      const isSent = broker.accepted.has(entryOf(signal))
      assert.equal(stopping, isSent ? 'too_late' : 'stopped')
      const isReady = check.completed && check.result.outcome === 'ready'
      assert.deepEqual([isReady, orderId !== null], [isSent, isSent])
    }
  })

  it('sends nothing after a check that took long, because too little of its time is left to receive the order', async () => {
    const signal = await accepted({ quantityType: 'dollarAmount', quantity: '1500' })
    broker.latency = () => {
      lateness = 500
    }
    const attempted = await attempt(signal)
    assert.deepEqual([attempted.check.completed, outcomeOf(attempted)], [true, 'not tried'])
    assert.deepEqual(broker.submissions, [])
    // It is decided, so nobody can stop it any more: the workflow goes on with it.
    assert.equal(await withdraw(signal), 'too_late')
  })

  it('an attempt that is late from any moment on and sends nothing never passes the gate, so that the next refusal is certain at once', async () => {
    const passed = async (): Promise<number> =>
      (await em.execute<unknown[]>('select from send_permits where permitted_at is not null')).length
    let sent = 0
    let unsent = 0
    for (lateFrom = 1; sent === 0; lateFrom += 1) {
      looks = 0
      const before = await passed()
      const attempted = await attempt(await accepted({ quantityType: 'dollarAmount', quantity: '1500' }))
      if (attempted.submission === null) {
        assert.equal(await passed(), before, `late from look ${lateFrom} on`)
        unsent += 1
      } else sent += 1
    }
    assert.ok(unsent > 2, `${unsent} attempts sent nothing`)
  })

  it('counts from its beginning: the sending, which gives up what is held up, learns when the attempt began', async () => {
    const terms = termsOf(await accepted())
    let clock = 1_000
    const begins: (number | undefined)[] = []
    const steps: Pick<AttemptedSteps, 'decideEntry' | 'submitOrder'> = {
      async decideEntry() {
        clock += 100
        return { prepared: ready('10') }
      },
      async submitOrder(_, beganAt) {
        begins.push(beganAt)
        return { outcome: 'conflict', code: 'DUPLICATE_CLIENT_ORDER_ID', detail: 'another order' }
      },
    }
    await orderAttempts(steps as AttemptedSteps, { now: () => clock }).attemptEntry(terms)
    assert.deepEqual(begins, [1_000])
  })

  it('leaves the record to the workflow after an answer that took long', async () => {
    const signal = await accepted()
    const submit = broker.submitOrder.bind(broker)
    broker.submitOrder = async (request) => {
      const report = await submit(request)
      lateness = 1_200
      return report
    }
    const attempted = await attempt(signal)
    assert.deepEqual([outcomeOf(attempted), attempted.orderId], ['accepted', null])
    assert.equal((await signalIn(em, signal.id)).status, 'queued')
  })

  it('one attempt to check, send and record an entry that is made again, and records again: the advisories of the decision are reported once', async () => {
    const signal = await accepted()
    const advisories = [{ code: 'quantity_reduced_to_position', message: 'reduced to 7 shares' }]
    await decideOnce(em, signal.id, 'entry', { ...ready('7'), advisories })
    await attempt(signal)
    await attempt(signal)
    assert.deepEqual((await signalIn(em, signal.id)).advisories, advisories)
  })

  it('one attempt to check, send and record an entry whose order is accepted and cannot be recorded: informs the workflow of the acceptance', async () => {
    const signal = await accepted()
    // The ledger says that it was declined, which no acceptance can follow.
    const send = broker.submitOrder.bind(broker)
    broker.submitOrder = async (request) => {
      await em.execute(`update signals set status = 'cancelled' where id = ?`, [signal.id])
      return send(request)
    }
    const attempted = await attempt(signal)
    assert.deepEqual([outcomeOf(attempted), attempted.orderId], ['accepted', null])
  })
})
