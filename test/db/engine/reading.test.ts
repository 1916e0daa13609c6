import assert from 'node:assert/strict'
import type { Database } from '#db/engine/database.ts'
import { Signal } from '#db/entities/index.ts'
import { findRow, findRows } from '#db/engine/reading.ts'
import { actAs } from '#db/engine/row-security.ts'
import { createSignal } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'

describe('reading rows', () => {
  let database: Database
  useDatabase((opened) => {
    database = opened
  })

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
