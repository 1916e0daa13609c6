import assert from 'node:assert/strict'
import type { SubmitOrderResult } from '#activities/contract.ts'
import type { Signal } from '#db/entities/index.ts'
import { giveUpOrder, readPermits } from '#db/order/send-permits.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import { recordAccepted, recordExitTrouble, recordNotPlaced } from '#db/signal/ledger.ts'
import { termsOf } from '#db/signal/terms.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { entryToSend } from '#domain/order/entry-order.ts'
import { clientOrderIdFor, type OrderReport, type OrderRequest } from '#domain/order/order.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'
import { orderReport, withFill } from '#test/support/factories.ts'
import { entryIdOf } from '#test/support/placed-by-hand.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { allDaySessions, executionTime, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

/** The gate of orders, the sizes and decisions behind it, and attempts that come late, on a real database. */
describe('an order that was given up, or whose moment has passed', function () {
  this.timeout(60_000)
  let { desk, em, account, broker, activities, prepare } = {} as ActivityDesk
  useDesk((given) => {
    ;({ desk, em, account, broker, activities, prepare } = given)
    broker.sessions = allDaySessions()
  })
  const target = () => ({ scope: 'account', userId: account.userId, accountId: account.id }) as const
  const stop = () => setHalt(em, target(), { level: 'fullStop', reason: 'enough', by: 'ann' })
  const lift = () => liftHalt(em, target(), 'ann')

  const filledBefore = (report: OrderReport): OrderReport => ({
    ...withFill(report, report.quantity),
    filledAt: new Date(Date.now() - 60_000).toISOString(),
  })
  /** A signal whose entry of ten shares is filled, some time ago. */
  async function opened(fields: Partial<Signal> = {}): Promise<Signal> {
    const signal = await desk.accepted(fields)
    await recordAccepted(em, filledBefore(orderReport(signal)))
    await em.execute(
      `update orders set updated_at = now() - interval '1 minute' where signal_id = ?`,
      [signal.id],
      'run',
    )
    return signal
  }
  const withExit = () => opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
  const size = (signal: Signal, generation = 1) => desk.size(signal, { generation })
  const exitOf = (signal: Signal, generation = 1): OrderRequest =>
    orderRequest({
      clientOrderId: clientOrderIdFor(signal.id, 'timed', generation),
      side: 'SELL',
      quantity: '10',
    })
  const submit = (request: OrderRequest, unknownSince: string | null = null): Promise<SubmitOrderResult> =>
    desk.submit(request, { unknownSince })
  const outcome = async (submission: Promise<SubmitOrderResult>): Promise<string> =>
    (await submission).outcome
  const held10 = () => held('10', 'LONG')
  const sharesOf = async (signal: Signal): Promise<string> =>
    (await readSymbolState(em, account.id, 'AAPL')).shares.of(signal.id)
  /** A person sells at the broker's own site. */
  const sellByHand = (quantity: Decimal) => desk.lists({ side: 'SELL', quantity, at: executionTime(-30) })
  /** Lets so many seconds pass for what is kept of the order. */
  async function age(signal: Signal, seconds: number): Promise<void> {
    await em.execute(
      `update signals set checked_at = checked_at - make_interval(secs => ?), decisions = (
         select jsonb_object_agg(key, case when value -> 'sizedAt' is null then value else jsonb_set(value, '{sizedAt}',
           to_jsonb(((value ->> 'sizedAt')::timestamptz - make_interval(secs => ?))::text)) end)
         from jsonb_each(decisions)) where id = ?`,
      [seconds, seconds, signal.id],
      'run',
    )
    await em.execute(
      `update send_permits set permitted_at = permitted_at - make_interval(secs => ?) where client_order_id like ?`,
      [seconds, `${signal.id}%`],
      'run',
    )
  }

  describe('of an attempt that froze', () => {
    it('an order that was given up, or whose moment has passed of an attempt that froze is not sent when it is an exit that was refused elsewhere meanwhile, and the next one has closed the shares', async () => {
      const signal = await withExit()
      await opened()
      broker.positions = [held('20', 'LONG')]
      assert.equal((await size(signal)).quantity, '10')
      broker.script.push('refuse')
      assert.equal(await outcome(submit(exitOf(signal))), 'rejected')
      // The worker that stood still since it had the size goes on now, before or after the refusal is recorded.
      assert.equal(await outcome(submit(exitOf(signal))), 'rejected')
      await recordExitTrouble(em, signal.id, new Date().toISOString(), {
        generation: 1,
        kind: 'rejected',
        code: 'BROKER_ERROR',
        detail: 'opposite order',
        acknowledges: [],
      })
      assert.equal((await size(signal, 2)).quantity, '10')
      assert.equal(await outcome(submit(exitOf(signal, 2))), 'accepted')
      assert.equal(await outcome(submit(exitOf(signal))), 'rejected')
      // The gate forgets an order after a week; the ledger does not.
      await em.execute(
        'delete from send_permits where client_order_id = ?',
        [exitOf(signal).clientOrderId],
        'run',
      )
      assert.equal(await outcome(submit(exitOf(signal))), 'void')
      assert.deepEqual([...broker.accepted.keys()], [exitOf(signal, 2).clientOrderId])
    })

    for (const step of ['was given up', 'was recorded as rejected'] as const)
      it(`an order that was given up, or whose moment has passed of an attempt that froze is not sent when it is an entry that ${step} meanwhile`, async () => {
        const signal = await desk.accepted()
        const terms = termsOf(signal)
        const prepared = await prepare(signal)
        assert.ok(prepared.outcome === 'ready')
        const { request } = entryToSend(terms, prepared)
        const refusal = { outcome: 'rejected', code: 'BROKER_ERROR', detail: 'no' } as const
        if (step === 'was given up')
          assert.ok(
            await giveUpOrder(
              em,
              { accountId: account.id, clientOrderId: request.clientOrderId, reducing: false },
              0,
              refusal,
            ),
          )
        else await recordNotPlaced(em, signal.id, new Date().toISOString(), refusal)
        const expected = step === 'was given up' ? 'rejected' : 'void'
        assert.equal(await outcome(submit(request)), expected)
        assert.deepEqual(broker.submissions, [])
        assert.equal((await readPermits(em, request.clientOrderId)).permits, 0)
      })

    it('an order that was given up, or whose moment has passed of an attempt that froze is not sent when it is an order by hand that has ended meanwhile', async () => {
      const terms = await desk.placed()
      const decided = await activities.prepareEntry(terms)
      assert.equal(decided.outcome, 'ready')
      await recordNotPlaced(em, terms.signalId, new Date().toISOString(), {
        outcome: 'rejected',
        code: 'BROKER_ERROR',
        detail: 'no',
      })
      const request = orderRequest({
        clientOrderId: entryIdOf(terms),
        symbol: terms.symbol,
        quantity: '10',
      })
      assert.equal(await outcome(submit(request)), 'void')
      assert.deepEqual(broker.submissions, [])
    })

    it('an order that was given up, or whose moment has passed of an attempt that froze is not sent with another size than the one that is decided', async () => {
      const signal = await withExit()
      broker.positions = [held10()]
      await size(signal)
      assert.equal(await outcome(submit({ ...exitOf(signal), quantity: '7' })), 'void')
      assert.deepEqual(broker.submissions, [])
    })

    it('an order that was given up, or whose moment has passed of an attempt that froze is not given up while another attempt passed the send gate that has not reported its outcome', async () => {
      const signal = await withExit()
      broker.positions = [held10()]
      await size(signal)
      broker.script.push('unknownBefore', 'refuse')
      await assert.rejects(submit(exitOf(signal)), { type: 'OutcomeUnknown' })
      await assert.rejects(submit(exitOf(signal), new Date().toISOString()), { type: 'OutcomeUnknown' })
      assert.deepEqual((await readPermits(em, exitOf(signal).clientOrderId)).permits, 2)
    })
  })

  describe('of an exit that its broker says to have and does not show', () => {
    /** The first request fails with 500, and each one after it is refused because of its id. */
    async function hidden(): Promise<Signal> {
      const signal = await withExit()
      broker.positions = [held10()]
      assert.equal((await size(signal)).quantity, '10')
      broker.script.push('unknownBefore', 'duplicate', 'duplicate')
      await assert.rejects(submit(exitOf(signal)), { type: 'OutcomeUnknown', message: /connection reset/ })
      await recordExitTrouble(em, signal.id, new Date().toISOString(), {
        generation: 1,
        kind: 'unknown',
        code: 'OUTCOME_UNKNOWN',
        detail: 'connection reset',
        acknowledges: [],
      })
      return signal
    }
    const again = (signal: Signal) => submit(exitOf(signal), new Date().toISOString())
    const quietFor = (signal: Signal, seconds: number) =>
      em.execute(
        `update send_permits set hidden_since = hidden_since - make_interval(secs => ?) where client_order_id like ?`,
        [seconds, `${signal.id}%`],
        'run',
      )

    const alert = async (signal: Signal): Promise<string> => {
      const rows = await em.execute<{ message: string }[]>(
        `select message from alerts where signal_id = ? and kind = 'unprotected_position' and resolved_at is null`,
        [signal.id],
      )
      return rows[0]!.message
    }

    it('an order that was given up, or whose moment has passed of an exit that its broker says to have and does not show is looked for a minute, while the alert says what the broker says of it', async () => {
      const signal = await hidden()
      assert.match(await alert(signal), /connection reset/)
      await assert.rejects(again(signal), { message: /says that it has an order .* and does not show it/ })
      assert.match(await alert(signal), /says that it has an order .* and does not show it/)
      assert.equal((await size(signal)).quantity, '10')
    })

    it('an order that was given up, or whose moment has passed of an exit that its broker says to have and does not show is given up after that, and the next one is sized by what is held', async () => {
      const signal = await hidden()
      await assert.rejects(again(signal))
      await quietFor(signal, 60)
      const given = await again(signal)
      assert.ok(given.outcome === 'rejected')
      assert.match(given.detail, /does not show it for 6\d s, and nothing was sold/)
      await recordExitTrouble(em, signal.id, new Date().toISOString(), {
        generation: 1,
        kind: 'rejected',
        code: given.code,
        detail: given.detail,
        acknowledges: [],
      })
      assert.equal((await size(signal, 2)).quantity, '10')
      assert.equal(await outcome(submit(exitOf(signal, 2))), 'accepted')
      // An attempt that stood still meanwhile sends nothing.
      assert.equal(await outcome(again(signal)), 'rejected')
      assert.equal(broker.accepted.size, 1)
    })
  })

  describe('of an exit whose shares were sold by hand', () => {
    async function twoSignals(): Promise<{ own: Signal; other: Signal }> {
      const own = await withExit()
      const other = await opened()
      broker.positions = [held('20', 'LONG')]
      return { own, other }
    }
    async function soldByHand(other: Signal): Promise<void> {
      await sellByHand('10')
      broker.positions = [held10()]
      assert.equal(await sharesOf(other), '10')
    }

    it('an order that was given up, or whose moment has passed of an exit whose shares were sold by hand is not sized while everything is stopped, and finds nothing to sell afterwards', async () => {
      const { own, other } = await twoSignals()
      await stop()
      await assert.rejects(size(own), { type: 'Halted', message: /enough/ })
      await soldByHand(other)
      await lift()
      assert.equal((await size(own)).quantity, '0')
    })

    it('an order that was given up, or whose moment has passed of an exit whose shares were sold by hand is taken back when it was sized before everything was stopped', async () => {
      const { own, other } = await twoSignals()
      assert.equal((await size(own)).quantity, '10')
      await stop()
      await assert.rejects(submit(exitOf(own)), { type: 'Halted' })
      await soldByHand(other)
      await lift()
      assert.equal(await outcome(submit(exitOf(own))), 'void')
      assert.equal((await size(own)).quantity, null)
      assert.equal((await size(own, 2)).quantity, '0')
      assert.deepEqual(broker.submissions, [])
    })

    it('an order that was given up, or whose moment has passed of an exit whose shares were sold by hand is taken back when the worker with its size comes back much later', async () => {
      const { own, other } = await twoSignals()
      assert.equal((await size(own)).quantity, '10')
      await age(own, 600)
      await soldByHand(other)
      assert.equal(await outcome(submit(exitOf(own))), 'void')
      assert.equal((await size(own, 2)).quantity, '0')
      assert.deepEqual(broker.submissions, [])
    })

    it('an order that was given up, or whose moment has passed of an exit whose shares were sold by hand is given up when its first request was lost, and does not show for long enough', async () => {
      const { own, other } = await twoSignals()
      await size(own)
      broker.script.push('unknownBefore')
      const since = new Date(Date.now() - 600_000).toISOString()
      await assert.rejects(submit(exitOf(own)), { type: 'OutcomeUnknown' })
      await soldByHand(other)
      await assert.rejects(submit(exitOf(own), since), { type: 'OutcomeUnknown' })
      await age(own, 600)
      assert.equal(await outcome(submit(exitOf(own), since)), 'void')
      assert.equal(broker.submissions.length, 1)
      assert.equal(await outcome(submit(exitOf(own), since)), 'void')
    })

    it('an order that was given up, or whose moment has passed of an exit whose shares were sold by hand is not sent where the broker shows fewer shares than the fills, after a sale by any actor', async () => {
      const { own } = await twoSignals()
      await size(own)
      await age(own, 600)
      broker.positions = [held10()]
      assert.equal(await outcome(submit(exitOf(own))), 'void')
    })
  })

  describe('of a closing signal', () => {
    const closing = (fields: Partial<Signal> = {}) => desk.accepted({ action: 'closeLong', ...fields })
    const requestOf = async (signal: Signal): Promise<OrderRequest> => {
      const prepared = await prepare(signal)
      assert.ok(prepared.outcome === 'ready', JSON.stringify(prepared))
      return entryToSend(termsOf(signal), prepared).request
    }
    beforeEach(async () => {
      await opened()
      broker.positions = [held10()]
    })

    it('an order that was given up, or whose moment has passed of a closing signal is not decided while everything is stopped, and is decided when that is lifted', async () => {
      await stop()
      const signal = await closing({ sendBefore: null, validUntil: new Date(Date.now() + 3_600_000) })
      await assert.rejects(prepare(signal), { type: 'Halted', message: /enough/ })
      await lift()
      assert.equal((await prepare(signal)).outcome, 'ready')
    })

    it('an order that was given up, or whose moment has passed of a closing signal is denied when its time has passed and everything is still stopped', async () => {
      await stop()
      const signal = await closing({ sendBefore: new Date(Date.now() - 1_000) })
      const prepared = await prepare(signal)
      assert.equal(prepared.outcome === 'denied' && prepared.code, 'TRADING_STOPPED')
    })

    it('an order that was given up, or whose moment has passed of a closing signal is decided on again when everything was stopped before it left', async () => {
      const signal = await closing()
      const request = await requestOf(signal)
      await stop()
      await assert.rejects(submit(request), { type: 'Halted' })
      await sellByHand('6')
      broker.positions = [held('4', 'LONG')]
      await lift()
      assert.equal(await outcome(submit(request)), 'void')
      const anew = await requestOf(signal)
      assert.deepEqual([anew.clientOrderId, anew.quantity], [request.clientOrderId, '4'])
      assert.equal(await outcome(submit(anew)), 'accepted')
      // The attempt with the first size finds the order, and nothing is sent.
      assert.equal(await outcome(submit(request)), 'accepted')
      assert.equal(broker.submissions.length, 1)
    })
  })
})
