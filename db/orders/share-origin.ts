import type { OwnedShares, ShareOrigin } from '#domain/ownership.ts'
import type { OrderRole } from '#domain/order.ts'
import { isOpening, type Action } from '#domain/signal.ts'

/** What the ledger knows of an order that was executed; all null for an order that was not placed here. */
export interface OriginRow {
  role: OrderRole | 'manual' | null
  signal_id: string | null
  /** Of its signal. */
  action: Action | null
  /** The shares that were allotted to it when it was decided. */
  takes: OwnedShares[] | null
}

/** What decided on an order `o`: its signal `s`, or the request `h` of a person. */
export const DECIDED_BY = `left join signals s on s.id = o.signal_id
    left join manual_orders h on h.order_id = o.id`

/** The shares that were allotted to an order when it was decided. */
export const TAKES = `coalesce(s.decisions -> 'entry' -> 'takes', h.decision -> 'takes')`

/** What an execution `x` does to the owners of shares, with {@link orderOf}: the columns of {@link OriginRow}. */
export const ORIGIN = `o.role, o.signal_id, s.action, ${TAKES} as takes`

/**
 * The order `o` of ours that an execution `x` belongs to, by whichever id it has had at its broker, and what decided on it. Trades
 * and decisions read it so, whether or not the order is noted with the execution already.
 *
 * @param account expression of the account's id
 */
export const orderOf = (account: string): string => `left join order_broker_ids b
      on b.account_id = ${account} and b.broker_order_id = x.broker_order_id
    left join orders o on o.id = b.order_id
    ${DECIDED_BY}`

/**
 * How much of its order had filled by an execution `x`, with {@link orderOf}. A broker counts that anew for an order that
 * replaces another one; the shares that were set apart for the order are taken in one go. Texts in the order of `byExecution`.
 */
export const FILLED_THROUGH = `(case when exists (
      select from order_broker_ids r where r.order_id = o.id and r.broker_order_id <> o.broker_order_id)
    then x.quantity + (select coalesce(sum(g.quantity), 0) from order_broker_ids r
      join fills g using (account_id, broker_order_id) where r.order_id = o.id
      and (g.at, g.broker_order_id collate "C", g.order_filled, g.execution_id collate "C")
        < (x.at, x.broker_order_id collate "C", x.order_filled, x.execution_id collate "C"))
    else x.order_filled end)::text`

/** What an order does to the owners of shares. */
export function originOf({ role, signal_id: signalId, action, takes }: OriginRow): ShareOrigin {
  if (role === 'manual') return { role: 'person', takes: takes ?? [] }
  if (signalId === null || role === null) return { role: 'stranger' }
  if (role === 'entry' && action !== null && !isOpening(action)) return { role: 'close', takes: takes ?? [] }
  return { role, signalId }
}
