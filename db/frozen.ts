import type { EntityManager } from './database.ts'

/**
 * Decisions that depend on moving data, such as the size of an order, kept with their signal the first time they
 * are taken. A workflow task that is done over asks again, with the world moved on by what the first try
 * did: it gets the first answer.
 */

/** The decision under the key, if it was taken. */
export async function readFrozen<T>(em: EntityManager, signalId: string, key: string): Promise<T | null> {
  const [row] = await em.execute<{ value: T | null }[]>(
    'select frozen -> ?::text as value from signals where id = ?',
    [key, signalId],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  return row.value
}

/** Keeps a decision unless one is kept already; returns the one that counts. */
export async function freeze<T>(em: EntityManager, signalId: string, key: string, decision: T): Promise<T> {
  const [row] = await em.execute<{ value: T }[]>(
    // On the right of || stands what is there already, which wins.
    `update signals set frozen = jsonb_build_object(?::text, ?::jsonb) || frozen
     where id = ? returning frozen -> ?::text as value`,
    [key, JSON.stringify(decision), signalId, key],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  return row.value
}
