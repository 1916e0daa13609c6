import type { OrderRole, OrderShape } from '#domain/order.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { ask, type Query } from '../engine/query.ts'

/**
 * Decisions that depend on changing data, such as the size of an order, are stored with their signal when they are taken
 * first. A retried workflow task asks again, when the first attempt may already have changed the data: it gets the
 * first decision.
 */

/** Stored instead of a decision to send an order, when a stop came first. */
export const STOPPED = { stopped: true } as const

/** SQL condition: the entry is held for a person. */
export const IS_HELD = `decisions -> 'entry' ->> 'outcome' = 'held'`

/** Keys of the decisions to send the entry order and the exit orders, these by generation. */
export type SendDecision = 'entry' | `exit-${number}`

/** The key of the decision to send the order of this client order id. */
export const decisionKey = ({ role, generation }: { role: OrderRole; generation: number }): SendDecision =>
  role === 'entry' ? 'entry' : `exit-${generation}`

/** Key of the last price, in dollars a share, at the time when a signal began to wait for approval. */
export const PRICE_BEFORE_APPROVAL = 'priceBeforeApproval'

/** Key of what the edits of an approval may change, as the signal was sent. */
export const AS_SENT = 'asSent'

/** The signal, its exit, or the manual order was stopped before this decision was taken. */
export class SignalAlreadyStopped extends Error {
  override readonly name = 'SignalAlreadyStopped'
  constructor(id: string) {
    super(`${id} was stopped before this was decided`)
  }
}

/**
 * The decision under the key, if it was taken; also one that was given up. Throws {@link SignalAlreadyStopped} when a stop came
 * before it.
 */
export async function readDecision<T>(em: EntityManager, signalId: string, key: string): Promise<T | null> {
  const [row] = await em.execute<{ value: unknown }[]>(
    'select decisions -> ?::text as value from signals where id = ?',
    [key, signalId],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  if (!isGivenUp(row.value)) assertNotStopped(row.value, signalId)
  return row.value as T | null
}

/**
 * Keeps a decision unless one is kept already; returns the one that counts. Notes what of it is shown: the price, and
 * when the entry was judged. Throws {@link SignalAlreadyStopped}.
 */
export const decideOnce = <T>(em: EntityManager, signalId: string, key: string, decision: T): Promise<T> =>
  ask(em, decisionQuery(signalId, key, decision))

/** The query of {@link decideOnce}, whose answer throws as it does. */
export const decisionQuery = <T>(signalId: string, key: string, decision: T): Query<T> => ({
  // The right operand of || wins: the decision that is stored already.
  sql: `update signals set decisions = given || decisions,
       held_price = coalesce(held_price, (given ->> '${PRICE_BEFORE_APPROVAL}')::numeric),
       checked_at = case when given -> 'entry' is null or decisions -> 'entry' is not null then checked_at else now() end
     from (select jsonb_build_object(?::text, ?::jsonb) as given) decision
     where id = ? returning decisions -> ?::text as value`,
  parameters: [key, toStorableJson(decision), signalId, key],
  read([row]: readonly { value: unknown }[]) {
    if (!row) throw new Error(`there is no signal ${signalId}`)
    assertNotStopped(row.value, signalId)
    return row.value as T
  },
})

/** An order as it was sent: shares, and dollars a share. */
type AsSent = Pick<OrderShape, 'quantity' | 'limitPrice'>

/**
 * {@link decideOnce} for an entry whose order was sent before: it waits for nobody any more. A signal for a fixed number of
 * shares that opens a position shows the size of its order, and any signal its limit: edits of a person who approved it
 * since have changed neither.
 */
export async function decideSentOnce<T>(
  em: EntityManager,
  signalId: string,
  decision: T,
  sent: AsSent,
): Promise<T> {
  const isUndecided = `decisions -> 'entry' is null or ${IS_HELD}`
  await showAsSent(em, signalId, sent, { set: `decisions = decisions - 'entry'`, where: isUndecided })
  return decideOnce(em, signalId, 'entry', decision)
}

/**
 * The broker has the order of an entry in another size, or at another limit, than was decided: it was sent by an earlier
 * decision, which is lost.
 */
export async function correctDecision(
  em: EntityManager,
  signalId: string,
  sent: AsSent,
  advisory: { code: string; message: string },
): Promise<void> {
  const corrected = `decisions = jsonb_set(decisions, '{entry,quantity}', to_jsonb(?::text)),
    advisories = case when advisories @> ?::jsonb then advisories else advisories || ?::jsonb end`
  const advisories = toStorableJson([advisory])
  const isReady = `decisions -> 'entry' ->> 'outcome' = 'ready'`
  await showAsSent(em, signalId, sent, {
    set: corrected,
    parameters: [sent.quantity, advisories, advisories],
    where: isReady,
  })
}

async function showAsSent(
  em: EntityManager,
  signalId: string,
  { quantity, limitPrice }: AsSent,
  { set, parameters = [], where }: { set: string; parameters?: readonly unknown[]; where: string },
): Promise<void> {
  await em.execute(
    `update signals set ${set}, limit_price = ?::numeric,
       quantity = case when quantity_type = 'fixed' and action in ('openLong', 'openShort') then ?::numeric else quantity end
     where id = ? and (${where})`,
    [...parameters, limitPrice, quantity, signalId],
    'run',
  )
}

/** Throws {@link SignalAlreadyStopped} when what is kept stands in the place of a decision that is not taken any more. */
export function assertNotStopped<T>(kept: T, id: string): asserts kept is Exclude<T, typeof STOPPED> {
  if (isStopped(kept)) throw new SignalAlreadyStopped(id)
}

/** Whether what is kept is the size of an exit that was given up: struck out, and kept to be read. */
export const isGivenUp = (kept: unknown): boolean => isStopped(kept) && 'quantity' in kept

/** Whether what is kept stands in the place of a decision that is not taken any more. */
export const isStopped = (kept: unknown): kept is typeof STOPPED =>
  kept !== null && typeof kept === 'object' && 'stopped' in kept
