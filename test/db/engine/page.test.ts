import assert from 'node:assert/strict'
import { AUDIT_ORDER, listAuditEvents, recordAuditEvent } from '#db/identity/audit-log.ts'
import type { EntityManager } from '#db/engine/database.ts'
import {
  emptySlice,
  MAX_COUNTED,
  newestFirst,
  sliceOfRows,
  type ListOrder,
  type Page,
} from '#db/engine/page.ts'
import { useDatabase } from '#test/support/database.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'

interface Row {
  id: string
  at: string
}

describe('a page of a list', () => {
  let em: EntityManager
  useDatabase(async (database) => {
    em = database.em.fork()
    await em.execute('create table listed (id uuid primary key, at timestamptz not null)')
  })
  beforeEach(() => em.execute('truncate listed'))

  const NEWEST = newestFirst('at')
  const OLDEST: ListOrder = { ...NEWEST, direction: 'asc' }
  const list = { sql: 'select id, at from listed', parameters: [] }
  /** Few instants, a microsecond apart, so that rows share them and JavaScript cannot tell them apart. */
  const add = async (microseconds: readonly number[]): Promise<string[]> => {
    const ids = microseconds.map(() => randomUUID())
    if (ids.length > 0)
      await em.execute(
        `insert into listed select id, timestamptz '2026-03-02T15:00:00Z' + microseconds * interval '1 microsecond'
         from unnest(?::uuid[], ?::int[]) as r (id, microseconds)`,
        [`{${ids.join(',')}}`, `{${microseconds.join(',')}}`],
      )
    return ids
  }
  const page = (order: ListOrder, page: Page) => sliceOfRows<Row>(em, list, order, page)

  it('shows how many rows there are, its place and where the next one begins', async () => {
    await add([1, 2, 3])
    const { items, next, ...rest } = await page(NEWEST, { limit: 2, offset: 1 })
    assert.deepEqual([items.length, next], [2, null])
    assert.deepEqual(rest, { total: 3, totalIsExact: true, offset: 1 })
    assert.deepEqual(Object.keys(items[0]!), ['id', 'at'])
    const first = await page(NEWEST, { limit: 2, offset: 0 })
    assert.equal(first.next?.offset, 2)
  })

  it('a page of a list behind the end is empty and still shows how many rows there are', async () => {
    await add([1, 2, 3])
    const { items, total, next } = await page(NEWEST, { limit: 2, offset: 7 })
    assert.deepEqual([items, total, next], [[], 3, null])
    await em.execute('truncate listed')
    assert.deepEqual(await page(NEWEST, { limit: 2, offset: 0 }), emptySlice())
  })

  it('counts up to a bound, and says so beyond it', async () => {
    await em.execute(
      `insert into listed select gen_random_uuid(), now() from generate_series(1, ${MAX_COUNTED})`,
    )
    const whole = await page(NEWEST, { limit: 1, offset: 0 })
    assert.deepEqual([whole.total, whole.totalIsExact], [MAX_COUNTED, true])
    await add([1])
    const more = await page(NEWEST, { limit: 1, offset: 0 })
    assert.deepEqual([more.total, more.totalIsExact], [MAX_COUNTED, false])
    const behind = await page(NEWEST, { limit: 1, offset: 0, after: more.next })
    assert.deepEqual([behind.total, behind.totalIsExact, behind.offset], [MAX_COUNTED, false, 1])
  })

  it('a page of a list of the audit log goes by the numbers of its entries', async () => {
    const userId = randomUUID()
    for (const kind of ['a', 'b', 'c']) await recordAuditEvent(em, { userId, actorId: null, kind })
    const first = await listAuditEvents(em, userId, { limit: 2, offset: 0 })
    const second = await listAuditEvents(em, userId, { limit: 2, offset: 0, after: first.next })
    assert.deepEqual(
      [...first.items, ...second.items].map(({ kind }) => kind),
      ['c', 'b', 'a'],
    )
    assert.deepEqual([first.next?.key.length, AUDIT_ORDER.columns.length], [1, 1])
  })

  it('a page of a list after page shows every row that stays exactly once, with any that come and go meanwhile', async () => {
    const instants = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 25 })
    const change = fc.record({ limit: fc.integer({ min: 1, max: 7 }), added: instants, removed: fc.nat(3) })
    const story = fc.record({
      order: fc.constantFrom(NEWEST, OLDEST),
      there: instants,
      changes: fc.array(change, { minLength: 1, maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(story, async ({ order, there, changes }) => {
        await em.execute('truncate listed')
        const staying = new Set(await add(there))
        const seen: Row[] = []
        let after: Page['after'] = null
        for (let turn = 0; ; turn++) {
          const { limit, added, removed } = changes[turn % changes.length]!
          const slice = await page(order, { limit, offset: 0, after })
          assert.ok(slice.items.length <= limit)
          assert.equal(slice.offset, seen.length)
          seen.push(...slice.items)
          if (!slice.next) break
          after = slice.next
          // Rows that come for ever would keep the walk going for ever.
          if (turn < changes.length) await add(added)
          // Also the row behind which the next page begins.
          const gone = [seen.at(-1)!.id, ...staying].slice(0, removed)
          for (const id of gone) staying.delete(id)
          await em.execute('delete from listed where id = any(?::uuid[])', [`{${gone.join(',')}}`])
        }
        const ids = seen.map(({ id }) => id)
        assert.equal(new Set(ids).size, ids.length, 'no row twice')
        for (const id of staying) assert.ok(ids.includes(id), 'no row left out')
        const instantsSeen = seen.map(({ at }) => at)
        const sorted = instantsSeen.toSorted()
        assert.deepEqual(instantsSeen, order === NEWEST ? sorted.toReversed() : sorted)
      }),
      { numRuns: 60 },
    )
  })
})
