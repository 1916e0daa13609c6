import { decimal, type Decimal } from '#domain/decimal.ts'
import { manualClientOrderId, type AskedSide, type ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderStatus, OrderType, TimeInForce } from '#domain/order.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'
import { queryRows } from '../engine/row-security.ts'

export interface RequestKey {
  key: string
  hash: string
}

export interface NewManualOrder {
  terms: ManualOrderTerms
  received: TimelineEntry
}

/** False when the key was used before. The schema rejects foreign accounts. Past `limit` (ms) throws error 57014. */
export async function insertManualOrders(
  em: EntityManager,
  userId: string,
  orders: readonly NewManualOrder[],
  request: RequestKey | null,
  limit?: number,
): Promise<boolean> {
  const rows = orders.map(({ terms, received }) => ({
    ...terms,
    clientOrderId: manualClientOrderId(terms.orderId),
    received,
  }))
  const stored = await queryRows(
    em,
    `with keyed as (
       insert into idempotent_requests (user_id, key, request_hash)
       select ?::uuid, ?::text, ?::text where ?::text is not null
       on conflict do nothing returning key),
     asked as (
       select * from jsonb_to_recordset(?::jsonb) as r (
         "orderId" uuid, "accountId" uuid, symbol text, side text, quantity numeric, "orderType" text,
         "limitPrice" numeric, "stopPrice" numeric, "timeInForce" text, "extendedHours" boolean,
         "reducesOnly" boolean, owners jsonb, "acceptedAt" timestamptz, "sendBefore" timestamptz, "clientOrderId" text,
         received jsonb)
       where ?::text is null or exists (select from keyed)),
     placed as (
       insert into orders (id, user_id, account_id, role, client_order_id, symbol, side, order_type, quantity,
         limit_price, stop_price, time_in_force, extended_hours, status, submitted_at, created_at)
       select "orderId", ?::uuid, "accountId", 'manual', "clientOrderId", symbol, side, "orderType", quantity,
         "limitPrice", "stopPrice", "timeInForce", "extendedHours", 'PENDING', "acceptedAt", "acceptedAt" from asked
       returning id),
     noted as (
       insert into manual_orders (order_id, user_id, asked_side, asked_quantity, reduces_only, owners, request_key,
         send_before, created_at, token_id)
       select "orderId", ?::uuid, side, quantity, "reducesOnly", owners, ?::text, "sendBefore", "acceptedAt",
         (received -> 'data' ->> 'tokenId')::uuid from asked),
     told as (
       insert into order_events (user_id, order_id, key, kind, at, message, data)
       select ?::uuid, "orderId", received ->> 'key', received ->> 'kind', (received ->> 'at')::timestamptz,
         received ->> 'message', received -> 'data' from asked)
     select id from placed`,
    [
      userId,
      request?.key ?? null,
      request?.hash ?? null,
      request?.key ?? null,
      toStorableJson(rows),
      request?.key ?? null,
      userId,
      userId,
      request?.key ?? null,
      userId,
    ],
    { plan: 'once', ...(limit !== undefined && { limit }) },
  )
  return stored.length === orders.length
}

export async function findKeyedRequest(
  em: EntityManager,
  userId: string,
  key: string,
): Promise<{ hash: string; orderIds: string[] } | null> {
  const [row] = await em.execute<{ hash: string; order_ids: string[] | null }[]>(
    `select r.request_hash as hash,
       (select json_agg(h.order_id order by o.symbol, h.order_id) from manual_orders h join orders o on o.id = h.order_id
        where h.user_id = r.user_id and h.request_key = r.key) as order_ids
     from idempotent_requests r where r.user_id = ? and r.key = ?`,
    [userId, key],
  )
  return row ? { hash: row.hash, orderIds: row.order_ids ?? [] } : null
}

export interface ManualOrderState {
  orderId: string
  symbol: string
  brokerOrderId: string | null
  status: OrderStatus
  /** Why no order was placed: a code of `domain/denial.ts`, and words. */
  denialCode: string | null
  reason: string | null
  advisories: { code: string; message: string }[]
  sendBefore: Date
}

interface ManualOrderRow {
  id: string
  symbol: string
  broker_order_id: string | null
  status: OrderStatus
  denial_code: string | null
  reason: string | null
  advisories: { code: string; message: string }[] | null
  send_before: StoredInstant
}

export async function findManualOrders(
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<ManualOrderState[]> {
  if (ids.length === 0) return []
  const rows = await em.execute<ManualOrderRow[]>(
    `select o.id, o.symbol, o.broker_order_id, o.status, h.denial_code, o.reason, h.send_before,
       h.decision -> 'advisories' as advisories
     from orders o join manual_orders h on h.order_id = o.id where o.user_id = ? and o.id in (?)`,
    [userId, ids],
  )
  const states = new Map(rows.map((row) => [row.id, stateOfRow(row)]))
  return ids.flatMap((id) => states.get(id) ?? [])
}

const stateOfRow = (row: ManualOrderRow): ManualOrderState => ({
  orderId: row.id,
  symbol: row.symbol,
  brokerOrderId: row.broker_order_id,
  status: row.status,
  denialCode: row.denial_code,
  reason: row.reason,
  advisories: row.advisories ?? [],
  sendBefore: new Date(row.send_before),
})

interface TermsRow {
  id: string
  user_id: string
  account_id: string
  symbol: string
  asked_side: AskedSide
  asked_quantity: Decimal
  order_type: OrderType
  limit_price: Decimal | null
  stop_price: Decimal | null
  time_in_force: TimeInForce
  extended_hours: boolean
  reduces_only: boolean
  owners: string[] | null
  created_at: StoredInstant
  send_before: StoredInstant
  workflow_started_at: StoredInstant | null
}

const TERMS = `select o.id, o.user_id, o.account_id, o.symbol, h.asked_side, h.asked_quantity::text, o.order_type,
    o.limit_price::text, o.stop_price::text, o.time_in_force, o.extended_hours, h.reduces_only, h.owners, h.created_at,
    h.send_before, h.workflow_started_at
  from manual_orders h join orders o on o.id = h.order_id`

/** The same from whichever process starts the workflow. */
const termsOf = (row: TermsRow): ManualOrderTerms => ({
  orderId: row.id,
  userId: row.user_id,
  accountId: row.account_id,
  symbol: row.symbol,
  side: row.asked_side,
  quantity: decimal(row.asked_quantity),
  orderType: row.order_type,
  limitPrice: row.limit_price === null ? null : decimal(row.limit_price),
  stopPrice: row.stop_price === null ? null : decimal(row.stop_price),
  timeInForce: row.time_in_force,
  extendedHours: row.extended_hours,
  reducesOnly: row.reduces_only,
  ...(row.owners !== null && { owners: row.owners }),
  acceptedAt: instantOf(row.created_at),
  sendBefore: instantOf(row.send_before),
})

export async function findManualOrderTerms(
  em: EntityManager,
  userId: string,
  orderId: string,
): Promise<{ terms: ManualOrderTerms; isStarted: boolean } | null> {
  const [row] = await em.execute<TermsRow[]>(`${TERMS} where h.order_id = ? and h.user_id = ?`, [
    orderId,
    userId,
  ])
  return row ? { terms: termsOf(row), isStarted: row.workflow_started_at !== null } : null
}

/** Prevents removal of orders that an answer names; false when they were removed. */
export async function keepOrdersTold(em: EntityManager, orderIds: readonly string[]): Promise<boolean> {
  const kept = await queryRows(
    em,
    'update manual_orders set told_at = now() where order_id in (?) returning order_id',
    [orderIds],
  )
  return kept.length === orderIds.length
}

/** For orders whose storing was answered as failed, with the key of their request. */
export async function removeUnstartedManualOrders(
  em: EntityManager,
  orderIds: readonly string[],
): Promise<void> {
  await em.fork().transactional(async (inner) => {
    const keys = await inner.execute<{ user_id: string; request_key: string | null }[]>(
      `delete from manual_orders where order_id in (?) and workflow_started_at is null and told_at is null
       returning user_id, request_key`,
      [orderIds],
    )
    await inner.execute(
      `delete from orders o where o.id in (?) and o.role = 'manual'
         and not exists (select from manual_orders m where m.order_id = o.id)`,
      [orderIds],
    )
    for (const { user_id, request_key } of keys)
      if (request_key !== null)
        await inner.execute('delete from idempotent_requests where user_id = ? and key = ?', [
          user_id,
          request_key,
        ])
  })
}
