import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { type WatchGateway, watchCalls } from '#api/temporal/watch-gateway.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import { searchAttributes } from '#workflows/signal/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { temporalAddress } from '../../support/servers.ts'

const TASK_QUEUE = 'nobody-works-here'
const PAGE = 3
const LIMIT = 5_000

describe('what the watch asks Temporal of many workflows', function () {
  this.timeout(60_000)
  let client: Client
  let calls: number
  let gateway: WatchGateway
  let accountId: string
  /** Ids of workflows, of which the last has ended. */
  let ids: string[]
  before(async function () {
    this.timeout(300_000)
    client = new Client({ connection: await Connection.connect({ address: await temporalAddress() }) })
    const bounded = <T>(_: number, call: () => Promise<T>): Promise<T> => {
      calls += 1
      return call()
    }
    gateway = watchCalls({ client, taskQueue: TASK_QUEUE, bounded }, PAGE)
    accountId = randomUUID()
    ids = Array.from({ length: 2 * PAGE + 2 }, () => workflowIdFor(randomUUID()))
    const typedSearchAttributes = [{ key: searchAttributes.accountId, value: accountId }]
    for (const workflowId of ids)
      await client.workflow.start(SIGNAL_WORKFLOW, {
        workflowId,
        taskQueue: TASK_QUEUE,
        typedSearchAttributes,
      })
    await client.workflow.getHandle(ids.at(-1)!).terminate()
  })
  beforeEach(() => {
    calls = 0
  })
  after(async () => {
    for (const id of ids.slice(0, -1)) await client.workflow.getHandle(id).terminate()
    await client.connection.close()
  })

  it('says which of them run, of more than a page, and not which ran', async () => {
    const running = ids.slice(0, -1)
    await eventually(async () =>
      assert.deepEqual([...(await gateway.runningOf(ids, LIMIT))].toSorted(), running.toSorted()),
    )
    assert.deepEqual([...(await gateway.runningOf(running, LIMIT))], running)
    assert.deepEqual([...(await gateway.runningOf([`signal-${randomUUID()}`], LIMIT))], [])
  })

  it('lists all that run with their accounts, each page in a time of its own', async () => {
    await eventually(async () => {
      const found = await gateway.listRunning(LIMIT)
      const ofAccount = [...found].filter(([, account]) => account === accountId).map(([id]) => id)
      assert.deepEqual(ofAccount.toSorted(), ids.slice(0, -1).toSorted())
      assert.ok(calls > 2, `${calls} calls`)
    })
  })
})
