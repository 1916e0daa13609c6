import type { Protection } from '#domain/protection.ts'
import { protectionChangedEntry } from '#domain/protection-moves.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { CHOSEN_SIZE } from './chosen-size.ts'
import { write } from './ledger-write.ts'

/** Null: no plan any more. Repeatable. */
export async function recordProtectionChanged(
  em: EntityManager,
  signalId: string,
  at: string,
  { by, protection }: { by: string; protection: Protection | null },
): Promise<void> {
  const plan = protection && toStorableJson(protection)
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
    )
    // Earlier levels, and a size chosen under them, count no longer; a plan of a past session is replaced.
    const isOver = protection === null ? '' : `- 'planIsOver'`
    await inner.execute(
      `update signals set decisions = decisions - '${CHOSEN_SIZE}',
         exit_progress = case exit_progress ->> 'next' when 'timed' then exit_progress else exit_progress - 'next' end
           - 'targetAfter' ${isOver}
       where id = ?`,
      [signalId],
    )
  })
}
