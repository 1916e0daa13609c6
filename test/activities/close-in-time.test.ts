import assert from 'node:assert/strict'
import type { Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { termsOf } from '#db/signal/terms.ts'
import { entryToSend } from '#domain/order/entry-order.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { orderReport } from '#test/support/factories.ts'
import { letPass } from '#test/support/let-pass.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const isUnsettled = { type: 'OutcomeUnknown' }

describe('the time of an order that closes a position', () => {
  let { desk, em, account, broker, activities, placed } = {} as ActivityDesk
  let exit: OrderReport
  useDesk(async (given) => {
    ;({ desk, em, account, broker, activities, placed } = given)
    const signal = await desk.opened({ exitRule: exitAtOnce })
    exit = orderReport(signal, { role: 'exit', orderType: 'limit', limitPrice: '120' })
    broker.put(exit)
    await recordAccepted(em, exit)
    broker.positions = [held('10', 'LONG', { availableQuantity: '0' })]
    await letPass(em, 60_000)
  })

  const closing = (within: number): Promise<Signal> =>
    desk.accepted({
      action: 'closeLong',
      acceptedAt: new Date(Date.now() + within - 60_000),
      sendBefore: new Date(Date.now() + within),
    })
  const isCancelled = async (): Promise<void> => {
    const report: OrderReport = { ...exit, status: 'CANCELLED' }
    broker.put(report)
    await applyOrderReport(em, account.id, report)
    broker.positions = [held('10', 'LONG')]
  }
  const cancels = () => broker.requests.get('cancelOrder') ?? 0

  it('the time of an order that closes a position does not run while our own cancel hangs at the broker, and begins again when that is done', async () => {
    broker.cancels = 'pending'
    const close = termsOf(await closing(10_000))
    await assert.rejects(activities.prepareEntry(close), {
      ...isUnsettled,
      message: /waits for the end of SELL 10/,
    })
    const late = {
      ...close,
      acceptedAt: new Date(Date.now() - 660_000).toISOString(),
      sendBefore: new Date(Date.now() - 600_000).toISOString(),
    }
    await letPass(em, 600_000)
    await assert.rejects(activities.prepareEntry(late), isUnsettled)
    await isCancelled()
    const decision = await activities.prepareEntry(late)
    assert.ok(decision.outcome === 'ready')
    assert.equal(decision.quantity, '10')
    const { sendBefore } = entryToSend(late, decision)
    assert.ok(Date.parse(sendBefore!) > Date.now() + 30_000, String(sendBefore))
  })

  it('the time of an order that closes a position of an order by hand does not run while our own cancel hangs at the broker', async () => {
    broker.cancels = 'pending'
    const sale = await placed({ side: 'SELL' })
    await assert.rejects(activities.prepareEntry(sale), isUnsettled)
    const late = {
      ...sale,
      acceptedAt: new Date(Date.now() - 660_000).toISOString(),
      sendBefore: new Date(Date.now() - 600_000).toISOString(),
    }
    await letPass(em, 600_000)
    await assert.rejects(activities.prepareEntry(late), isUnsettled)
    await isCancelled()
    const decision = await activities.prepareEntry(late)
    assert.ok(decision.outcome === 'ready', JSON.stringify(decision))
    assert.ok(Date.parse(entryToSend(late, decision).sendBefore!) > Date.now() + 30_000)
  })

  it('asks the broker for a cancel that hangs every five seconds, and looks at the ledger meanwhile', async () => {
    broker.cancels = 'pending'
    const close = termsOf(await closing(60_000))
    for (let tries = 0; tries < 4; tries += 1)
      await assert.rejects(activities.prepareEntry(close), { ...isUnsettled, nextRetryDelay: 1_000 })
    assert.equal(cancels(), 1)
    await letPass(em, 5_000)
    await assert.rejects(activities.prepareEntry(close), isUnsettled)
    assert.equal(cancels(), 2)
    await isCancelled()
    assert.equal((await activities.prepareEntry(close)).outcome, 'ready')
    assert.equal(cancels(), 2)
  })

  it('the time of an order that closes a position has ended before anything is cancelled for an order that is too old', async () => {
    const decision = await activities.prepareEntry(termsOf(await closing(-1_000)))
    assert.ok(decision.outcome === 'denied')
    assert.equal(decision.code, 'STALE')
    assert.match(decision.detail, /it waited for the end of SELL 10 AAPL limit 120/)
    assert.equal(cancels(), 0)
  })

  describe('of a position that the broker does not show', () => {
    beforeEach(async () => {
      await isCancelled()
      await letPass(em, 60_000)
      broker.positions = []
    })

    it('ends with NO_POSITION_TO_CLOSE as soon as executions explain it', async () => {
      const sale = await placed({ side: 'SELL', reducesOnly: true })
      await assert.rejects(activities.prepareEntry(sale), {
        ...isUnsettled,
        message: 'the broker shows nothing of AAPL where LONG 10 are held by the fills',
      })
      const sold = { side: 'SELL', quantity: '10', brokerOrderId: 'at-the-broker' } as const
      await desk.lists(sold)
      const decision = await activities.prepareEntry(sale)
      assert.equal(decision.outcome === 'denied' && decision.code, 'NO_POSITION_TO_CLOSE')
    })
  })
})
