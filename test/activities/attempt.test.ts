import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { EntryHandover } from '#activities/handover/entry-handover.ts'
import type { OrderAttempt, PreparedEntry } from '#activities/contract.ts'
import type { Signal } from '#db/entities/index.ts'
import { decideOnce, readDecision } from '#db/orders/decisions.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { recordCancelled } from '#db/signals/decision-ledger.ts'
import { recordNotPlaced } from '#db/signals/ledger.ts'
import { termsOf } from '#db/signals/terms.ts'
import type { Decimal } from '#domain/decimal.ts'
import { LONGEST_WAIT } from '#domain/entry-times.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'
import { signalIn, timelineOf } from '#test/support/ledger.ts'
import { exitAfter, exitAtOnce, filled } from '#test/support/sample-signal.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const AT = '2026-03-02T15:00:02.000Z'
const REQUEST_TIMEOUT = 4_000
/** Milliseconds; longer than an attempt that sends nothing yet goes on. */
const LATE = 500

describe('one attempt to check, send and record an entry', () => {
  let { desk, em, account, broker, accepted, attempt } = {} as ActivityDesk
  let handover: EntryHandover
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
      handover = new EntryHandover()
      const now = () => Date.now() + ((looks += 1) > lateFrom ? LATE : lateness)
      return { handover, now }
    },
  )

  const begin = (signal: Signal): Promise<OrderAttempt<PreparedEntry>> =>
    desk.activities.attemptEntry(termsOf(signal), true)
  const entryOf = (signal: Signal): string => clientOrderIdFor(signal.id, 'entry', 1)
  const decisionOn = (signal: Signal): Promise<PreparedEntry | null> => readDecision(em, signal.id, 'entry')
  const withdraw = (signal: Signal) =>
    recordCancelled(em, { signalId: signal.id }, AT, { reason: 'WITHDRAWN', detail: 'withdrawn' })
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

  it('tells the request that waits for it what the workflow will answer, once that is in the ledger', async () => {
    const signal = await accepted()
    const { answer } = handover.wait(signal.id)
    const attempting = attempt(signal)
    const told = await answer
    const { status, orderId } = await signalIn(em, signal.id)
    assert.deepEqual(told, { status, orderId, reason: null, detail: null })
    assert.equal(status, 'executed')
    assert.equal((await attempting).orderId, orderId)
  })

  for (const behaviour of ['refuse', 'unknownBefore', 'busy'] as const)
    it(`tells the request that waits for it that there is no outcome to tell when the broker does this: ${behaviour}`, async () => {
      const signal = await accepted()
      broker.script.push(behaviour)
      const { answer } = handover.wait(signal.id)
      await attempt(signal)
      assert.equal(await answer, null)
    })

  for (const status of ['REJECTED', 'CANCELLED'] as const)
    it(`tells no execution of an order that the broker took and that is ${status} at once, which the workflow tells`, async () => {
      const signal = await accepted()
      const submit = broker.submitOrder.bind(broker)
      broker.submitOrder = async (request) => ({ ...(await submit(request)), status })
      const { answer } = handover.wait(signal.id)
      const attempted = await attempt(signal)
      assert.equal(await answer, null)
      assert.equal(outcomeOf(attempted), 'accepted')
    })

  it('one attempt to check, send and record an entry that was begun when its workflow was started is the one that the workflow gets, and sends one order', async () => {
    const signal = await accepted({ quantity: '10' })
    const { answer } = handover.wait(signal.id)
    void begin(signal)
    assert.equal((await answer)?.status, 'executed')
    assert.equal(broker.submissions.length, 1)
    const { orderId, submission } = await attempt(signal)
    assert.equal(orderId, (await answer)?.orderId)
    assert.ok(submission?.completed && submission.result.outcome === 'accepted')
    assert.equal(broker.submissions.length, 1)
  })

  it('asks and decides nothing before its workflow was started, though a request waits for it', async () => {
    const signal = await accepted({ quantity: '10' })
    const { answer } = handover.wait(signal.id)
    await setTimeout(50)
    assert.deepEqual([await decisionOn(signal), broker.requests.size], [null, 0])
    void begin(signal)
    assert.equal((await answer)?.status, 'executed')
    assert.equal(broker.submissions.length, 1)
  })

  for (const outcome of ['rejected', 'not_placed'] as const)
    it(`one attempt to check, send and record an entry that begins with the start of its workflow after the ledger has the end ${outcome} decides and sends nothing`, async () => {
      const signal = await accepted({ quantity: '10' })
      const { answer } = handover.wait(signal.id)
      const end = { outcome, code: 'BROKER_ERROR', detail: 'refused' } as const
      await recordNotPlaced(em, { signalId: signal.id }, AT, end)
      await attempt(signal)
      assert.equal(await answer, null)
      assert.deepEqual([await decisionOn(signal), broker.submissions], [null, []])
    })

  it('one attempt to check, send and record an entry that begins with the start of its workflow after a withdrawal decides and sends nothing', async () => {
    const signal = await accepted({ quantity: '10' })
    const { answer } = handover.wait(signal.id)
    assert.equal(await withdraw(signal), 'stopped')
    await begin(signal)
    assert.equal(await answer, null)
    await assert.rejects(decisionOn(signal), /was stopped before this was decided/)
    assert.deepEqual(broker.submissions, [])
  })

  it('one attempt to check, send and record an entry is not begun for a workflow that has made one by then, or is making one', async () => {
    const [asking, asked] = [await accepted({ quantity: '10' }), await accepted({ quantity: '10' })]
    handover.wait(asking.id)
    const own = attempt(asking)
    await begin(asking)
    assert.equal(outcomeOf(await own), 'accepted')
    handover.wait(asked.id)
    await attempt(asked)
    await begin(asked)
    assert.equal(broker.submissions.length, 2)
    assert.equal(broker.requests.get('findOrder') ?? 0, 0)
  })

  it('one attempt to check, send and record an entry that was begun in one process beside that of the workflow in another one sends one order', async () => {
    const elsewhere = desk.activitiesWith({ em: em.fork(), liveTrading: true })
    for (const latency of [0, 2, 5, 10, 20]) {
      const signal = await accepted({ quantity: '10' })
      broker.latency = async () => void (await setTimeout(Math.random() * latency))
      handover.wait(signal.id)
      const begun = setTimeout(Math.random() * latency).then(() => begin(signal))
      const attempts = await Promise.all([elsewhere.attemptEntry(termsOf(signal)), attempt(signal), begun])
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
      await recordNotPlaced(em, { signalId: signal.id }, AT, end)
      const sent = broker.submissions.length
      const { check, submission } = await attempt(signal)
      const status = outcome === 'rejected' ? 'rejected' : 'error'
      const result = { outcome: 'ended', status, reason: 'BROKER_ERROR', detail: 'refused' }
      assert.deepEqual([check, submission], [{ completed: true, result }, null])
      assert.equal(broker.submissions.length, sent)
    })

  it('one attempt to check, send and record an entry of which another attempt has decided meanwhile sends what that decided', async () => {
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

  it('sends nothing after a check that took long, because too little of its time is left to hear of the order', async () => {
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

  it('an attempt that is late from any moment on and sends nothing has nothing let out, so that the next refusal is certain at once', async () => {
    const passed = async (): Promise<number> =>
      (await em.execute<unknown[]>('select from orders_out where passed_at is not null')).length
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

  it('counts from its beginning: what is held up before it is sent is not sent, because the next attempt may have begun', async () => {
    const signal = await accepted()
    // The last that happens before the order is sent.
    handover.watch = () => {
      lateness = REQUEST_TIMEOUT + 1
      return null
    }
    assert.equal(outcomeOf(await attempt(signal)), 'OutcomeUnknown')
    assert.deepEqual(broker.submissions, [])
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

  it('one attempt to check, send and record an entry that is made again, and records again: the advisories of the decision are told once', async () => {
    const signal = await accepted()
    const advisories = [{ code: 'quantity_reduced_to_position', message: 'reduced to 7 shares' }]
    await decideOnce(em, signal.id, 'entry', { ...ready('7'), advisories })
    const { answer } = handover.wait(signal.id)
    await attempt(signal)
    await attempt(signal)
    assert.deepEqual((await signalIn(em, signal.id)).advisories, advisories)
    assert.deepEqual((await answer)?.advisories, advisories)
  })

  it('one attempt to check, send and record an entry whose order is accepted and cannot be recorded: tells the workflow of the acceptance, and nobody else', async () => {
    const signal = await accepted()
    // The ledger says that it was declined, which no acceptance can follow.
    const send = broker.submitOrder.bind(broker)
    broker.submitOrder = async (request) => {
      await em.execute(`update signals set status = 'cancelled' where id = ?`, [signal.id])
      return send(request)
    }
    const { answer } = handover.wait(signal.id)
    const attempted = await attempt(signal)
    assert.deepEqual([outcomeOf(attempted), attempted.orderId], ['accepted', null])
    assert.equal(await answer, null, 'who waits is told nothing that is not in the ledger')
  })

  describe('of a market order that fills meanwhile', () => {
    let streamEnded: () => void
    beforeEach(() => {
      streamEnded = handover.streamReady(account.id)
    })

    const fillOf = (signal: Signal): OrderReport => {
      const { report } = broker.accepted.get(entryOf(signal))!
      return { ...report, status: 'FILLED', ...filled('10', new Date().toISOString()) }
    }
    /** The stream tells of the fill as soon as the broker has the order; null where no attempt waits for it. */
    const fillsAtOnce = (signal: Signal): (Promise<unknown> | null)[] => {
      const told: (Promise<unknown> | null)[] = []
      const submit = broker.submitOrder.bind(broker)
      broker.submitOrder = async (request) => {
        const report = await submit(request)
        told.push(handover.report(account.id, fillOf(signal)))
        return report
      }
      return told
    }

    it('records acceptance, fill and end as one, and lets go of the report then', async () => {
      const signal = await accepted()
      const told = fillsAtOnce(signal)
      const { submission, ended } = await attempt(signal)
      assert.deepEqual(ended, { clientOrderId: entryOf(signal), filledQuantity: '10' })
      assert.ok(submission?.completed && submission.result.outcome === 'accepted')
      assert.equal(submission.result.report.status, 'FILLED')
      assert.equal(told.length, 1)
      await told[0]
      const { filledQuantity } = await signalIn(em, signal.id)
      assert.equal(Number(filledQuantity), 10)
      const [{ has_ended }] = await em.execute<[{ has_ended: boolean }]>(
        'select entry_ended_at is not null as has_ended from signals where id = ?',
        [signal.id],
      )
      assert.ok(has_ended)
      assert.deepEqual(
        (await timelineOf(em, signal.id)).map(({ kind }) => kind).filter((kind) => kind !== 'received'),
        ['acknowledged', 'order_progress', 'closed'],
      )
      const [order] = await em.execute<[{ acknowledged: boolean }]>(
        'select end_acknowledged_at is not null as acknowledged from orders where signal_id = ?',
        [signal.id],
      )
      assert.ok(order.acknowledged, 'the feed would tell the workflow of the end')
    })

    it('tells the feed of no record that was not written', async () => {
      const signal = await accepted()
      const told = fillsAtOnce(signal)
      const send = broker.submitOrder.bind(broker)
      broker.submitOrder = async (request) => {
        await em.execute(`update signals set status = 'cancelled' where id = ?`, [signal.id])
        return send(request)
      }
      assert.equal((await attempt(signal)).orderId, null)
      assert.equal(await told[0], null)
    })

    it('leaves the end to the workflow when the feed has recorded the order first, whose end it has not taken note of', async () => {
      const signal = await accepted()
      const submit = broker.submitOrder.bind(broker)
      broker.submitOrder = async (request) => {
        const report = await submit(request)
        await applyOrderReport(em, account.id, fillOf(signal))
        void handover.report(account.id, fillOf(signal))
        return report
      }
      const { submission, orderId, ended } = await attempt(signal)
      assert.ok(submission?.completed && orderId !== null)
      assert.equal(ended, undefined)
      assert.deepEqual(
        (await timelineOf(em, signal.id)).filter(({ kind }) => kind === 'closed'),
        [],
      )
    })

    it('leaves the end to the workflow of a signal with an exit, and of one that has not filled', async () => {
      const submit = broker.submitOrder.bind(broker)
      const withExit = await accepted({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      void fillsAtOnce(withExit)
      handover.wait(withExit.id)
      const { submission, ended } = await attempt(withExit)
      assert.ok(submission?.completed && submission.result.outcome === 'accepted')
      assert.deepEqual([submission.result.report.status, ended], ['FILLED', undefined])
      for (const status of ['OPEN', 'CANCELLED'] as const) {
        const signal = await accepted()
        broker.submitOrder = async (request) => ({ ...(await submit(request)), status })
        assert.equal((await attempt(signal)).ended, undefined)
      }
    })

    it('made again after all of that is recorded changes nothing', async () => {
      const signal = await accepted()
      void fillsAtOnce(signal)
      assert.ok((await attempt(signal)).ended)
      const state = () =>
        em.execute('select closings, reopen_state, status, filled_quantity from signals where id = ?', [
          signal.id,
        ])
      const before = [await state(), await timelineOf(em, signal.id)]
      const find = broker.findOrder.bind(broker)
      broker.findOrder = async (id) => (await find(id)) && fillOf(signal)
      // The workflow records the end again, which changes nothing either.
      assert.equal((await attempt(signal)).ended, undefined)
      assert.deepEqual([await state(), await timelineOf(em, signal.id)], before)
      assert.equal(broker.submissions.length, 1)
    })

    it('one attempt to check, send and record an entry of a market order that fills meanwhile is not waited for when an exit follows, which is planned or sent before the sender is answered', async () => {
      for (const exitRule of [exitAtOnce, exitAfter(0), exitAfter(5)]) {
        const signal = await accepted({ exitRule, exitStatus: 'waiting' })
        const told = fillsAtOnce(signal)
        await attempt(signal)
        assert.deepEqual(told, [null])
      }
    })

    it('one attempt to check, send and record an entry of a market order that fills meanwhile is waited for of a scheduled signal with an exit, whose sender was answered long ago', async () => {
      const exiting = { exitRule: exitAtOnce, exitStatus: 'waiting' } as const
      const signal = await accepted({ ...exiting, executeMode: 'scheduled', scheduledAt: new Date(AT) })
      const told = fillsAtOnce(signal)
      const { submission } = await attempt(signal)
      assert.notEqual(told[0], null)
      assert.ok(submission?.completed && submission.result.outcome === 'accepted')
      assert.equal(submission.result.report.status, 'FILLED')
    })

    it('one attempt to check, send and record an entry of a market order that fills meanwhile is recorded by the feed when the attempt takes too long: nothing is kept from the workflow', async () => {
      const signal = await accepted()
      const submit = broker.submitOrder.bind(broker)
      let heard: Promise<OrderReport | null> | null = null
      broker.submitOrder = async (request) => {
        const report = await submit(request)
        lateness = 900
        heard = handover.report(account.id, fillOf(signal))
        await heard
        return report
      }
      const { submission } = await attempt(signal)
      assert.ok(heard, 'the attempt had the report first')
      assert.ok(submission?.completed && submission.result.outcome === 'accepted')
      assert.equal(submission.result.report.status, 'OPEN')
    })

    /** The stream tells of the fill once the request that waits for the entry is answered, and `meanwhile` is done. */
    const fillsOnceAnswered = async (
      signal: Signal,
      meanwhile?: () => Promise<unknown>,
    ): Promise<EntryAnswer | null> => {
      const told = await handover.wait(signal.id).answer
      await meanwhile?.()
      void handover.report(account.id, fillOf(signal))
      return told
    }

    it('one attempt to check, send and record an entry of a market order that fills meanwhile is waited for once the request that waits for the entry is answered, and is in the ledger then', async () => {
      for (const exit of [{}, { exitRule: exitAtOnce, exitStatus: 'waiting' } as const]) {
        const signal = await accepted(exit)
        const answering = fillsOnceAnswered(signal)
        const { submission } = await attempt(signal)
        assert.equal((await answering)?.status, 'executed')
        assert.ok(submission?.completed && submission.result.outcome === 'accepted')
        assert.equal(submission.result.report.status, 'FILLED')
        assert.equal(Number((await signalIn(em, signal.id)).filledQuantity), 10)
      }
    })

    it('one attempt to check, send and record an entry of a market order that fills meanwhile is left to the stream when it cannot be recorded after that answer', async () => {
      const signal = await accepted()
      const answering = fillsOnceAnswered(signal, () =>
        em.execute('alter table signal_events rename to hidden'),
      )
      try {
        const { submission, orderId } = await attempt(signal)
        assert.equal((await answering)?.orderId, orderId)
        assert.ok(submission?.completed && submission.result.outcome === 'accepted')
        assert.equal(submission.result.report.status, 'OPEN')
      } finally {
        await em.execute('alter table hidden rename to signal_events')
      }
    })

    it('one attempt to check, send and record an entry of a market order that fills meanwhile is waited for no longer than the attempt may take', async () => {
      const signal = await accepted()
      const { answer } = handover.wait(signal.id)
      const submit = broker.submitOrder.bind(broker)
      broker.submitOrder = async (request) => {
        const report = await submit(request)
        // Past the end of the wait, with as much time left for the record as can be.
        lateness = LONGEST_WAIT + 5
        return report
      }
      const begun = performance.now()
      const { submission } = await attempt(signal)
      assert.ok(performance.now() - begun < 400)
      assert.equal((await answer)?.status, 'executed')
      assert.ok(submission?.completed && submission.result.outcome === 'accepted')
      assert.equal(submission.result.report.status, 'OPEN')
    })

    it('one attempt to check, send and record an entry of a market order that fills meanwhile is not waited for in a worker that has no stream of the account', async () => {
      const ofNewKeys = handover.streamReady(account.id)
      streamEnded()
      const [followed, signal] = [await accepted(), await accepted()]
      const told = fillsAtOnce(followed)
      await attempt(followed)
      assert.ok(told[0], 'a stream with other keys is open still')
      ofNewKeys()
      const untold = fillsAtOnce(signal)
      const { submission } = await attempt(signal)
      assert.ok(submission?.completed && submission.result.outcome === 'accepted')
      assert.equal(submission.result.report.status, 'OPEN')
      assert.deepEqual(untold, [null])
    })

    it('one attempt to check, send and record an entry of a market order that fills meanwhile is over for the stream when the attempt fails', async () => {
      const signal = await accepted()
      broker.script.push('acceptThenUnknown')
      await attempt(signal)
      assert.equal(handover.report(account.id, fillOf(signal)), null)
    })
  })
})
