import type { OwnedShares, ShareOrigin } from '#domain/position/ownership.ts'
import type { LedgerRole } from '#domain/signal/by-hand.ts'
import { isOpening, type Action } from '#domain/signal/signal.ts'

/** Null fields: an order not placed here. */
export interface OriginRow {
  role: LedgerRole | null
  signal_id: string | null
  action: Action | null
  reservedLots: OwnedShares[] | null
}

export const DECIDED_BY = `left join signals s on s.id = o.signal_id`

/** SQL: shares allotted by an order's decision. */
export const RESERVED_LOTS = `s.decisions -> 'entry' -> 'reservedLots'`

/** SQL: signal that owns the shares; null for an order by hand. */
export const OWNING_SIGNAL = `case when o.role <> 'manual' then o.signal_id end`

export const ORIGIN = `o.role, ${OWNING_SIGNAL} as signal_id, s.action, ${RESERVED_LOTS} as "reservedLots"`

/** SQL: order `o` of execution `x`, by any broker id. `account`: expression. */
export const orderOf = (account: string): string => `left join order_broker_ids b
      on b.account_id = ${account} and b.broker_order_id = x.broker_order_id
    left join orders o on o.id = b.order_id
    ${DECIDED_BY}`

/** SQL, with {@link orderOf}: the order's fill up to `x`, across replacements. Sorted as `byExecution`. */
export const FILLED_THROUGH = `(case when exists (
      select from order_broker_ids r where r.order_id = o.id and r.broker_order_id <> o.broker_order_id)
    then x.quantity + (select coalesce(sum(g.quantity), 0) from order_broker_ids r
      join fills g using (account_id, broker_order_id) where r.order_id = o.id
      and (g.at, g.broker_order_id collate "C", g.order_filled, g.execution_id collate "C")
        < (x.at, x.broker_order_id collate "C", x.order_filled, x.execution_id collate "C"))
    else x.order_filled end)::text`

export function originOf({ role, signal_id: signalId, action, reservedLots }: OriginRow): ShareOrigin {
  if (role === 'manual') return { role: 'person', reservedLots: reservedLots ?? [] }
  if (signalId === null || role === null) return { role: 'stranger' }
  if (role === 'entry' && action !== null && !isOpening(action))
    return { role: 'close', reservedLots: reservedLots ?? [] }
  return { role, signalId }
}
