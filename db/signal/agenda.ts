import type { Decimal } from '#domain/money/decimal.ts'
import type { OrderSide } from '#domain/order/order.ts'
import type { Action, QuantityType } from '#domain/signal/signal.ts'
import type { EntityManager } from '../engine/database.ts'
import type { Filter } from '../engine/filter.ts'
import { closedQuantitySql, exitIsAheadSql } from './story.ts'
import { sliceOfRows, type ListOrder, type Page, type Slice } from '../engine/page.ts'
import type { AgendaKind } from '#domain/signal/list-choices.ts'

export interface AgendaItem {
  kind: AgendaKind
  at: Date
  signalId: string | null
  orderId: string | null
  accountId: string
  symbol: string
  action: Action | null
  side: OrderSide | null
  /** Shares to close or to fill; for an entry in its quantityType. */
  quantity: Decimal
  quantityType: QuantityType
}

export type AgendaFilter = Filter<{ accountId: string; symbol: string }>

export const AGENDA_ORDER: ListOrder = {
  columns: [
    { name: 'at', type: 'timestamptz' },
    { name: 'rank', type: 'bigint' },
    { name: 'id', type: 'uuid' },
  ],
  direction: 'asc',
}

const PARTS = [
  `select id, 0::bigint as rank, 'exit' as kind, coalesce(exit_due_at, exit_submit_at) as at, id as signal_id,
     null::uuid as order_id, user_id, account_id, symbol, action, null::text as side,
     filled_quantity - closed as quantity, 'fixed' as quantity_type
   from signals, lateral (select ${closedQuantitySql('signals')} as closed) known
   where exit_status = 'scheduled' and coalesce(exit_due_at, exit_submit_at) is not null
     and ${exitIsAheadSql('signals', 'closed')}`,
  `select id, 1, 'schedule', scheduled_at, id, null, user_id, account_id, symbol, action, null, quantity, quantity_type
   from signals where status = 'scheduled' and scheduled_at is not null`,
  `select id, 2, 'expiry', valid_until, id, null, user_id, account_id, symbol, action, null, quantity, quantity_type
   from signals where status = 'pending' and valid_until is not null`,
  `select id, 3, 'orderExpiry', expires_at, signal_id, id, user_id, account_id, symbol, null, side,
     quantity - filled_quantity, 'fixed'
   from orders where status in ('PENDING', 'OPEN', 'PARTIALLY_FILLED') and expires_at is not null`,
].map((part) => `${part} and user_id = ?`)

interface AgendaRow extends Omit<AgendaItem, 'at'> {
  at: string | Date
}

export async function listAgenda(
  em: EntityManager,
  userId: string,
  { accountId, symbol }: AgendaFilter,
  page: Page,
): Promise<Slice<AgendaItem>> {
  const conditions = [accountId && 'account_id = ?', symbol && 'symbol = ?'].filter(Boolean)
  const list = {
    sql: `select id, rank, kind, at, signal_id as "signalId", order_id as "orderId", account_id as "accountId", symbol,
        action, side, quantity::text as quantity, quantity_type as "quantityType"
      from (${PARTS.join(' union all ')}) due ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}`,
    parameters: [...PARTS.map(() => userId), ...[accountId, symbol].filter((value) => value !== undefined)],
  }
  const slice = await sliceOfRows<AgendaRow>(em, list, AGENDA_ORDER, page)
  return { ...slice, items: slice.items.map((row) => ({ ...row, at: new Date(row.at) })) }
}
