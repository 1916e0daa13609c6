import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Database } from '#db/engine/database.ts'
import { Signal } from '#db/entities/index.ts'
import { toStorableJson } from '#db/engine/json.ts'
import { findRow, findRows } from '#db/engine/reading.ts'
import { actAs } from '#db/engine/row-security.ts'
import { createSignal } from '#test/support/factories.ts'
import { cases } from '#test/support/generators.ts'
import { useDatabase } from '#test/support/database.ts'

let database: Database
useDatabase((opened) => {
  database = opened
})

/** Texts that are no UTF-8 or hold NUL are among them, as names too, and those that only look like an escape. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc
    .array(
      fc.constantFrom('\0', '\ud800', '\udfff', '\u{1f680}', '\\', '\\\\', 'u0000', '\\u0000', '"', 'a'),
      {
        maxLength: 6,
      },
    )
    .map((parts) => parts.join('')),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.array(tie('any')), fc.dictionary(text, tie('any'))),
})).any

/** The same with what PostgreSQL refuses replaced. */
function storable(one: unknown): unknown {
  if (typeof one === 'string') return one.toWellFormed().replaceAll('\0', '\ufffd')
  if (Array.isArray(one)) return one.map(storable)
  if (typeof one !== 'object' || one === null) return one
  return Object.fromEntries(Object.entries(one).map(([name, inner]) => [storable(name), storable(inner)]))
}

describe('reading rows', () => {
  const view = (userId?: string) => {
    const em = database.em.fork()
    if (userId !== undefined) actAs(em, userId)
    return em
  }

  it('finds entities, for a user as for the service', async () => {
    const stored = await createSignal(view(), {
      limitPrice: '187.250000000',
      quantity: '1.000000000',
      filledQuantity: '0.000000000',
      validUntil: new Date('2026-03-02T15:00:00.123Z'),
      metadata: { list: [1, null], text: "it's" },
      advisories: [{ code: 'a', message: 'm' }],
    })
    const asLoaded = await view().findOneOrFail(Signal, { id: stored.id }, { disableIdentityMap: true })
    for (const em of [view(), view(stored.userId)]) {
      const found = await findRow(em, Signal, { id: stored.id })
      assert.deepEqual({ ...found }, { ...asLoaded })
      assert.deepEqual([found?.stopPrice, found?.exitRule, found?.limitPrice], [null, null, '187.250000000'])
    }
  })

  it('sees changes since its last look', async () => {
    const { id } = await createSignal(view())
    const em = view()
    assert.equal((await findRow(em, Signal, { id }))?.status, 'queued')
    await view().execute(`update signals set status = 'executed' where id = ?`, [id])
    assert.equal((await findRow(em, Signal, { id }))?.status, 'executed')
  })

  it('sorts by the columns that are named, and finds nothing where there is nothing', async () => {
    const { id, userId, accountId } = await createSignal(view(), { symbol: 'B' })
    const other = await createSignal(view(), { accountId, symbol: 'A' })
    const found = await findRows(view(userId), Signal, { userId }, { symbol: 'asc', id: 'asc' })
    assert.deepEqual(
      found.map((signal) => signal.id),
      [other.id, id],
    )
    assert.equal(await findRow(view(userId), Signal, { userId, symbol: 'C' }), null)
  })
})

describe('a value that is written as JSON', function () {
  this.timeout(60_000)

  it('a value that is written as JSON is accepted by PostgreSQL with any content, and comes back with a mark for what no column takes', async () => {
    const values = fc.sample(value, cases(300))
    // PostgreSQL compares: V8 of Node 24 misreads some names with escapes (nodejs/node issue 63785).
    const [row] = await database.em.execute<{ same: boolean }[]>('select ?::jsonb = ?::jsonb as same', [
      toStorableJson(values),
      JSON.stringify(values.map(storable)),
    ])
    assert.ok(row!.same, JSON.stringify(values))
  })

  it('a text with a NUL is taken as the value of any statement', async () => {
    assert.deepEqual(await database.em.execute('select ?::text as kept', ['a\0b']), [{ kept: 'a\ufffdb' }])
  })
})
