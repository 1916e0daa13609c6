import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import { entryIdFor, executionSide, type OrderStatus } from '#domain/order/order.ts'
import { ENTRY_SIDE } from '#domain/signal/signal.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import { instantOf, type StoredInstant } from '../engine/query.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { IS_KEYED, isKeyed, KEYED, keyParameters, type RequestKey } from '../signal/requests.ts'
import { orderIdFor } from './order-rows.ts'

export interface NewOrderByHand {
  terms: ByHandTerms
  received: TimelineEntry
}

export const orderByHandId = (signalId: string): string => orderIdFor(entryIdFor(signalId))

/** False when the key was used before. Past `limit` (ms) throws error 57014. */
export async function insertOrderByHand(
  em: EntityManager,
  { terms, received }: NewOrderByHand,
  request: RequestKey | null,
  limit?: number,
): Promise<boolean> {
  const { signalId, userId } = terms
  const row = {
    ...terms,
    orderId: orderByHandId(signalId),
    clientOrderId: entryIdFor(signalId),
    received,
  }
  const stored = await queryRows(
    em,
    `with ${KEYED},
     asked as (
       select * from jsonb_to_record(?::jsonb) as r (
         "signalId" uuid, "orderId" uuid, "userId" uuid, "accountId" uuid, origin text, symbol text, action text,
         quantity numeric, "orderType" text, "limitPrice" numeric, "stopPrice" numeric, "timeInForce" text,
         "extendedHours" boolean, ask jsonb, "acceptedAt" timestamptz, "sendBefore" timestamptz, "clientOrderId" text,
         received jsonb)
       where ${IS_KEYED}),
     accepted as (
       insert into signals (id, user_id, account_id, origin, ask, token_id, sent_by, payload_hash, symbol, action, quantity,
         quantity_type, execute_mode, order_type, limit_price, stop_price, time_in_force, extended_hours, status,
         accepted_at, send_before, queued_at)
       select "signalId", "userId", "accountId", origin, ask, (received -> 'data' ->> 'tokenId')::uuid,
         received -> 'data' ->> 'by', '', symbol, action, quantity, 'fixed', 'immediate', "orderType", "limitPrice",
         "stopPrice", "timeInForce", "extendedHours", 'queued', "acceptedAt", "sendBefore", null
       from asked returning id),
     placed as (
       insert into orders (id, user_id, account_id, signal_id, role, client_order_id, symbol, side, order_type, quantity,
         limit_price, stop_price, time_in_force, extended_hours, status, submitted_at, created_at)
       select "orderId", "userId", "accountId", "signalId", 'manual', "clientOrderId", symbol, ask ->> 'side', "orderType",
         quantity, "limitPrice", "stopPrice", "timeInForce", "extendedHours", 'PENDING', "acceptedAt", "acceptedAt"
       from asked),
     told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select "signalId", received ->> 'key', received ->> 'kind', (received ->> 'at')::timestamptz,
         received ->> 'message', received -> 'data' from asked)
     select id from accepted`,
    [...keyParameters(signalId, userId, request), toStorableJson(row), request?.key ?? null],
    { plan: 'once', ...(limit !== undefined && { limit }) },
  )
  return stored.length === 1
}

export interface OrderByHand {
  signalId: string
  orderId: string
  symbol: string
  brokerOrderId: string | null
  status: OrderStatus
  /** Reason for no order: a code of `domain/risk/denial.ts`, and text. */
  denialCode: string | null
  reason: string | null
  advisories: { code: string; message: string }[]
  /** UTC instant. */
  sendBefore: string
}

export async function findOrderByHand(
  em: EntityManager,
  userId: string,
  signalId: string,
): Promise<OrderByHand | null> {
  const [row] = await em.execute<(Omit<OrderByHand, 'sendBefore'> & { send_before: StoredInstant })[]>(
    `select s.id as "signalId", o.id as "orderId", o.symbol, o.broker_order_id as "brokerOrderId", o.status,
       s.status_reason as "denialCode", o.reason, s.send_before,
       coalesce(s.decisions -> 'entry' -> 'advisories', '[]') as advisories
     from signals s join orders o on o.client_order_id = s.id || '-e1' where s.user_id = ? and s.id = ?`,
    [userId, signalId],
  )
  if (!row) return null
  const { send_before, ...order } = row
  return { ...order, sendBefore: instantOf(send_before) }
}

/** The position decides whether the order opens or closes, until its decision. */
export async function noteAction(
  em: EntityManager,
  { signalId, action }: Pick<ByHandTerms, 'signalId' | 'action'>,
): Promise<void> {
  await em.execute(
    `update signals set action = ? where id = ? and action <> ? and decisions -> 'entry' is null`,
    [action, signalId, action],
  )
}

/** Side and size follow the decision until the broker has the order. */
export async function showDecided(
  em: EntityManager,
  signalId: string,
  { action, quantity }: Pick<ByHandTerms, 'action' | 'quantity'>,
): Promise<void> {
  const side = ENTRY_SIDE[action]
  await em.execute(
    `with decided as (update signals set action = ? where id = ? and ask is not null returning id)
     update orders set side = ?, quantity = ?::numeric, updated_at = now() from decided
     where client_order_id = decided.id || '-e1' and broker_order_id is null
       and (side, quantity) is distinct from (?::text, ?::numeric)`,
    [action, signalId, side, quantity, side, quantity],
  )
}

/** UTC instant of the last fill of another order that closed the other side; orders with keys ignore each other. */
export async function lastClosing(
  em: EntityManager,
  { signalId, accountId, symbol, action }: ByHandTerms,
): Promise<string | null> {
  const side = executionSide(ENTRY_SIDE[action]) === 'SELL' ? 'SELL' : 'BUY_TO_COVER'
  const [row] = await em.execute<{ at: StoredInstant | null }[]>(
    `select max(o.filled_at) as at from orders o join signals h on h.id = o.signal_id
     where o.account_id = ? and o.symbol = ? and o.filled_at is not null and o.side = ? and o.signal_id <> ?
       and (o.role <> 'manual' or not ${isKeyed('h.id')} or not ${isKeyed('?::uuid')})`,
    [accountId, symbol, side, signalId, signalId],
  )
  return row?.at ? instantOf(row.at) : null
}
