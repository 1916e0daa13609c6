import type { LedgerFacts } from '#domain/entry-check.ts'
import type { ManualOrderDecision, ManualOrderTerms } from '#domain/manual-order.ts'
import type { Action } from '#domain/signal.ts'
import type { EntityManager } from '../engine/database.ts'
import { ledgerFactsOf, ledgerFactsSql, LEDGER_FACTS_JOINS, type LedgerFactsRow } from './entry-facts.ts'
import type { STOPPED } from './decisions.ts'
import { riskFactsOf, riskFactsSql, type RiskFactsJson } from '../risk/facts.ts'

/**
 * The decision about a manual order, which is taken once: a workflow task that is done over asks again, with
 * the position moved on by what the first try did, and gets the first answer.
 */

/** Somebody cancelled the order before it was decided to send it. */
export class OrderAlreadyCancelled extends Error {
  override readonly name = 'OrderAlreadyCancelled'
  constructor(orderId: string) {
    super(`order ${orderId} was cancelled before it was decided`)
  }
}

/**
 * The decision, null when it was not taken yet, and the instant of this look by the database's clock. Throws
 * {@link OrderAlreadyCancelled}.
 */
export async function readManualOrderDecision(
  em: EntityManager,
  orderId: string,
): Promise<{ decision: ManualOrderDecision | null; asOf: string }> {
  const [row] = await em.execute<
    { decision: ManualOrderDecision | typeof STOPPED | null; as_of: Date | string }[]
  >('select decision, now() as as_of from manual_orders where order_id = ?', [orderId])
  if (!row) throw new Error(`there is no manual order ${orderId}`)
  return { decision: unlessCancelled(row.decision, orderId), asOf: new Date(row.as_of).toISOString() }
}

/** What the ledger says about whether the order may be sent, given what it does to the position. */
export async function readManualOrderFacts(
  em: EntityManager,
  { orderId }: Pick<ManualOrderTerms, 'orderId'>,
  action: Action,
): Promise<LedgerFacts> {
  const [row] = await em.execute<
    (LedgerFactsRow & { risk: RiskFactsJson; seconds_since_twin: number | null })[]
  >(
    `select ${ledgerFactsSql('and false')}, ${riskFactsSql('s')} as risk, ${SECONDS_SINCE_TWIN} as seconds_since_twin
     from (
       select o.id, o.id as order_id, o.user_id, o.account_id, o.symbol, ?::text as action,
         h.asked_quantity as quantity, 'fixed' as quantity_type, o.order_type, o.limit_price, o.stop_price,
         h.order_id::text as source_id, h.created_at as accepted_at, null::uuid as strategy_id,
         h.asked_side, h.request_key, h.reduces_only
       from manual_orders h join orders o on o.id = h.order_id where h.order_id = ?) s
     ${LEDGER_FACTS_JOINS}`,
    [action, orderId],
  )
  if (!row) throw new Error(`there is no manual order ${orderId}`)
  const { limits, context } = riskFactsOf(row.risk)
  const risk = { ...context, isManual: true, secondsSinceTwin: row.seconds_since_twin }
  return { ...ledgerFactsOf(row), limits, risk }
}

/** Further back no limit looks for a repetition. */
const TWIN_REACH = `interval '1 day'`

/**
 * Seconds since the same manual order was placed. Two that both carry a key were told apart by whoever placed them,
 * and what closes a position is sized to what is held.
 */
const SECONDS_SINCE_TWIN = `(
  select extract(epoch from s.accepted_at - max(twin.created_at))::float
  from orders twin join manual_orders asked on asked.order_id = twin.id
  where not s.reduces_only and not asked.reduces_only
    and twin.user_id = s.user_id and twin.account_id = s.account_id and twin.symbol = s.symbol
    and twin.created_at >= s.accepted_at - ${TWIN_REACH}
    and (twin.created_at, twin.id) < (s.accepted_at, s.id)
    and asked.asked_side = s.asked_side and asked.asked_quantity = s.quantity and twin.order_type = s.order_type
    and twin.limit_price is not distinct from s.limit_price and twin.stop_price is not distinct from s.stop_price
    and twin.status <> 'REJECTED'
    and (asked.request_key is null or s.request_key is null))`

/**
 * When another order of ours on this side, which closes a position, was filled last in the account and symbol; UTC
 * instant, null when there was none.
 */
export async function lastClosing(
  em: EntityManager,
  { orderId, accountId, symbol }: Pick<ManualOrderTerms, 'orderId' | 'accountId' | 'symbol'>,
  side: 'SELL' | 'BUY_TO_COVER',
): Promise<string | null> {
  const [row] = await em.execute<{ at: Date | string | null }[]>(
    `select max(filled_at) as at from orders
     where account_id = ? and symbol = ? and filled_at is not null and side = ? and id <> ?`,
    [accountId, symbol, side, orderId],
  )
  return row?.at ? new Date(row.at).toISOString() : null
}

/**
 * Keeps a decision unless one is kept already, and gives the order the side and size that were decided; returns the
 * decision that counts. Throws {@link OrderAlreadyCancelled}.
 */
export async function decideManualOrderOnce(
  em: EntityManager,
  orderId: string,
  decision: ManualOrderDecision,
): Promise<ManualOrderDecision> {
  const [row] = await em.execute<{ decision: ManualOrderDecision | typeof STOPPED }[]>(
    `with kept as (
       update manual_orders set decision = coalesce(decision, ?::jsonb),
         workflow_started_at = coalesce(workflow_started_at, now())
       where order_id = ? returning order_id, decision),
     shaped as (
       update orders set side = decision ->> 'side', quantity = (decision ->> 'quantity')::numeric, updated_at = now()
       from kept where orders.id = kept.order_id and decision ->> 'outcome' = 'ready'
         and (side, quantity) is distinct from (decision ->> 'side', (decision ->> 'quantity')::numeric)
       returning id)
     select decision from kept`,
    [JSON.stringify(decision), orderId],
  )
  if (!row) throw new Error(`there is no manual order ${orderId}`)
  return unlessCancelled(row.decision, orderId)!
}

function unlessCancelled(
  kept: ManualOrderDecision | typeof STOPPED | null,
  orderId: string,
): ManualOrderDecision | null {
  if (kept !== null && 'stopped' in kept) throw new OrderAlreadyCancelled(orderId)
  return kept
}
