import assert from 'node:assert/strict'
import { exitBegins } from '#domain/exit/progress.ts'
import fc from 'fast-check'
import type { EntityManager } from '#db/engine/database.ts'
import { recordClosed, recordAccepted } from '#db/signal/ledger.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { ordersToCompare } from '#db/order/compared-orders.ts'
import { acknowledgeUnfollowed } from '#db/signal/reopening.ts'
import { SignalEvent, type Signal } from '#db/entities/index.ts'
import { listSignalEvents } from '#db/signal/signals.ts'
import type { OrderReport, OrderStatus } from '#domain/order/order.ts'
import { orderIn, ordersOf, signalIn, timelineOf } from '#test/support/ledger.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { dayBefore } from '#test/support/day-before.ts'
import { useDatabase } from '#test/support/database.ts'

describe('order reports', () => {
  let em: EntityManager
  useDatabase(async (database) => {
    em = database.em
    await forbidShrinkingFills(em)
  })

  const apply = (signal: Signal, report: OrderReport) => applyOrderReport(em, signal.accountId, report)

  it('order reports of an order that is not known yet puts it into the ledger', async () => {
    const signal = await createSignal(em)
    const applied = await apply(signal, withFill(orderReport(signal), '4'))
    assert.equal(applied?.changed, true)
    assert.equal(applied.acknowledged, false)
    const order = await orderIn(em, orderReport(signal).clientOrderId)
    assert.deepEqual(
      [order.signalId, order.accountId, order.userId, order.role, order.status, Number(order.filledQuantity)],
      [signal.id, signal.accountId, signal.userId, 'entry', 'PARTIALLY_FILLED', 4],
    )
  })

  it('order reports of an entry that is good till a date show that, and its cancel from that date on is its expiry', async () => {
    const expiresAt = '2026-03-02T16:00:00.000Z'
    for (const [endedAt, status, recordedFirst] of [
      [expiresAt, 'EXPIRED', true],
      ['2026-03-02T16:02:00.000Z', 'EXPIRED', false],
      ['2026-03-02T15:30:00.000Z', 'CANCELLED', true],
    ] as const) {
      const signal = await createSignal(em, { timeInForce: 'gtd', expiresAt: new Date(expiresAt) })
      const accepted = orderReport(signal, { timeInForce: 'gtc' })
      if (recordedFirst) await recordAccepted(em, accepted)
      const told = await apply(signal, { ...accepted, status: 'CANCELLED', endedAt })
      assert.deepEqual([told?.report.status, told?.report.timeInForce], [status, 'gtd'])
      const order = await orderIn(em, accepted.clientOrderId)
      assert.deepEqual(
        [order.status, order.timeInForce, order.expiresAt?.toISOString()],
        [status, 'gtd', expiresAt],
      )
      const [last] = (await timelineOf(em, signal.id)).slice(-1)
      assert.match(last!.message, status === 'EXPIRED' ? /order expired/ : /is cancelled/)
      // Reported again, by a broker that still calls it cancelled, it is no news.
      assert.equal((await apply(signal, { ...accepted, status: 'CANCELLED', endedAt }))?.changed, false)
    }
  })

  for (const first of ['its workflow', 'the feed'])
    it(`order reports of a broker whose clock is behind follow the reception of the signal, recorded first by ${first}`, async () => {
      const at = new Date()
      const signal = await createSignal(em, { acceptedAt: at })
      const received = { key: 'received', kind: 'received', at, message: 'received', data: null } as const
      await em.fork().insert(SignalEvent, { signalId: signal.id, ...received })
      const behind = new Date(at.getTime() - 180_000).toISOString()
      const accepted = orderReport(signal, { submittedAt: behind })
      if (first === 'its workflow') await recordAccepted(em, accepted)
      else await apply(signal, accepted)
      await apply(signal, { ...withFill(accepted, '10'), filledAt: behind })
      const told = await listSignalEvents(em, signal.userId, signal.id, { limit: 10, offset: 0 })
      const kinds = told.items.map(({ kind }) => kind)
      assert.deepEqual(kinds, ['received', 'acknowledged', 'order_progress'])
    })

  it('repeated changes nothing the second time', async () => {
    const signal = await createSignal(em)
    const report = withFill(orderReport(signal), '10')
    assert.equal((await apply(signal, report))?.changed, true)
    const again = await apply(signal, report)
    assert.deepEqual([again?.changed, again?.report.status], [false, 'FILLED'])
    const told = (await timelineOf(em, signal.id)).map(({ kind }) => kind)
    assert.deepEqual(told, ['acknowledged', 'order_progress'])
  })

  it('order reports of an order that no signal asked for, or by another account than its signal’s, change nothing', async () => {
    const stranger = await createAccount(em)
    const unowned = orderReport({ id: '00000000-0000-4000-8000-000000000000' })
    for (const report of [unowned, { ...unowned, clientOrderId: 'placed-by-hand' }])
      assert.equal(await applyOrderReport(em, stranger.id, report), null)
    const signal = await createSignal(em)
    const forged = withFill(orderReport(signal), '10')
    assert.equal(await applyOrderReport(em, stranger.id, forged), null)
    assert.deepEqual(await ordersOf(em, signal.id), [])
    await recordAccepted(em, orderReport(signal))
    assert.equal(await applyOrderReport(em, stranger.id, forged), null)
    assert.equal((await orderIn(em, forged.clientOrderId)).status, 'OPEN')
  })

  it('order reports of an entry fill is mirrored on the signal, of an exit fill not', async () => {
    const signal = await createSignal(em)
    await apply(signal, withFill(orderReport(signal), '4'))
    await apply(signal, withFill(orderReport(signal, { role: 'exit' }), '3'))
    const { filledQuantity, avgFillPrice } = await signalIn(em, signal.id)
    assert.deepEqual([Number(filledQuantity), Number(avgFillPrice)], [4, 100])
  })

  it('keeps quantities and prices to nine decimals', async () => {
    const signal = await createSignal(em)
    const report = {
      ...withFill(orderReport(signal, { quantity: '0.123456789' }), '0.023456789'),
      avgFillPrice: '187.123456789',
    } as const
    const applied = await apply(signal, report)
    assert.deepEqual(
      [applied?.report.filledQuantity, applied?.report.avgFillPrice],
      ['0.023456789', '187.123456789'],
    )
    assert.equal((await apply(signal, report))?.report.avgFillPrice, '187.123456789')
  })

  it('shuffled, doubled and applied by ten callers at once end where those applied in order end', async function () {
    this.timeout(60_000)
    await fc.assert(
      fc.asyncProperty(
        lifeOfAnOrder,
        fc.array(fc.nat(), { minLength: 10, maxLength: 24 }),
        async (life, deal) => {
          const inOrder = await createSignal(em)
          for (const told of life) await apply(inOrder, told(inOrder))
          const shuffled = await createSignal(em)
          // Every report at least once, in an order and with doubles that the deal decides.
          const dealt = deal.map((number) => life[number % life.length]!)
          const hands = Array.from({ length: 10 }, (_, hand) =>
            dealt.filter((__, card) => card % 10 === hand),
          )
          for (const [index, told] of life.entries())
            hands[(deal[index % deal.length]! + index) % 10]!.push(told)
          await Promise.all(
            hands.map(async (hand) => {
              for (const told of hand) await apply(shuffled, told(shuffled))
            }),
          )
          assert.deepEqual(await stateOf(shuffled), await stateOf(inOrder))
        },
      ),
      { numRuns: 30 },
    )
  })

  /** Where a signal's entry stands, in the order and as mirrored on the signal. */
  async function stateOf(signal: Signal) {
    const { status, filledQuantity, avgFillPrice, reason, filledAt } = await orderIn(
      em,
      orderReport(signal).clientOrderId,
    )
    const row = await signalIn(em, signal.id)
    const mirrored = [row.filledQuantity, row.avgFillPrice]
    return { status, filledQuantity, avgFillPrice, reason, filledAt, mirrored }
  }

  describe('that come after the order’s end was taken note of', () => {
    const settledPart = async () => {
      const signal = await createSignal(em)
      const cancelled = { ...withFill(orderReport(signal), '4'), status: 'CANCELLED' } as const
      await recordAccepted(em, orderReport(signal))
      await apply(signal, cancelled)
      await recordClosed(em, signal.id, '2026-03-02T16:00:00.000Z', {
        message: 'ended',
        acknowledges: [cancelled],
        exit: null,
        rejected: false,
        unprotected: null,
        closing: 1,
        entryFilled: '0',
        progress: exitBegins(),
      })
      return { signal, cancelled }
    }

    it('re-open it when they report a fill', async () => {
      const { signal, cancelled } = await settledPart()
      const late = await apply(signal, { ...cancelled, filledQuantity: '6' })
      assert.deepEqual([late?.changed, late?.acknowledged, late?.report.filledQuantity], [true, false, '6'])
      assert.equal((await orderIn(em, cancelled.clientOrderId)).endAcknowledgedAt, null)
      const [waiting] = await ordersToCompare(em, signal.accountId)
      assert.equal(waiting?.clientOrderId, cancelled.clientOrderId)
    })

    it('leave the entry ended since its first end', async () => {
      const { signal, cancelled } = await settledPart()
      const end = new Date('2026-03-02T16:00:00Z')
      await em.execute('update signals set entry_ended_at = ? where id = ?', [end, signal.id], 'run')
      await apply(signal, { ...cancelled, filledQuantity: '6' })
      const rows = await em.execute('select from signals where id = ? and entry_ended_at = ?', [
        signal.id,
        end,
      ])
      assert.equal(rows.length, 1)
    })

    it('leave it settled when they report nothing new', async () => {
      const { signal, cancelled } = await settledPart()
      const again = await apply(signal, cancelled)
      assert.deepEqual([again?.changed, again?.acknowledged], [false, true])
    })
  })

  describe('that wait for their workflow', () => {
    it('order reports that wait for their workflow are the working and the ended ones of that account, oldest change first', async () => {
      const account = await createAccount(em)
      const [working, ended, settled] = await Promise.all(
        [0, 1, 2].map(() => createSignal(em, { accountId: account.id })),
      )
      await createSignal(em).then((elsewhere) => apply(elsewhere, orderReport(elsewhere)))
      await apply(ended!, withFill(orderReport(ended!), '10'))
      await apply(working!, orderReport(working!))
      await apply(settled!, withFill(orderReport(settled!), '10'))
      await acknowledgeUnfollowed(em, withFill(orderReport(settled!), '10'), null)
      const waiting = await ordersToCompare(em, account.id)
      const told = waiting.map(({ signalId, ended: hasEnded }) => `${signalId} ${hasEnded}`)
      assert.deepEqual(told, [`${ended!.id} true`, `${working!.id} false`])
      assert.equal(waiting[0]!.brokerOrderId, orderReport(ended!).brokerOrderId)
      assert.ok(Math.abs(Date.now() - Date.parse(waiting[0]!.updatedAt)) < 60_000)
    })

    it('orders to compare are also settled ones that the broker lists, and of that account those that ended unfilled since an instant', async () => {
      const account = await createAccount(em)
      const settled = async (status: 'FILLED' | 'CANCELLED', ago: string, at = account.id) => {
        const signal = await createSignal(em, { accountId: at })
        const report = { ...orderReport(signal), status }
        await apply(signal, status === 'FILLED' ? withFill(report, '10') : report)
        await acknowledgeUnfollowed(em, report, null)
        await em.execute(
          'update orders set end_acknowledged_at = now() - ?::interval where client_order_id = ?',
          [ago, report.clientOrderId],
        )
        return report.clientOrderId
      }
      const [old, ended, filled] = [
        await settled('CANCELLED', '2 days'),
        await settled('CANCELLED', '1 hour'),
        await settled('FILLED', '1 hour'),
      ]
      const elsewhere = await settled('CANCELLED', '1 hour', (await createAccount(em)).id)
      const compared = async (listed: string[], endedSince: string | null) =>
        (await ordersToCompare(em, account.id, listed, endedSince))
          .map(
            ({ clientOrderId, ended: hasEnded, acknowledged }) =>
              `${clientOrderId} ${hasEnded} ${acknowledged}`,
          )
          .toSorted()
      const named = (...ids: string[]) => ids.map((id) => `${id} true true`).toSorted()
      assert.deepEqual(await compared([], null), [])
      assert.deepEqual(await compared([], dayBefore()), named(ended))
      assert.deepEqual(await compared([old, filled, elsewhere, 'foreign'], null), named(old, filled))
      assert.deepEqual(await compared([ended, old], dayBefore()), named(ended, old))
    })

    it('settled twice keep the first moment', async () => {
      const signal = await createSignal(em)
      const report = orderReport(signal)
      const { clientOrderId } = report
      await apply(signal, report)
      await acknowledgeUnfollowed(em, report, null)
      const first = (await orderIn(em, clientOrderId)).endAcknowledgedAt
      assert.ok(first)
      await acknowledgeUnfollowed(em, report, null)
      assert.deepEqual((await orderIn(em, clientOrderId)).endAcknowledgedAt, first)
    })
  })
})

type Notified = (signal: Signal) => OrderReport

/** The reports of one order of 10 shares from acceptance to end, in the order in which they came about. */
const lifeOfAnOrder: fc.Arbitrary<Notified[]> = fc
  .record({
    fills: fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { maxLength: 4 }),
    end: fc.constantFrom<OrderStatus | null>('CANCELLED', 'EXPIRED', 'REJECTED', null),
    lateFill: fc.boolean(),
  })
  .map(({ fills, end, lateFill }) => {
    const amounts = fills.toSorted((a, b) => a - b)
    const [late] = lateFill && end !== null && amounts.at(-1) !== 10 ? amounts.splice(-1) : []
    const filled =
      (amount: number): Notified =>
      (signal) => ({
        ...withFill(orderReport(signal), `${amount}`),
        avgFillPrice: `${100 + amount}`,
      })
    const last = amounts.at(-1)
    const told: Notified[] = [
      (signal) => ({ ...orderReport(signal), status: 'PENDING' }),
      (signal) => orderReport(signal),
      ...amounts.map(filled),
    ]
    if (end === null || last === 10) return told
    const ended =
      (amount: number | undefined): Notified =>
      (signal) => ({
        ...(amount === undefined ? orderReport(signal) : filled(amount)(signal)),
        status: end,
        reason: 'the broker’s words',
      })
    told.push(ended(last))
    if (late !== undefined) told.push(ended(late))
    return told
  })

/** Makes PostgreSQL itself refuse a filled quantity that goes down, whoever writes it. */
async function forbidShrinkingFills(em: EntityManager): Promise<void> {
  const run = (sql: string) => em.execute(sql)
  await run(`create function refuse_shrinking() returns trigger language plpgsql as $$
    begin
      if new.filled_quantity < old.filled_quantity then raise exception 'filled quantity went down'; end if;
      return new;
    end $$`)
  for (const table of ['orders', 'signals'])
    await run(
      `create trigger monotone before update on ${table} for each row execute function refuse_shrinking()`,
    )
}
