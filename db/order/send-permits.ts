import type { Decimal } from '#domain/common/decimal.ts'
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

export interface Passes {
  /** Permitted attempts, including the present one if it was. */
  passes: number
  /** Permission of the latest earlier attempt that may have sent it; UTC instant. See {@link withdrawPass}. */
  before: string | null
  asOf: string
}

/** Nothing is or will be at the broker under its id. void: the decision was taken back without a refusal. */
export interface GivenUp {
  outcome: 'denied' | 'rejected' | 'stale' | 'void'
  code: DenialCode | null
  detail: string
}

export async function readPasses(em: EntityManager, clientOrderId: string): Promise<Passes> {
  const [row] = await em.execute<{ passes: number; before: StoredInstant | null; as_of: StoredInstant }[]>(
    `select coalesce(known.passes, 0) as passes, known.passed_at as before, now() as as_of
     from (select) one left join orders_out known on known.client_order_id = ?`,
    [clientOrderId],
  )
  const { passes, before, as_of: asOf } = row!
  return { passes, before: instantOrNull(before), asOf: instantOf(asOf) }
}

/** The attempt of this count sent nothing: the next need not wait. Unchanged when another was permitted. */
export async function withdrawPass(em: EntityManager, clientOrderId: string, passes: number): Promise<void> {
  await em.execute(
    'update orders_out set passed_at = passed_before where client_order_id = ? and passes = ?',
    [clientOrderId, passes],
  )
}

/** The broker has an order under this id and does not show it: answers for how many milliseconds. */
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

/** False, unchanged, when another attempt was permitted since: it may have sent the order. First reason stays. */
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

/** Its size was right at its moment only. False when another attempt was permitted since the `passes`. */
export async function takeBackDecision(
  em: EntityManager,
  order: Omit<LeavingOrder, 'quantity'>,
  passes: number,
  detail: string,
): Promise<boolean> {
  const identity = parseClientOrderId(order.clientOrderId)
  if (identity === null) throw new TypeError(`${order.clientOrderId} is no order of ours`)
  const { signalId } = identity
  return em.fork().transactional(async (inner) => {
    // Waits for a gate that permits the order now; the next statement sees its result.
    await inner.execute('select from signals where id = ? for no key update', [signalId])
    if ((await readPasses(inner, order.clientOrderId)).passes !== passes) return false
    const change = async (assignment: string, parameters: unknown[] = []): Promise<void> => {
      await inner.execute(`update signals set ${assignment} where id = ?`, [...parameters, signalId])
    }
    if (identity.role === 'entry') await change(`decisions = decisions - 'entry', updated_at = now()`)
    else {
      await change(`decisions = ${STRUCK_OUT}, updated_at = now()`, [decisionKey(identity)])
      return giveUpOrder(inner, order, passes, { outcome: 'void', code: null, detail })
    }
    await inner.execute('delete from orders_out where client_order_id = ?', [order.clientOrderId])
    return true
  })
}

/** SQL: strikes the decision under a key out; its size stays readable. Unchanged where there is none. */
export const STRUCK_OUT = `jsonb_set(decisions, array[?::text, 'stopped'], 'true')`
