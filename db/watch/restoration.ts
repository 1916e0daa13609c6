import type { EntityManager } from '../engine/database.ts'
import { recordAuditEvent } from '../identity/audit-log.ts'
import { endSessionsOfEverybody } from '../identity/sessions.ts'
import { haltEverybodyOnce } from '../risk/halts.ts'

/** Stops openings until a person has checked, and ends all sessions. Repeatable by instant (UTC). */
export const markRestored = (em: EntityManager, instant: string): Promise<void> =>
  em.transactional(async (inner) => {
    await inner.execute(
      `insert into ledger_mark (sequence, marked_at, restored_to) values (1, now(), ?)
       on conflict ((true)) do update set restored_to = excluded.restored_to`,
      [instant],
    )
    const by = `restoration of ${instant}`
    const halt = await haltEverybodyOnce(inner, {
      level: 'reduceOnly',
      reason: `The ledger was restored to its state of ${instant}. Check what was decided since and is undone by it: halts, tokens, users, broker connections, limits, and signals that were called off`,
      by,
    })
    if (halt === null) return
    const { level, reason } = halt
    await recordAuditEvent(inner, {
      userId: null,
      actorId: null,
      kind: 'admin.halt_set',
      data: { level, reason, by },
    })
    await endSessionsOfEverybody(inner, 'ledger_restored')
  })

/** A restoration recorded meanwhile remains. */
export async function endRestoration(em: EntityManager, restoredTo: string): Promise<void> {
  await em.execute('update ledger_mark set restored_to = null where restored_to = ?::timestamptz', [
    restoredTo,
  ])
}
