import { SyncGivenUp, createTemporalGateway } from '#api/temporal/gateway.ts'
import { AnswerOverdue, GatewayUnavailable } from '#api/temporal/calls.ts'
import { type SignalTerms, workflowIdFor, type SignalStatus } from '#domain/signal/signal.ts'
import { accountSyncIdFor } from '#workflows/account/sync-contract.ts'
import { searchAttributes, type SignalInput } from '#workflows/signal/contract.ts'
import { firstStart } from '#workflows/signal/start-contract.ts'
import { scheduledQueueOf } from '#workflows/signal/queue-contract.ts'
import { Client, Connection } from '@temporalio/client'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually } from '../../support/eventually.ts'
import { signalTerms } from '../../support/sample-signal.ts'
import { temporalAddress } from '../../support/servers.ts'

const gatewayTo = (address: string) =>
  createTemporalGateway({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_TLS: false,
    TEMPORAL_TASK_QUEUE: 'nobody-works-here',
  })

const terms = (): SignalTerms =>
  signalTerms({ userId: randomUUID(), accountId: randomUUID(), strategyId: randomUUID() })

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
    assert.equal(typedSearchAttributes.getAll().length, 7)
    await handle.terminate()
    await gateway.start(signal)
    assert.equal((await handle.describe()).status.name, 'TERMINATED')
  })

  it('starts scheduled signals in a queue of their own, which their entries leave for the ordinary one', async () => {
    const queueOf = async (changes: Partial<SignalTerms>): Promise<string> => {
      const signal = { ...terms(), ...changes }
      await gateway.start(signal)
      const handle = client.workflow.getHandle(workflowIdFor(signal.signalId))
      const { taskQueue } = await handle.describe()
      await handle.terminate()
      return taskQueue
    }
    const scheduledAt = '2099-03-02T15:00:00.000Z'
    assert.equal(
      await queueOf({ executeMode: 'scheduled', scheduledAt }),
      scheduledQueueOf('nobody-works-here'),
    )
    for (const executeMode of ['immediate', 'pending'] as const)
      assert.equal(await queueOf({ executeMode }), 'nobody-works-here')
    const { args } = firstStart({ ...terms(), executeMode: 'scheduled', scheduledAt }, 'ordinary')
    assert.equal(args[0].thenQueue, 'ordinary')
  })

  describe('starts a scheduled signal again whose workflow was lost', () => {
    const scheduled = (): SignalTerms => ({
      ...terms(),
      executeMode: 'scheduled',
      scheduledAt: '2099-03-02T15:00:00.000Z',
    })
    const restarted = async (state: SignalStatus) => {
      const signal = scheduled()
      assert.equal(await gateway.ensureRunning({ terms: signal, status: state }, 5_000), true)
      const handle = client.workflow.getHandle(workflowIdFor(signal.signalId))
      const { taskQueue, typedSearchAttributes } = await handle.describe()
      const { events } = await handle.fetchHistory()
      const { payloads } = events![0]!.workflowExecutionStartedEventAttributes!.input!
      const { content } = JSON.parse(Buffer.from(payloads![0]!.data!).toString()) as {
        content: [SignalInput]
      }
      const status = typedSearchAttributes.get(searchAttributes.status)
      return { handle, taskQueue, status, input: content[0] }
    }
    for (const state of ['scheduled', 'queued', 'transmitted'] as const)
      it(`the Temporal gateway starts a scheduled signal again whose workflow was lost in the queue of scheduled ones, which it is to leave, while it is ${state}`, async () => {
        const { handle, taskQueue, input } = await restarted(state)
        await handle.terminate()
        assert.deepEqual(
          [taskQueue, input.thenQueue, input.loads],
          [scheduledQueueOf('nobody-works-here'), 'nobody-works-here', true],
        )
      })

    it('the Temporal gateway starts a scheduled signal again whose workflow was lost in the ordinary queue, under its status, when its entry is sent', async () => {
      const { handle, taskQueue, status, input } = await restarted('executed')
      await handle.terminate()
      assert.deepEqual([taskQueue, status, input.thenQueue], ['nobody-works-here', 'executed', undefined])
    })
  })

  it('counts a scheduled signal that has moved into the ordinary queue as begun before, though its run is new', async () => {
    const long = '2000-01-03T15:00:00.000Z'
    const count = () => gateway.countRunning(long, 5_000)
    const before = await count()
    const signal: SignalTerms = {
      ...terms(),
      executeMode: 'scheduled',
      scheduledAt: '2099-03-02T15:00:00.000Z',
    }
    await gateway.start(signal)
    const other = { ...signal, signalId: randomUUID() }
    await gateway.ensureRunning({ terms: other, status: 'executed' }, 5_000)
    await eventually(async () => assert.equal(await count(), before + 1))
  })

  it('gives up waiting for an entry when the time has passed, and the workflow stays', async () => {
    const signal = terms()
    const begin = performance.now()
    await assert.rejects(gateway.startAndAwaitEntry(signal, 400), GatewayUnavailable)
    assert.ok(performance.now() - begin < 800)
    await gateway.start(signal)
    const { status } = await client.workflow.getHandle(workflowIdFor(signal.signalId)).describe()
    assert.equal(status.name, 'RUNNING')
  })

  describe('with a message', () => {
    const by = { by: 'somebody' }

    const recipient = (signal: SignalTerms) =>
      ({ signalId: signal.signalId, terms: signal, status: 'queued' }) as const

    it('the Temporal gateway with a message starts the workflow of a signal that has none, also after one that has ended, and says when the answer is overdue', async () => {
      const signal = terms()
      for (let runs = 0; runs < 2; runs += 1) {
        await assert.rejects(gateway.withdraw(recipient(signal), by, 400), AnswerOverdue)
        const handle = client.workflow.getHandle(workflowIdFor(signal.signalId))
        assert.equal((await handle.describe()).status.name, 'RUNNING')
        await handle.terminate()
      }
    })

    it('distinguishes a server that is not there from one that is late', async () => {
      const nowhere = gatewayTo('127.0.0.1:9')
      await assert.rejects(
        nowhere.withdraw(recipient(terms()), by, 300),
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

    it('says that the sync was given up, and starts another one when it is asked again', async () => {
      const accountId = randomUUID()
      const asked = gateway.syncAccount(accountId, 10_000)
      await eventually(async () => assert.equal((await syncOf(accountId).describe()).status.name, 'RUNNING'))
      await syncOf(accountId).terminate()
      await assert.rejects(asked, SyncGivenUp)
      await assert.rejects(gateway.syncAccount(accountId, 300), AnswerOverdue)
      assert.equal((await syncOf(accountId).describe()).status.name, 'RUNNING')
      await syncOf(accountId).terminate()
    })

    it('reports a server that is not there', async () => {
      const nowhere = gatewayTo('127.0.0.1:9')
      await assert.rejects(
        nowhere.syncAccount(randomUUID(), 300),
        (error) => error instanceof GatewayUnavailable && !(error instanceof AnswerOverdue),
      )
      await nowhere.close()
    })
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
