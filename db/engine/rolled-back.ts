import type { EntityManager } from './database.ts'
import { MEMBER_ROLE } from './row-security.ts'

/** Nothing of `work` stays, however it ends: its forks are in the same transaction, and their transactions are savepoints of it. */
export async function rolledBack<T>(
  em: EntityManager,
  work: (inner: EntityManager) => Promise<T>,
): Promise<T> {
  const outer = within(em.fork())
  await outer.begin()
  try {
    return await work(outer)
  } finally {
    await outer.rollback()
  }
}

const bound = new WeakSet<EntityManager>()

/** It was made by {@link rolledBack}, and all that it commits is undone. */
export const isRolledBack = (em: EntityManager): boolean => bound.has(em)

function within(em: EntityManager): EntityManager {
  bound.add(em)
  const fork = em.fork.bind(em)
  return Object.assign(em, {
    fork: (options: Parameters<typeof fork>[0]) => within(fork({ ...options, keepTransactionContext: true })),
  })
}

/** Until the transaction ends or this is called again: in the name of the user, as `actAs()`; null: of the service. */
export const goOnAs = (em: EntityManager, userId: string | null): Promise<unknown> =>
  em.execute(`select set_config('app.user_id', ?, true), set_config('role', ?, true)`, [
    userId ?? '',
    userId === null ? 'none' : MEMBER_ROLE,
  ])
