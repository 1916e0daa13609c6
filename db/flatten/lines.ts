import { decimal, type Decimal } from '#domain/money/decimal.ts'
import type { ClosingOrder, FlattenLineStatus } from '#domain/position/flatten.ts'
import type { OrderStatus } from '#domain/order/order.ts'
import { asArray, instantOf, type StoredInstant } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { insertOrderByHand, orderByHandId, type NewOrderByHand } from '../order/by-hand.ts'

export interface FlattenLine {
  accountId: string
  symbol: string
  side: 'LONG' | 'SHORT'
  quantity: Decimal
  status: FlattenLineStatus
  orderId: string | null
  detail: string | null
  tries: number
  order: ClosingOrder | null
}

interface Row extends Omit<FlattenLine, 'order' | 'quantity'> {
  flattenId: string
  quantity: string
  order_status: OrderStatus | null
  signal_id: string
  client_order_id: string
  is_placed: boolean
  is_whole: boolean
  code: string | null
  reason: string | null
  changed_at: StoredInstant | null
}

export async function readLines(
  em: EntityManager,
  flattenIds: readonly string[],
): Promise<(FlattenLine & { flattenId: string })[]> {
  if (flattenIds.length === 0) return []
  const rows = await queryRows<Row>(
    em,
    `select l.flatten_id as "flattenId", l.account_id as "accountId", l.symbol, l.side, l.quantity::text, l.status,
       l.order_id as "orderId", l.detail, l.tries, o.status as order_status, o.signal_id, o.client_order_id,
       o.broker_order_id is not null as is_placed, o.quantity >= h.quantity as is_whole, h.status_reason as code, o.reason, coalesce(o.ended_at, o.filled_at, o.updated_at) as changed_at
     from flatten_lines l left join orders o on o.id = l.order_id left join signals h on h.id = o.signal_id
     where l.flatten_id = any(?::uuid[]) order by l.account_id, l.symbol`,
    [asArray(flattenIds)],
  )
  return rows.map(
    ({
      quantity,
      order_status: status,
      signal_id,
      client_order_id,
      is_placed,
      is_whole,
      code,
      reason,
      changed_at,
      ...row
    }) => ({
      ...row,
      quantity: decimal(quantity),
      order:
        status === null
          ? null
          : {
              signalId: signal_id,
              clientOrderId: client_order_id,
              status,
              isPlaced: is_placed,
              isWhole: is_whole,
              code,
              reason,
              changedAt: instantOf(changed_at!),
            },
    }),
  )
}

export interface NotedLine extends Pick<FlattenLine, 'accountId' | 'symbol' | 'side' | 'status' | 'detail'> {
  held: Decimal
}

export async function noteLine(
  em: EntityManager,
  { id, userId }: { id: string; userId: string },
  { accountId, symbol, side, held, status, detail }: NotedLine,
): Promise<void> {
  await em.execute(
    `insert into flatten_lines as l (flatten_id, account_id, symbol, user_id, side, quantity, status, detail)
     values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (flatten_id, account_id, symbol) do update set side = excluded.side, status = excluded.status,
       detail = excluded.detail, updated_at = now()
       where (l.side, l.status, l.detail) is distinct from (excluded.side, excluded.status, excluded.detail)`,
    [id, accountId, symbol, userId, side, held, status, detail],
  )
}

export async function noteClosed(
  em: EntityManager,
  id: string,
  { accountId, symbol }: Pick<FlattenLine, 'accountId' | 'symbol'>,
): Promise<void> {
  await em.execute(
    `update flatten_lines set status = 'closed', detail = null, updated_at = now()
     where flatten_id = ? and account_id = ? and symbol = ? and status <> 'closed'`,
    [id, accountId, symbol],
  )
}

/** Stores once for each number of tries; false after another round. */
export async function storeClosingOrder(
  em: EntityManager,
  id: string,
  line: Pick<FlattenLine, 'accountId' | 'symbol' | 'tries'>,
  order: NewOrderByHand,
): Promise<boolean> {
  const { accountId, symbol, tries } = line
  return em.fork().transactional(async (inner) => {
    const taken = await inner.execute<unknown[]>(
      `update flatten_lines set tries = tries + 1, status = 'closing', updated_at = now()
       where flatten_id = ? and account_id = ? and symbol = ? and tries = ? returning symbol`,
      [id, accountId, symbol, tries],
    )
    if (taken.length === 0) return false
    const key = `flatten-${id}-${accountId}-${symbol}-${tries + 1}`
    if (!(await insertOrderByHand(inner, order, { key, hash: key }))) return false
    await inner.execute(
      'update flatten_lines set order_id = ? where flatten_id = ? and account_id = ? and symbol = ?',
      [orderByHandId(order.terms.signalId), id, accountId, symbol],
    )
    return true
  })
}
