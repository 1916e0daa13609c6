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

/** What an order does to the owners of shares. */
export function originOf({ role, signal_id: signalId, action, takes }: OriginRow): ShareOrigin {
  if (role === 'manual') return { role: 'person', takes: takes ?? [] }
  if (signalId === null || role === null) return { role: 'stranger' }
  if (role === 'entry' && action !== null && !isOpening(action)) return { role: 'close', takes: takes ?? [] }
  return { role, signalId }
}
