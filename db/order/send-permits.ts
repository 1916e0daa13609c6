import type { Decimal } from '#domain/money/decimal.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/query.ts'
import { decisionKey } from './decisions.ts'

export interface LeavingOrder {
  accountId: string
  clientOrderId: string
  quantity: Decimal
  reducing: boolean
}

export interface Permits {
  /** Permitted attempts, including this one if permitted. */
  permits: number
  /** UTC instant of the latest earlier permit that may have sent it. */
  before: string | null
  asOf: string
}

/** Nothing is or will be at the broker under its id. void: withdrawn without a denial. */
export interface GivenUp {
  outcome: 'denied' | 'rejected' | 'stale' | 'void'
  code: DenialCode | null
  detail: string
}

export async function readPermits(em: EntityManager, clientOrderId: string): Promise<Permits> {
  const [row] = await em.execute<{ permits: number; before: StoredInstant | null; as_of: StoredInstant }[]>(
    `select coalesce(known.permits, 0) as permits, known.permitted_at as before, now() as as_of
     from (select) one left join send_permits known on known.client_order_id = ?`,
    [clientOrderId],
  )
  const { permits, before, as_of: asOf } = row!
  return { permits, before: instantOrNull(before), asOf: instantOf(asOf) }
}

/** The attempt sent nothing: the next need not wait. Unchanged after another permit. */
export async function withdrawPermit(
  em: EntityManager,
  clientOrderId: string,
  permits: number,
): Promise<void> {
  await em.execute(
    'update send_permits set permitted_at = permitted_before where client_order_id = ? and permits = ?',
    [clientOrderId, permits],
  )
}

/** Milliseconds for which the broker has not shown an order that it has. */
export async function noteHidden(em: EntityManager, clientOrderId: string, permits: number): Promise<number> {
  const [row] = await em.execute<{ hidden_for: number }[]>(
    `update send_permits set hidden_since = coalesce(hidden_since, now()),
       permitted_at = case when permits = ? then permitted_before else permitted_at end
     where client_order_id = ?
     returning extract(epoch from now() - hidden_since)::float8 * 1000 as hidden_for`,
    [permits, clientOrderId],
  )
  return row?.hidden_for ?? 0
}

/** The first reason remains. False after another permit, which may have sent the order. */
export async function giveUpOrder(
  em: EntityManager,
  { accountId, clientOrderId, reducing }: Omit<LeavingOrder, 'quantity'>,
  permits: number,
  givenUp: GivenUp,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `insert into send_permits as out (client_order_id, account_id, reducing, registered_at, permits, given_up)
     values (?, ?, ?, now(), 0, ?::jsonb)
     on conflict (client_order_id) do update set given_up = coalesce(out.given_up, excluded.given_up)
       where out.permits = ? returning client_order_id`,
    [clientOrderId, accountId, reducing, toStorableJson(givenUp), permits],
  )
  return rows.length > 0
}

/** Withdraws a decision of outdated size. False after another permit since `permits`. */
export async function takeBackDecision(
  em: EntityManager,
  order: Omit<LeavingOrder, 'quantity'>,
  permits: number,
  detail: string,
): Promise<boolean> {
  const identity = parseClientOrderId(order.clientOrderId)
  if (identity === null) throw new TypeError(`${order.clientOrderId} is no order of ours`)
  const { signalId } = identity
  return em.fork().transactional(async (inner) => {
    // Waits for a send gate at work, whose result follows.
    await inner.execute('select from signals where id = ? for no key update', [signalId])
    if ((await readPermits(inner, order.clientOrderId)).permits !== permits) return false
    const change = async (assignment: string, parameters: unknown[] = []): Promise<void> => {
      await inner.execute(`update signals set ${assignment} where id = ?`, [...parameters, signalId])
    }
    if (identity.role === 'entry') await change(`decisions = decisions - 'entry', updated_at = now()`)
    else {
      await change(`decisions = ${VOIDED}, updated_at = now()`, [decisionKey(identity)])
      return giveUpOrder(inner, order, permits, { outcome: 'void', code: null, detail })
    }
    await inner.execute('delete from send_permits where client_order_id = ?', [order.clientOrderId])
    return true
  })
}

/** SQL: strikes out a decision, still readable. */
export const VOIDED = `jsonb_set(decisions, array[?::text, 'stopped'], 'true')`
