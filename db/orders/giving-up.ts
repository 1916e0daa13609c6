import type { Decimal } from '#domain/decimal.ts'
import type { DenialCode } from '#domain/denial.ts'
import { manualOrderIdIn } from '#domain/manual-order.ts'
import { parseClientOrderId } from '#domain/order.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/instants.ts'
import { decisionKey } from './decisions.ts'

/** Orders that are given up: after that the gate (`throttle.ts`) lets nobody out to send them. */

/** An order that is about to be sent to its broker. */
export interface LeavingOrder {
  accountId: string
  clientOrderId: string
  /** Shares. */
  quantity: Decimal
  /** The order takes from a position. */
  reducing: boolean
}

/** The knowledge of the gate about the attempts to send an order. */
export interface Passes {
  /** Attempts that were let out, with the one that is told of this where it was. */
  passes: number
  /**
   * When the latest attempt before this one was let out that may have sent the order; UTC instant, null when there was none. See
   * {@link withdrawPass}.
   */
  before: string | null
  /** When this was read, by the database's clock; UTC instant. */
  asOf: string
}

/**
 * Why an order was given up: nothing is at the broker under its id, and nothing will be. void: its decision was taken back, and
 * nobody has refused it.
 */
export interface GivenUp {
  outcome: 'denied' | 'rejected' | 'stale' | 'void'
  /** Null of a void one. */
  code: DenialCode | null
  detail: string
}

/** The knowledge of the gate about an order, without a question to let it out. */
export async function readPasses(em: EntityManager, clientOrderId: string): Promise<Passes> {
  const [row] = await em.execute<{ passes: number; before: StoredInstant | null; as_of: StoredInstant }[]>(
    `select coalesce(known.passes, 0) as passes, known.passed_at as before, now() as as_of
     from (select) one left join orders_out known on known.client_order_id = ?`,
    [clientOrderId],
  )
  const { passes, before, as_of: asOf } = row!
  return { passes, before: instantOrNull(before), asOf: instantOf(asOf) }
}

/**
 * The attempt that was let out as the last of so many has sent nothing, or knows that its order is not at the broker: the next one
 * need not wait for it. Unchanged when another was let out since.
 */
export async function withdrawPass(em: EntityManager, clientOrderId: string, passes: number): Promise<void> {
  await em.execute(
    'update orders_out set passed_at = passed_before where client_order_id = ? and passes = ?',
    [clientOrderId, passes],
    'run',
  )
}

/**
 * The broker refused the attempt that was let out as the last of so many, because it has an order under this id already, which it
 * does not show. Takes the pass back, as {@link withdrawPass}; returns for how many milliseconds that has been so.
 */
export async function noteHidden(em: EntityManager, clientOrderId: string, passes: number): Promise<number> {
  const [row] = await em.execute<{ hidden_for: number }[]>(
    `update orders_out set hidden_since = coalesce(hidden_since, now()),
       passed_at = case when passes = ? then passed_before else passed_at end
     where client_order_id = ?
     returning extract(epoch from now() - hidden_since)::float8 * 1000 as hidden_for`,
    [passes, clientOrderId],
  )
  return row?.hidden_for ?? 0
}

/**
 * Gives an order up: no attempt is let out to send it from now on, however long one stood still before it asks. False, and
 * nothing changes, when another attempt was let out since the gate told of so many passes: that one may have sent it.
 * A repetition keeps the first reason.
 */
export async function giveUpOrder(
  em: EntityManager,
  { accountId, clientOrderId, reducing }: Omit<LeavingOrder, 'quantity'>,
  passes: number,
  givenUp: GivenUp,
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `insert into orders_out as out (client_order_id, account_id, reducing, registered_at, passes, given_up)
     values (?, ?, ?, now(), 0, ?::jsonb)
     on conflict (client_order_id) do update set given_up = coalesce(out.given_up, excluded.given_up)
       where out.passes = ? returning client_order_id`,
    [clientOrderId, accountId, reducing, toStorableJson(givenUp), passes],
  )
  return rows.length > 0
}

/**
 * Takes back the decision to send a closing order of which nothing has left: its size was right at its moment only. An exit is
 * struck out, and the next one of its signal is sized anew; a closing signal or manual order is decided on anew. False, and
 * nothing changes, when another attempt was let out to send it.
 *
 * @param passes how many were let out, the attempt that asks included, of which none has sent it
 * @param detail why it is not sent, in words
 */
export async function takeBackDecision(
  em: EntityManager,
  order: Omit<LeavingOrder, 'quantity'>,
  passes: number,
  detail: string,
): Promise<boolean> {
  const identity = parseClientOrderId(order.clientOrderId)
  const [table, key, id] = identity
    ? ['signals', 'id', identity.signalId]
    : ['manual_orders', 'order_id', manualOrderIdIn(order.clientOrderId)]
  return em.fork().transactional(async (inner) => {
    // Waits for a gate that lets the order out meanwhile; the next statement sees what that has done.
    await inner.execute(`select from ${table} where ${key} = ? for no key update`, [id])
    if ((await readPasses(inner, order.clientOrderId)).passes !== passes) return false
    const change = async (assignment: string, parameters: unknown[] = []): Promise<void> => {
      await inner.execute(`update ${table} set ${assignment} where ${key} = ?`, [...parameters, id], 'run')
    }
    if (identity === null) await change('decision = null')
    else if (identity.role === 'entry') await change(`decisions = decisions - 'entry', updated_at = now()`)
    else {
      await change(`decisions = ${STRUCK_OUT}, updated_at = now()`, [decisionKey(identity)])
      return giveUpOrder(inner, order, passes, { outcome: 'void', code: null, detail })
    }
    await inner.execute('delete from orders_out where client_order_id = ?', [order.clientOrderId], 'run')
    return true
  })
}

/**
 * SQL: the decisions of a signal, with the one under the key given up. Its size stays readable, and counts no more. Unchanged where
 * there is none.
 */
export const STRUCK_OUT = `jsonb_set(decisions, array[?::text, 'stopped'], 'true')`
