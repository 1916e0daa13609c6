import assert from 'node:assert/strict'
import { Account, Alert, Order } from '#db/entities/index.ts'
import { raiseAlert } from '#db/alert/alerts.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { unknownAtBroker } from '#domain/order/changes.ts'
import { createSignal, orderReport } from '#test/support/factories.ts'
import { orderIn } from '#test/support/ledger.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('letting an order go that its broker does not know', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
  })

  const letGo = (id: string, token = user.token) => api.call('POST', `/api/v1/orders/${id}/let-go`, { token })
  const em = () => api.database.em.fork()

  /** An order that works by the ledger, and that its broker has not shown for so many seconds; null: it does. */
  async function working(missedFor: number | null) {
    const signal = await createSignal(em(), { accountId: user.accountId })
    const report = orderReport(signal)
    await recordAccepted(em(), report)
    const { id } = await orderIn(api.database.em, report.clientOrderId)
    if (missedFor !== null) {
      const unconfirmedSince = new Date(Date.now() - missedFor * 1_000)
      await em().nativeUpdate(Order, { id }, { unconfirmedSince })
      const told = unknownAtBroker({ orderId: id, ...report })
      await raiseAlert(em(), { accountId: user.accountId, signalId: signal.id }, told)
    }
    return { id, signal, report }
  }

  it('counts it as cancelled, ends the alert, is audited, and frees its connection', async () => {
    const { id, signal, report } = await working(61)
    const { status, body } = await letGo(id)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.success, true)
    const order = await orderIn(api.database.em, report.clientOrderId)
    assert.equal(order.status, 'CANCELLED')
    assert.match(order.reason ?? '', /^Declared lost by .+: its broker does not know it$/)
    assert.equal(await em().count(Alert, { signalId: signal.id, resolvedAt: null }), 0)
    const [event] = await em().execute<{ data: { orderId: string } }[]>(
      `select data from audit_events where kind = 'order.let_go'`,
    )
    assert.equal(event?.data.orderId, id)
    await em().execute('update orders set end_acknowledged_at = now() where id = ?', [id])
    const { brokerId } = await em().findOneOrFail(Account, { id: user.accountId })
    const removed = await api.call('DELETE', `/api/v1/brokers/${brokerId}`, { token: user.token })
    assert.ok(removed.status < 300, JSON.stringify(removed.body))
    assert.equal((await letGo(id)).body.error, 'ORDER_NOT_CANCELLABLE')
  })

  for (const [what, missedFor] of [
    ['the broker is not known to have lost', null],
    ['the broker has not known for less than a minute', 10],
  ] as const)
    it(`letting an order go that its broker does not know is refused for one that ${what}`, async () => {
      const { id, report } = await working(missedFor)
      const { status, body } = await letGo(id)
      assert.deepEqual([status, body.error], [409, 'ORDER_NOT_CANCELLABLE'])
      assert.match(body.message, /not known it for 60 seconds/)
      assert.equal((await orderIn(api.database.em, report.clientOrderId)).status, 'OPEN')
    })
})
