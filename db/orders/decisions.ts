import type { EntityManager } from '../engine/database.ts'

/**
 * Decisions that depend on moving data, such as the size of an order, kept with their signal the first time they
 * are taken. A workflow task that is done over asks again, with the world moved on by what the first try
 * did: it gets the first answer.
 */

/** Kept in the place of a decision to send an order, once somebody has stopped that first. */
export const STOPPED = { stopped: true } as const

/** The decision to send the order of the entry, and that to send an exit order, by its generation. */
export type SendDecision = 'entry' | `exit-${number}`

/** The key of the last price, in dollars a share, with which a signal began to wait for a person. */
export const PRICE_BEFORE_APPROVAL = 'priceBeforeApproval'

/** Somebody stopped the signal, or its exit, before this decision was taken. */
export class SignalAlreadyStopped extends Error {
  override readonly name = 'SignalAlreadyStopped'
  constructor(signalId: string) {
    super(`signal ${signalId} was stopped before this was decided`)
  }
}

/** The decision under the key, if it was taken. Throws {@link SignalAlreadyStopped}. */
export async function readDecision<T>(em: EntityManager, signalId: string, key: string): Promise<T | null> {
  const [row] = await em.execute<{ value: unknown }[]>(
    'select decisions -> ?::text as value from signals where id = ?',
    [key, signalId],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  assertNotStopped(row.value, signalId)
  return row.value as T | null
}

/** Keeps a decision unless one is kept already; returns the one that counts. Throws {@link SignalAlreadyStopped}. */
export async function decideOnce<T>(
  em: EntityManager,
  signalId: string,
  key: string,
  decision: T,
): Promise<T> {
  const [row] = await em.execute<{ value: unknown }[]>(
    // On the right of || stands what is there already, which wins.
    `update signals set decisions = jsonb_build_object(?::text, ?::jsonb) || decisions
     where id = ? returning decisions -> ?::text as value`,
    [key, JSON.stringify(decision), signalId, key],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  assertNotStopped(row.value, signalId)
  return row.value as T
}

/** Throws {@link SignalAlreadyStopped} when what is kept stands in the place of a decision that is not taken any more. */
export function assertNotStopped(kept: unknown, signalId: string): void {
  if (kept !== null && typeof kept === 'object' && 'stopped' in kept) throw new SignalAlreadyStopped(signalId)
}
