import type { LedgerFacts } from '#domain/entry-check.ts'
import type { ManualOrderDecision, ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderShape } from '#domain/order.ts'
import type { Action } from '#domain/signal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'
import { TERMINAL } from '../engine/status-lists.ts'
import {
  ledgerFactsOf,
  ledgerFactsSql,
  LEDGER_FACTS_JOINS,
  type LedgerFactsRow,
  type UnsentEnd,
} from './entry-facts.ts'
import { assertNotStopped, type STOPPED } from './decisions.ts'
import { orderBoundsSql, orderSenderSql } from './sender.ts'
import { riskFactsOf, riskFactsSql, type RiskFactsJson } from '../risk/facts.ts'

// The decision is taken once: a retried task, whose first attempt may have changed the position, gets the first decision.

export type SentManualOrder = Pick<OrderShape, 'side' | 'quantity'> & { sentAt?: string }

/** Instants by PostgreSQL's clock, UTC. Throws {@link SignalAlreadyStopped} while a stopped order has no end. */
export async function readManualOrderDecision(
  em: EntityManager,
  orderId: string,
): Promise<
  | {
      decision: ManualOrderDecision | null
      sent: SentManualOrder | null
      asOf: string
      dueSince: string
    }
  | { end: UnsentEnd }
> {
  const [row] = await em.execute<
    {
      decision: ManualOrderDecision | typeof STOPPED | null
      as_of: StoredInstant
      due_since: StoredInstant
      sent: (SentManualOrder & { sentAt: StoredInstant }) | null
      end: UnsentEnd | null
    }[]
  >(
    `select h.decision, now() as as_of, o.known_at as due_since,
       case when o.broker_order_id is not null then json_build_object(
         'side', o.side, 'quantity', trim_scale(o.quantity)::text, 'sentAt', o.submitted_at) end as sent,
       case when o.status in ${TERMINAL} and o.broker_order_id is null then json_build_object(
         'status', lower(o.status), 'reason', h.denial_code, 'detail', o.reason) end as "end"
     from manual_orders h join orders o on o.id = h.order_id where h.order_id = ?`,
    [orderId],
  )
  if (!row) throw new Error(`there is no manual order ${orderId}`)
  const { decision, sent, end } = row
  if (end !== null) return { end }
  assertNotStopped(decision, orderId)
  return {
    decision,
    sent: sent && { ...sent, sentAt: instantOf(sent.sentAt) },
    asOf: instantOf(row.as_of),
    dueSince: instantOf(row.due_since),
  }
}

export async function readManualOrderFacts(
  em: EntityManager,
  { orderId }: Pick<ManualOrderTerms, 'orderId'>,
  action: Action,
): Promise<LedgerFacts> {
  const [row] = await em.execute<FactsRow[]>(factsSql(STORED_ORDER), [action, orderId])
  if (!row) throw new Error(`there is no manual order ${orderId}`)
  return factsOf(row)
}

interface ProspectiveSender {
  tokenId: string | null
  isKeyed: boolean
}

export async function readProspectiveManualFacts(
  em: EntityManager,
  terms: ManualOrderTerms,
  action: Action,
  { tokenId, isKeyed }: ProspectiveSender,
): Promise<LedgerFacts | null> {
  const [row] = await em.execute<FactsRow[]>(`${factsSql(PROSPECTIVE_ORDER)} where a.user_id = s.user_id`, [
    terms.userId,
    terms.accountId,
    terms.symbol,
    action,
    terms.quantity,
    terms.orderType,
    terms.limitPrice,
    terms.stopPrice,
    terms.side,
    isKeyed ? 'keyed' : null,
    terms.reducesOnly,
    tokenId,
  ])
  return row ? factsOf(row) : null
}

interface FactsRow extends LedgerFactsRow {
  risk: RiskFactsJson
  by_person: boolean
  seconds_since_twin: number | null
}

const factsSql = (
  order: string,
): string => `select ${ledgerFactsSql('and false', orderSenderSql('s'), orderBoundsSql('s'))}, ${riskFactsSql('s')} as risk,
       s.token_id is null as by_person, ${SECONDS_SINCE_MANUAL_TWIN} as seconds_since_twin
     from (
       ${order}) s
     ${LEDGER_FACTS_JOINS}`

const STORED_ORDER = `select o.id, o.id as order_id, o.user_id, o.account_id, o.symbol, ?::text as action,
         h.asked_quantity as quantity, 'fixed' as quantity_type, o.order_type, o.limit_price, o.stop_price,
         h.order_id::text as source_id, h.created_at as accepted_at, null::uuid as strategy_id,
         h.asked_side, h.request_key, h.reduces_only, h.token_id
       from manual_orders h join orders o on o.id = h.order_id where h.order_id = ?`

/** The id sorts behind every order of the same instant. */
const PROSPECTIVE_ORDER = `select 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as id, null::uuid as order_id, ?::uuid as user_id,
         ?::uuid as account_id, ?::text as symbol, ?::text as action, ?::numeric as quantity,
         'fixed' as quantity_type, ?::text as order_type, ?::numeric as limit_price, ?::numeric as stop_price,
         '' as source_id, now() as accepted_at, null::uuid as strategy_id, ?::text as asked_side,
         ?::text as request_key, ?::boolean as reduces_only, ?::uuid as token_id`

function factsOf(row: FactsRow): LedgerFacts {
  const { limits, context } = riskFactsOf(row.risk)
  const { by_person: isApproved, seconds_since_twin: secondsSinceTwin } = row
  const risk = { ...context, isManual: true, isApproved, secondsSinceTwin }
  return { ...ledgerFactsOf(row), limits, risk }
}

/** The longest time in which a limit looks for a duplicate. */
const TWIN_REACH = `interval '1 day'`

/** Neither between two keyed orders, which differ on purpose, nor for closing orders, sized to the held shares. */
const SECONDS_SINCE_MANUAL_TWIN = `(
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

/** UTC instant of the last fill of another closing order on the other side; keyed ones do not count for a keyed one. */
export async function lastClosing(
  em: EntityManager,
  { orderId, accountId, symbol }: Pick<ManualOrderTerms, 'orderId' | 'accountId' | 'symbol'>,
  action: Action,
  isKeyed: boolean | null = null,
): Promise<string | null> {
  const side = action === 'openShort' ? 'SELL' : 'BUY_TO_COVER'
  const [row] = await em.execute<{ at: StoredInstant | null }[]>(
    `select max(o.filled_at) as at from orders o left join manual_orders h on h.order_id = o.id
     where o.account_id = ? and o.symbol = ? and o.filled_at is not null and o.side = ? and o.id <> ?
       and (h.request_key is null or not coalesce(?::boolean,
         (select asked.request_key is not null from manual_orders asked where asked.order_id = ?), true))`,
    [accountId, symbol, side, orderId, isKeyed, orderId],
  )
  return row?.at ? instantOf(row.at) : null
}

/** Returns the stored, first decision; the order gets its side and size. Throws {@link SignalAlreadyStopped}. */
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
    [toStorableJson(decision), orderId],
  )
  if (!row) throw new Error(`there is no manual order ${orderId}`)
  const kept = row.decision
  assertNotStopped(kept, orderId)
  return kept
}

/** The broker has the order in another size than decided: an earlier decision, which is lost, sent it. */
export async function correctManualOrder(
  em: EntityManager,
  orderId: string,
  { side, quantity }: Pick<OrderShape, 'side' | 'quantity'>,
): Promise<void> {
  await em.execute(
    `with corrected as (
       update manual_orders set decision = decision || jsonb_build_object('side', ?::text, 'quantity', ?::text)
       where order_id = ? and decision ->> 'outcome' = 'ready' returning order_id)
     update orders set side = ?, quantity = ?::numeric, updated_at = now() from corrected where id = order_id`,
    [side, quantity, orderId, side, quantity],
  )
}
