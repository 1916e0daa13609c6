import type { Protection } from '#domain/protection.ts'
import { protectionChangedEntry } from '#domain/protection-moves.ts'
import type { EntityManager } from '../engine/database.ts'
import { write } from './ledger-write.ts'

/** Another exit plan of a signal from now on, or none: in its record and its timeline, once however often it is written. */
export async function recordProtectionChanged(
  em: EntityManager,
  signalId: string,
  at: string,
  { by, protection }: { by: string; protection: Protection | null },
): Promise<void> {
  const plan = protection && JSON.stringify(protection)
  await em.fork().transactional(async (inner) => {
    await write(
      inner,
      { signalId },
      { set: { protection: plan }, timeline: [protectionChangedEntry(at, by, protection)] },
    )
    await inner.execute(
      `update signals set target = case when ?::jsonb is null then target - 'protection'
         else jsonb_set(target, '{protection}', ?::jsonb) end
       where id = ? and target is not null`,
      [plan, plan, signalId],
      'run',
    )
    // A plan that was for a session which is over has another one in its place.
    if (protection !== null)
      await inner.execute(
        `update signals set exit_progress = exit_progress - 'planIsOver' where id = ?`,
        [signalId],
        'run',
      )
  })
}
