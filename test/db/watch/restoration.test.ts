import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { listAuditEvents } from '#db/identity/audit-log.ts'
import { insertRefreshToken, lockRefreshToken } from '#db/identity/refresh-tokens.ts'
import { insertSession, listSessions } from '#db/identity/sessions.ts'
import { liftHalt, listActiveHalts, setHalt } from '#db/risk/halts.ts'
import { readLedgerMark } from '#db/watch/ledger-mark.ts'
import { markRestored } from '#db/watch/restoration.ts'
import { createUser } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'

const INSTANT = '2026-11-22T10:00:00.000Z'

describe('a ledger that is marked as restored', () => {
  let em: EntityManager
  useDatabase((opened) => {
    em = opened.em
  })
  beforeEach(async () => {
    for (const table of ['trading_halts', 'ledger_mark']) await em.execute(`delete from ${table}`, [], 'run')
  })

  const everybody = { scope: 'global' } as const
  const signedIn = async (): Promise<{ userId: string; hash: string }> => {
    const { id: userId } = await createUser(em)
    const session = { userId, kind: 'web', name: 'Firefox', ip: '127.0.0.1', hasSecondFactor: false } as const
    const sessionId = await insertSession(em, { ...session, days: 1 })
    const hash = `hash of ${sessionId}`
    await insertRefreshToken(em, { hash, userId, sessionId, parentHash: null, keyHash: null })
    return { userId, hash }
  }
  const isSignedIn = async ({ userId, hash }: { userId: string; hash: string }): Promise<boolean> => {
    const token = await em.transactional((inner) => lockRefreshToken(inner, hash, 0))
    assert.equal(token !== null, (await listSessions(em, userId)).length === 1)
    return token !== null
  }

  it('opens no position until the halt is lifted, and has everybody sign in again', async () => {
    const users = [await signedIn(), await signedIn()]
    await markRestored(em, INSTANT)
    const [halt, ...more] = await listActiveHalts(em)
    assert.deepEqual([halt?.scope, halt?.level, more], ['global', 'reduceOnly', []])
    assert.match(
      halt!.reason!,
      /restored to its state of 2026-11-22T10:00:00.000Z. Check .*halts, tokens, users/,
    )
    for (const user of users) assert.equal(await isSignedIn(user), false)
    assert.equal((await readLedgerMark(em))?.restoredTo, INSTANT)
  })

  it('a ledger that is marked as restored is halted once for a restoration: not again for the same instant, and again for another one', async () => {
    await markRestored(em, INSTANT)
    await markRestored(em, INSTANT)
    assert.equal((await listActiveHalts(em)).length, 1)
    await liftHalt(em, everybody, 'operator')
    const user = await signedIn()
    await markRestored(em, INSTANT)
    assert.deepEqual([await listActiveHalts(em), await isSignedIn(user)], [[], true])
    await markRestored(em, '2026-11-22T11:00:00.000Z')
    assert.deepEqual([(await listActiveHalts(em)).length, await isSignedIn(user)], [1, false])
  })

  it('a ledger that is marked as restored has its halt in the audit log once, with the level and reason that it has in the end', async () => {
    const instant = '2026-11-22T12:00:00.000Z'
    const by = `restoration of ${instant}`
    const told = async () => {
      const { items } = await listAuditEvents(em, null, { limit: 100, offset: 0 })
      return items.filter(({ kind, data }) => kind === 'admin.halt_set' && data['by'] === by)
    }
    await setHalt(em, everybody, { level: 'fullStop', reason: 'exchange outage', by: 'operator' })
    await markRestored(em, instant)
    await markRestored(em, instant)
    const [event, ...more] = await told()
    assert.deepEqual(more, [])
    const [halt] = await listActiveHalts(em)
    assert.deepEqual(event!.data, { level: 'fullStop', reason: halt!.reason!, by })
    assert.deepEqual([event!.userId, event!.actorId], [null, null])
  })

  it('keeps a severer halt of the copy at its level, with the reasons of both', async () => {
    await setHalt(em, everybody, { level: 'fullStop', reason: 'exchange outage', by: 'operator' })
    await markRestored(em, INSTANT)
    const [halt, ...more] = await listActiveHalts(em)
    assert.deepEqual([halt?.level, more], ['fullStop', []])
    assert.match(halt!.reason!, /^The ledger was restored .*The halt before: exchange outage$/)
  })
})
