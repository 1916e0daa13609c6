import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Database } from '#db/engine/database.ts'
import {
  announceBuild,
  canFollow,
  patchesByBuild,
  promoteBuild,
  promotionsOf,
  usePatch,
  withdrawBuild,
  workersByBuild,
} from '#db/watch/worker-builds.ts'
import { recordHeartbeat } from '#db/watch/worker-heartbeats.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

describe('builds of the workers', () => {
  let database: Database
  useDatabase((opened) => {
    database = opened
  })
  const em = () => database.em.fork()
  beforeEach(() => em().execute('truncate workflow_patches, worker_builds, worker_heartbeats'))

  it('use a patch only once they are promoted', async () => {
    assert.equal(await usePatch(em(), 'new', 'p'), false)
    await announceBuild(em(), 'new')
    assert.equal(await usePatch(em(), 'new', 'p'), false)
    await promoteBuild(em(), 'new')
    assert.equal(await usePatch(em(), 'new', 'p'), true)
    assert.equal(await usePatch(em(), 'new', 'p'), true)
    assert.deepEqual(await patchesByBuild(em()), new Map([['new', ['p']]]))
  })

  it('keep the instant of their first promotion', async () => {
    await promoteBuild(em(), 'new')
    const [at] = (await promotionsOf(em())).values()
    await promoteBuild(em(), 'new')
    assert.deepEqual(await promotionsOf(em()), new Map([['new', at]]))
  })

  it('builds of the workers are taken back as long as they have used no patch, and then use none', async () => {
    await promoteBuild(em(), 'old')
    await promoteBuild(em(), 'new')
    assert.deepEqual(await withdrawBuild(em(), 'new', 'old'), [])
    assert.equal(await usePatch(em(), 'new', 'p'), false)
    const promotions = await promotionsOf(em())
    assert.deepEqual([promotions.get('old') === null, promotions.get('new')], [false, null])
  })

  it('builds of the workers are not taken back once they have used a patch that the other build does not know', async () => {
    await promoteBuild(em(), 'old')
    await promoteBuild(em(), 'new')
    for (const [build, patch] of [
      ['old', 'known'],
      ['new', 'known'],
      ['new', 'unknown'],
    ] as const)
      await usePatch(em(), build, patch)
    assert.deepEqual(await withdrawBuild(em(), 'new', 'old'), ['unknown'])
    assert.equal(await usePatch(em(), 'new', 'another'), true, 'it stays promoted')
  })

  it('follow another one that has used the same patches, or whose patches they bring because they are newer', async () => {
    await promoteBuild(em(), 'old')
    await promoteBuild(em(), 'new')
    assert.equal(await canFollow(em(), 'old'), true)
    await usePatch(em(), 'new', 'p')
    assert.equal(await canFollow(em(), 'old'), false)
    assert.equal(await canFollow(em(), 'newest'), true)
    await announceBuild(em(), 'newest')
    assert.equal(await canFollow(em(), 'newest'), false, 'it may be older: it was rolled out before')
    await usePatch(em(), 'old', 'p')
    assert.equal(await canFollow(em(), 'old'), true)
  })

  it('builds of the workers do not follow what a third build did, though the last one has not used its patches itself yet', async () => {
    await promoteBuild(em(), 'old')
    await promoteBuild(em(), 'new')
    await usePatch(em(), 'new', 'p')
    await promoteBuild(em(), 'newest')
    assert.equal(await canFollow(em(), 'old'), false)
    assert.deepEqual(await withdrawBuild(em(), 'newest', 'old'), ['p'])
    assert.deepEqual(await withdrawBuild(em(), 'newest', 'new'), [])
  })

  it('know patches that were used before they were promoted', async () => {
    await promoteBuild(em(), 'old')
    await usePatch(em(), 'old', 'p')
    await promoteBuild(em(), 'new')
    await promoteBuild(em(), 'newest')
    await usePatch(em(), 'newest', 'p')
    assert.deepEqual([await canFollow(em(), 'new'), await withdrawBuild(em(), 'newest', 'new')], [true, []])
  })

  it('builds of the workers cannot begin to use a patch while they are being taken back', async () => {
    await promoteBuild(em(), 'new')
    const held = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    const withdrawing = em().transactional(async (inner) => {
      await inner.execute('select from worker_builds where build_id = ? for update', ['new'])
      held.resolve()
      await letGo.promise
      await inner.execute('update worker_builds set promoted_at = null where build_id = ?', ['new'], 'run')
    })
    await held.promise
    const using = usePatch(em(), 'new', 'p')
    await eventually(async () =>
      assert.equal(
        (await em().execute(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length,
        1,
      ),
    )
    letGo.resolve()
    await withdrawing
    assert.equal(await using, false)
  })

  it('builds of the workers are counted by their living workers of a task queue', async () => {
    for (const [taskQueue, buildId] of [
      ['signals', 'new'],
      ['signals', 'new'],
      ['signals', 'old'],
      ['other', 'old'],
    ] as const)
      await recordHeartbeat(em(), { workerId: randomUUID(), taskQueue, buildId, inApi: false })
    assert.deepEqual(
      await workersByBuild(em(), 'signals'),
      new Map([
        ['new', 2],
        ['old', 1],
      ]),
    )
    await em().execute(
      `update worker_heartbeats set seen_at = now() - interval '5 seconds' where build_id = 'old'`,
    )
    assert.deepEqual(await workersByBuild(em(), 'signals'), new Map([['new', 2]]))
  })
})
