import type { ExitProgress } from '#domain/exit/progress.ts'
import type { OrderRole, OrderShape } from '#domain/order/order.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { ask, type Query } from '../engine/query.ts'
import type { ListOrder } from '../engine/page.ts'

// A retried task reads the stored decision: its first attempt may have changed the data.

export const STOPPED = { stopped: true } as const

export const IS_HELD = `decisions -> 'entry' ->> 'outcome' = 'held'`
/** SQL condition: the entry's order was decided. */
export const IS_DECIDED = `decisions -> 'entry' ->> 'outcome' = 'ready'`

export type SendDecision = 'entry' | `exit-${number}`

export const decisionKey = ({ role, generation }: { role: OrderRole; generation: number }): SendDecision =>
  role === 'entry' ? 'entry' : `exit-${generation}`

/** Last price, dollars a share, before the wait for approval. */
export const PRICE_BEFORE_APPROVAL = 'priceBeforeApproval'

/** Fields that an approval may edit, as sent. */
export const AS_SENT = 'asSent'

export class SignalAlreadyStopped extends Error {
  override readonly name = 'SignalAlreadyStopped'
  constructor(id: string) {
    super(`${id} was stopped before this was decided`)
  }
}

/** The stored decision, even a struck-out size, or null. Throws {@link SignalAlreadyStopped} after a stop. */
export async function readDecision<T>(em: EntityManager, signalId: string, key: string): Promise<T | null> {
  const [row] = await em.execute<{ value: unknown }[]>(
    'select decisions -> ?::text as value from signals where id = ?',
    [key, signalId],
  )
  if (!row) throw new Error(`there is no signal ${signalId}`)
  if (!isGivenUp(row.value)) assertNotStopped(row.value, signalId)
  return row.value as T | null
}

/** Stores and returns the first decision. Throws {@link SignalAlreadyStopped}. */
export const decideOnce = <T>(
  em: EntityManager,
  signalId: string,
  key: string,
  decision: T,
  progress: ExitProgress | null = null,
): Promise<T> => ask(em, decisionQuery(signalId, key, decision, progress))

/** SQL condition: progress is given, with levels no older than stored. */
const ofTheseLevels = (stored: string, given: string): string =>
  `${given} is not null and coalesce(${stored} ->> 'levelsSince', '') <= coalesce(${given} ->> 'levelsSince', '')`

/** @param progress of the exit, kept with the first decision of its size */
export const decisionQuery = <T>(
  signalId: string,
  key: string,
  decision: T,
  progress: ExitProgress | null = null,
): Query<T> => ({
  // The right operand of || wins.
  sql: `update signals set decisions = given || decisions,
       exit_progress = case when decisions -> ?::text is null and ${ofTheseLevels('exit_progress', 'progress')}
         then progress else exit_progress end,
       held_price = coalesce(held_price, (given ->> '${PRICE_BEFORE_APPROVAL}')::numeric),
       checked_at = case when given -> 'entry' is null or decisions -> 'entry' is not null then checked_at else now() end
     from (select jsonb_build_object(?::text, ?::jsonb) as given, ?::jsonb as progress) decision
     where id = ? returning decisions -> ?::text as value`,
  parameters: [key, key, toStorableJson(decision), progress && toStorableJson(progress), signalId, key],
  read([row]: readonly { value: unknown }[]) {
    if (!row) throw new Error(`there is no signal ${signalId}`)
    assertNotStopped(row.value, signalId)
    return row.value as T
  },
})

/** Shares; dollars a share. */
type AsSent = Pick<OrderShape, 'quantity' | 'limitPrice'>

/** An order sent before: the signal shows its limit and, for a fixed opening, its size. */
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

/** Corrects size and limit to the broker's: an earlier, lost decision sent the entry. */
export async function correctDecision(
  em: EntityManager,
  signalId: string,
  sent: AsSent,
  advisory: { code: string; message: string },
): Promise<void> {
  const corrected = `decisions = jsonb_set(decisions, '{entry,quantity}', to_jsonb(?::text)),
    advisories = case when advisories @> ?::jsonb then advisories else advisories || ?::jsonb end`
  const advisories = toStorableJson([advisory])
  await showAsSent(em, signalId, sent, {
    set: corrected,
    parameters: [sent.quantity, advisories, advisories],
    where: IS_DECIDED,
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
  )
}

/** Throws {@link SignalAlreadyStopped}. */
export function assertNotStopped<T>(kept: T, id: string): asserts kept is Exclude<T, typeof STOPPED> {
  if (isStopped(kept)) throw new SignalAlreadyStopped(id)
}

/** A struck-out size of an exit, still readable. */
export const isGivenUp = (kept: unknown): boolean => isStopped(kept) && 'quantity' in kept

export const isStopped = (kept: unknown): kept is typeof STOPPED =>
  kept !== null && typeof kept === 'object' && 'stopped' in kept

export const SIGNAL_EVENT_ORDER: ListOrder = {
  columns: [
    { name: 'at', type: 'timestamptz' },
    { name: 'sequence', type: 'bigint' },
  ],
  direction: 'asc',
}

/** SQL with the broker's instant, whose clock may be behind. */
export const noEarlierThanFirst = (signal: string): string =>
  `greatest(?::timestamptz, (select at from signal_events where signal_id = ${signal} and key in ('received', 'placed')))`
