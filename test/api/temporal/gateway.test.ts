import { SyncGivenUp } from '#api/temporal/account-syncs.ts'
import { AnswerOverdue, GatewayUnavailable, WorkflowOver } from '#api/temporal/signals.ts'
import { createTemporalGateway } from '#api/temporal/gateway.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { accountSyncIdFor } from '#workflows/accounts/sync-contract.ts'
import { searchAttributes } from '#workflows/signal/contract.ts'
import { Client, Connection } from '@temporalio/client'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually } from '../../support/eventually.ts'
import { temporalAddress } from '../../support/servers.ts'

const gatewayTo = (address: string) =>
  createTemporalGateway({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_TLS: false,
    TEMPORAL_TASK_QUEUE: 'nobody-works-here',
  })

const terms = (): SignalTerms => ({
  signalId: randomUUID(),
  userId: randomUUID(),
  accountId: randomUUID(),
  strategyId: randomUUID(),
  symbol: 'AAPL',
  action: 'openLong',
  quantity: '10',
  quantityType: 'fixed',
  executeMode: 'immediate',
  orderType: 'limit',
  limitPrice: '187.5',
  stopPrice: null,
  timeInForce: 'gtc',
  expiresAt: null,
  extendedHours: false,
  acceptedAt: '2026-03-02T15:00:00.000Z',
  scheduledAt: null,
  validUntil: null,
  sendBefore: '2026-03-02T15:01:00.000Z',
  exit: null,
})

describe('the Temporal gateway', () => {
  let gateway: ReturnType<typeof gatewayTo>
  let client: Client
  before(async function () {
    this.timeout(300_000)
    const address = await temporalAddress()
    gateway = gatewayTo(address)
    client = new Client({
      connection: await Connection.connect({ address }),
      interceptors: { workflow: [addressMessages(randomUUID)] },
    })
  })
  after(async () => {
    await gateway.close()
    await client.connection.close()
  })

  it('starts a signal once, however often it is asked, also after its workflow has ended', async () => {
    const signal = terms()
    await gateway.start(signal)
    await gateway.start(signal)
    const handle = client.workflow.getHandle(workflowIdFor(signal.signalId))
    const { status, type, typedSearchAttributes } = await handle.describe()
    assert.deepEqual([status.name, type], ['RUNNING', 'signalWorkflow'])
    assert.equal(typedSearchAttributes.getAll().length, 6)
    await handle.terminate()
    await gateway.start(signal)
    assert.equal((await handle.describe()).status.name, 'TERMINATED')
  })

  it('gives up waiting for an entry when the time is over, and the workflow stays', async () => {
    const signal = terms()
    const begin = performance.now()
    await assert.rejects(gateway.startAndAwaitEntry(signal, 400), GatewayUnavailable)
    assert.ok(performance.now() - begin < 800)
    await gateway.start(signal)
    const { status } = await client.workflow.getHandle(workflowIdFor(signal.signalId)).describe()
    assert.equal(status.name, 'RUNNING')
  })

  it('starts a scheduled signal as scheduled, for those who look for it by its status', async () => {
    const signal = { ...terms(), executeMode: 'scheduled', scheduledAt: '2099-01-05T21:00:00.000Z' } as const
    await gateway.start(signal)
    const { typedSearchAttributes } = await client.workflow
      .getHandle(workflowIdFor(signal.signalId))
      .describe()
    assert.equal(typedSearchAttributes.get(searchAttributes.status), 'scheduled')
  })

  describe('with a message', () => {
    const by = { by: 'somebody' }

    it('starts the workflow of a signal that has none, and says when the answer is overdue', async () => {
      const signal = terms()
      const to = { signalId: signal.signalId, startWith: signal }
      await assert.rejects(gateway.withdraw(to, by, 400), AnswerOverdue)
      const { status } = await client.workflow.getHandle(workflowIdFor(signal.signalId)).describe()
      assert.equal(status.name, 'RUNNING')
    })

    it('never starts the workflow of a signal that was started before', async () => {
      const { signalId } = terms()
      await assert.rejects(gateway.withdraw({ signalId, startWith: null }, by, 1_000), WorkflowOver)
      await assert.rejects(client.workflow.getHandle(workflowIdFor(signalId)).describe(), /not found/i)
    })

    it('says that the workflow is over when it has ended', async () => {
      const signal = terms()
      await gateway.start(signal)
      await client.workflow.getHandle(workflowIdFor(signal.signalId)).terminate()
      for (const startWith of [null, signal])
        await assert.rejects(
          gateway.cancelExit({ signalId: signal.signalId, startWith }, by, 1_000),
          WorkflowOver,
        )
    })

    it('tells a server that is not there from one that is late', async () => {
      const nowhere = gatewayTo('127.0.0.1:9')
      await assert.rejects(
        nowhere.withdraw({ signalId: randomUUID(), startWith: null }, by, 300),
        (error) => error instanceof GatewayUnavailable && !(error instanceof AnswerOverdue),
      )
      await nowhere.close()
    })
  })

  describe('asked to sync an account', () => {
    const syncOf = (accountId: string) => client.workflow.getHandle(accountSyncIdFor(accountId))

    it('starts one workflow for the account, which later requests join, and says when it is overdue', async () => {
      const accountId = randomUUID()
      const asked = Array.from({ length: 5 }, () => gateway.syncAccount(accountId, 500))
      for (const { status } of await Promise.allSettled(asked)) assert.equal(status, 'rejected')
      await assert.rejects(gateway.syncAccount(accountId, 300), AnswerOverdue)
      const { type, status, typedSearchAttributes } = await syncOf(accountId).describe()
      assert.deepEqual([type, status.name], ['accountSyncWorkflow', 'RUNNING'])
      assert.equal(typedSearchAttributes.get(searchAttributes.accountId), accountId)
      await syncOf(accountId).terminate()
    })

    it('tells that the sync was given up, and starts another one when it is asked again', async () => {
      const accountId = randomUUID()
      const asked = gateway.syncAccount(accountId, 10_000)
      await eventually(async () => assert.equal((await syncOf(accountId).describe()).status.name, 'RUNNING'))
      await syncOf(accountId).terminate()
      await assert.rejects(asked, SyncGivenUp)
      await assert.rejects(gateway.syncAccount(accountId, 300), AnswerOverdue)
      assert.equal((await syncOf(accountId).describe()).status.name, 'RUNNING')
      await syncOf(accountId).terminate()
    })

    it('tells a server that is not there', async () => {
      const nowhere = gatewayTo('127.0.0.1:9')
      await assert.rejects(
        nowhere.syncAccount(randomUUID(), 300),
        (error) => error instanceof GatewayUnavailable && !(error instanceof AnswerOverdue),
      )
      await nowhere.close()
    })
  })

  it('sees that the server is there', async () => {
    await gateway.checkReachable(1_000)
  })

  it('fails within its time when there is no server', async () => {
    const nowhere = gatewayTo('127.0.0.1:9')
    const begin = performance.now()
    await assert.rejects(nowhere.startAndAwaitEntry(terms(), 300), GatewayUnavailable)
    await assert.rejects(nowhere.checkReachable(300), GatewayUnavailable)
    assert.ok(performance.now() - begin < 1_500)
    await nowhere.close()
  })
})
