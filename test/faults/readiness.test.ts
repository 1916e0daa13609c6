import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { substituting } from '#test/support/substitutes.ts'
const OTHER_BUILD = substituting({
  'worker/worker.ts': { '#config/build-id.ts': 'test/faults/fixtures/other-build.ts' },
})

describe('/readyz of a service whose processes all run', function () {
  this.timeout(180_000)
  const service = useStack({ worker: { BROKER_POLL_INTERVAL: '1s' } })
  const readiness = async () => (await service.stack.api.readiness()).body
  const untilReady = (within: number) =>
    eventually(async () => assert.deepEqual((await readiness()).down, []), { within, every: 250 })

  it('says that an account is not followed any more, alerts its owner, and is ready once it is', async () => {
    const { stack } = service
    await untilReady(10_000)
    // Only of an account that was followed before does the watch know when it should have been heard of.
    await eventually(async () =>
      assert.equal((await stack.query('select from account_feeds where due_at > now()')).length, 1),
    )
    const [kept] = await stack.query<{ sealed: string }>(
      'select sealed_credentials as sealed from broker_connections',
    )
    const began = performance.now()
    // As after a key was lost: the worker lets go of the account, and cannot take it up again. The account is no new one.
    await stack.query(
      `update broker_connections set sealed_credentials = 'unreadable', updated_at = now() - interval '2 minutes'`,
    )
    await eventually(
      async () => {
        const { down, unfollowedAccounts } = await readiness()
        assert.ok(down.includes('feed'), JSON.stringify(down))
        assert.equal(unfollowedAccounts, 1)
      },
      { within: 60_000, every: 250 },
    )
    console.log(`    told ${Math.round((performance.now() - began) / 1_000)} s after its feed had ended`)
    await eventually(async () => {
      const { alerts } = (await stack.api.get('/alerts?kind=feed_overdue')).body.data
      assert.match(alerts[0]?.message, /no worker follows the account/)
      assert.equal(alerts[0].accountId, stack.accountId)
    })
    await stack.query(`update broker_connections set sealed_credentials = '${kept!.sealed}'`)
    await untilReady(60_000)
  })

  it('says that a worker runs another build for longer than an update takes, and is ready once it is gone', async () => {
    const { stack } = service
    const worker = await stack.addWorker(OTHER_BUILD)
    assert.deepEqual((await readiness()).down, [])
    await stack.query(`update worker_heartbeats set started_at = now() - interval '1 minute'`)
    await eventually(async () => assert.deepEqual((await readiness()).down, ['build']), { within: 60_000 })
    assert.equal((await readiness()).workersOfOtherBuild, 1)
    await worker.stop()
    assert.deepEqual((await readiness()).down, [])
  })
})
