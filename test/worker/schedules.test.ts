import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { ensureSchedules, schedules } from '#worker/schedules.ts'
import { eventually } from '#test/support/eventually.ts'
import { temporalAddress } from '#test/support/servers.ts'

const HOUR = 3_600_000

describe('the schedules of the service', function () {
  this.timeout(300_000)
  let client: Client
  let ids: string[]
  before(async () => {
    client = new Client({
      connection: await Connection.connect({ address: await temporalAddress() }),
      interceptors: { workflow: [addressMessages(randomUUID)] },
    })
  })
  after(() => client?.connection.close())

  /** The schedules under names that no other test has. */
  const every = (interval: number) =>
    schedules({ ACCOUNT_SYNC_INTERVAL: interval }).map((schedule, index) => ({
      ...schedule,
      id: ids[index]!,
    }))
  const ensure = (interval: number) => ensureSchedules(client, 'nobody-works-here', every(interval))
  const described = () => client.schedule.getHandle(ids[0]!).describe()

  beforeEach(() => {
    ids = schedules({ ACCOUNT_SYNC_INTERVAL: HOUR }).map(({ id }) => `${id}-${randomUUID()}`)
  })
  afterEach(async () => {
    for (const id of ids) await client.schedule.getHandle(id).delete()
  })

  it('the schedules of the service are made by several workers at once, each of them once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => ensure(HOUR)))
    const { spec, action, policies, state } = await described()
    assert.equal(spec.intervals?.[0]?.every, HOUR)
    assert.deepEqual([action.type, action.workflowType], ['startWorkflow', 'allAccountsSyncWorkflow'])
    assert.equal(policies.overlap, 'SKIP')
    assert.match(state.note!, /every account/)
  })

  it('the schedules of the service are brought up to date where they exist already', async () => {
    await ensure(HOUR)
    await ensure(2 * HOUR)
    assert.equal((await described()).spec.intervals?.[0]?.every, 2 * HOUR)
  })

  it('record days by a run at noon in New York, before any close, and by one at once where they are new', async () => {
    await ensure(HOUR)
    await ensure(HOUR)
    const handle = client.schedule.getHandle(ids[1]!)
    const { spec, action } = await eventually(async () => {
      const found = await handle.describe()
      assert.equal(found.info.numActionsTaken, 1)
      return found
    })
    assert.deepEqual([action.type, action.workflowType], ['startWorkflow', 'dailySnapshotsWorkflow'])
    assert.equal(spec.timezone, 'America/New_York')
    assert.deepEqual(spec.calendars?.[0]?.hour, [{ start: 12, end: 12, step: 1 }])
  })

  it('stay paused when an operator has paused them', async () => {
    await ensure(HOUR)
    await client.schedule.getHandle(ids[0]!).pause('the broker is being moved')
    await ensure(2 * HOUR)
    const { spec, state } = await described()
    assert.deepEqual([state.paused, state.note], [true, 'the broker is being moved'])
    assert.equal(spec.intervals?.[0]?.every, 2 * HOUR)
  })
})
