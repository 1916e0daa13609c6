import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { accountSyncIdFor, type AccountSyncOutcome } from '#workflows/account/sync-contract.ts'
import { buyNow } from '#test/service/sent-signal.ts'

describe('accounts on the whole service', function () {
  this.timeout(90_000)
  const service = useStack({ api: { LIVE_TRADING: 'enabled' } })

  const syncedAt = async (accountId: string): Promise<number> =>
    Date.parse((await service.stack.api.get(`/accounts/${accountId}`)).body.lastSyncedAt)

  it('accounts on the whole service are traded and followed as soon as they are connected, without a restart', async () => {
    const { stack } = service
    const keys = { keyId: 'SECOND', secretKey: 'second-account' }
    await stack.venue.openAccount(keys, 10_000)
    const { status, body } = await stack.api.post('/brokers', { brokerType: 'paper', credentials: keys })
    assert.equal(status, 201, JSON.stringify(body))
    const [{ id: accountId }] = body.data.broker.accounts
    const connectedAt = await syncedAt(accountId)
    const sent = await stack.api.post(
      '/signals',
      buyNow(stack, { accountId, symbol: 'ZTNEWACC', quantity: 1 }),
    )
    assert.equal(sent.body.signal.status, 'executed', JSON.stringify(sent.body))
    await eventually(
      async () => {
        const { body: order } = await stack.api.get(`/orders/${sent.body.signal.orderId}`)
        assert.equal(order.status, 'FILLED')
        const { body: held } = await stack.api.get(`/positions/${accountId}`)
        assert.equal(held.positions[0]?.symbol, 'ZTNEWACC')
        assert.ok((await syncedAt(accountId)) > connectedAt)
      },
      { within: 30_000, every: 250 },
    )
    const refused = await stack.api.delete(`/brokers/${body.data.broker.id}`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'BROKER_IN_USE'])
  })

  it('accounts on the whole service are synced to the end when the worker is killed in the middle', async () => {
    const { stack } = service
    await stack.venue.script([{ on: 'any', mode: 'hang' }])
    const asked = stack.api.post(`/accounts/${stack.accountId}/sync`, {}, 30_000)
    const sync = (await stack.temporal()).workflow.getHandle<() => Promise<AccountSyncOutcome>>(
      accountSyncIdFor(stack.accountId),
    )
    await eventually(async () => {
      const { status, raw } = await sync.describe()
      assert.equal(status.name, 'RUNNING')
      assert.ok(raw.pendingActivities?.[0]?.lastStartedTime)
    })
    await stack.parts.worker.kill()
    await stack.venue.clearScript()
    const killedAt = Date.now()
    await stack.parts.worker.start()
    const { status, body } = await asked
    assert.ok([200, 202].includes(status), JSON.stringify(body))
    const outcome = await sync.result()
    assert.equal(outcome.outcome, 'synced')
    assert.ok(outcome.outcome === 'synced' && Date.parse(outcome.syncedAt) > killedAt)
  })

  it('accounts on the whole service are synced by the schedule, which every worker makes at its start', async () => {
    const { stack } = service
    const schedule = (await stack.temporal()).schedule.getHandle('sync-accounts')
    const { policies, state } = await schedule.describe()
    assert.deepEqual([policies.overlap, state.paused], ['SKIP', false])
    await schedule.trigger()
    await eventually(
      async () => {
        const { recentActions } = (await schedule.describe()).info
        const [last] = recentActions.slice(-1)
        assert.ok(last?.action)
        const totals = (await (
          await stack.temporal()
        ).workflow.result(last.action.workflow.workflowId)) as object
        assert.deepEqual(totals, { synced: 2, failed: 0 })
      },
      { within: 30_000, every: 250 },
    )
  })
})
