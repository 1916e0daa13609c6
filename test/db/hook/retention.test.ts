import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { KEPT_REQUESTS, removeOldRequests, removeSurplusRequests } from '#db/hook/retention.ts'
import { useDatabase } from '../../support/database.ts'
import { addHookRow } from '../../support/hook-rows.ts'

describe('the requests of a hook that are kept', function () {
  this.timeout(60_000)
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  const addHook = () => addHookRow(em)
  /** Each a second before the one before. */
  const add = (
    hook: { id: string; userId: string },
    count: number,
    bytes: number,
    age = '0 days',
    outcome: string | null = 'refused',
  ) =>
    em.execute(
      `insert into hook_requests (id, user_id, hook_id, received_at, ip, body, bytes, outcome)
       select gen_random_uuid(), ?, ?, now() - ?::interval - n * interval '1 second', '192.0.2.1', n::text, ?, ?
       from generate_series(1, ?) n`,
      [hook.userId, hook.id, age, bytes, outcome, count],
    )
  const kept = async ({ id }: { id: string }): Promise<number[]> => {
    const newestFirst = 'select body from hook_requests where hook_id = ? order by received_at desc'
    return (await em.execute<{ body: string }[]>(newestFirst, [id])).map(({ body }) => Number(body))
  }

  it('the requests of a hook that are kept are those of 30 days', async () => {
    const hook = await addHook()
    await add(hook, 1, 10, '29 days 23 hours')
    await add(hook, 2, 10, '30 days')
    assert.equal(await removeOldRequests(em), 2)
    assert.equal((await kept(hook)).length, 1)
  })

  it('the requests of a hook that are kept are the newest 2,000, of each hook by itself', async () => {
    const [hook, other] = [await addHook(), await addHook()]
    await add(hook, KEPT_REQUESTS.requests + 50, 10)
    await add(other, 10, 10)
    assert.deepEqual(await removeSurplusRequests(em), { removed: 50, unfinished: 0 })
    assert.equal((await kept(hook)).at(-1), KEPT_REQUESTS.requests)
    assert.equal((await kept(other)).length, 10)
    assert.deepEqual(await removeSurplusRequests(em), { removed: 0, unfinished: 0 })
  })

  for (const [outcome, unfinished] of [
    ['refused', 0],
    [null, 12],
  ] as const)
    it(`the requests of a hook that are kept are the newest in 8 MiB, ${outcome === null ? 'those that are not carried out too' : 'which are carried out'}`, async () => {
      const hook = await addHook()
      await add(hook, 140, 64 * 1024, '0 days', outcome)
      assert.deepEqual(await removeSurplusRequests(em), { removed: 12, unfinished })
      assert.deepEqual(
        await kept(hook),
        Array.from({ length: 128 }, (_, index) => index + 1),
      )
    })
})
