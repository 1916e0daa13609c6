import { add, isZero, negate, subtract } from '#domain/money/decimal.ts'
import { instantWithOffset } from '#domain/time/wall-time.ts'
import type { Activity, Fill } from '../ledger/executions.ts'
import type { VenueOrder } from '../ledger/orders.ts'
import { instantText } from './order.ts'

/** Zone of Alpaca's activity ids. */
const ZONE = 'America/New_York'
const FEE_MARK = 'fee-'

/** A fee is a commission (COM) of one execution. `fills`: of the order, oldest first; `day`: of the trade. */
export function presentActivity(
  { kind, fill }: Activity,
  order: VenueOrder,
  fills: readonly Fill[],
  day: string,
) {
  if (kind === 'FEE') {
    return {
      id: activityId(fill, FEE_MARK),
      activity_type: 'FEE',
      activity_sub_type: 'COM',
      date: day,
      created_at: instantText(fill.at),
      net_amount: negate(fill.fee),
      description: 'Commission',
      execution_id: fill.id,
      currency: 'USD',
      status: 'executed',
    }
  }
  const until = fills.slice(0, fills.findIndex(({ id }) => id === fill.id) + 1)
  const filled = until.map(({ qty }) => qty).reduce(add, '0')
  const left = order.qty === null ? '0' : subtract(order.qty, filled)
  return {
    id: activityId(fill, ''),
    activity_type: 'FILL',
    transaction_time: instantText(fill.at),
    type: isZero(left) ? 'fill' : 'partial_fill',
    price: fill.price,
    qty: fill.qty,
    side: fill.side,
    symbol: fill.symbol,
    leaves_qty: left,
    order_id: order.id,
    cum_qty: filled,
    order_status: isZero(left) ? 'filled' : 'partially_filled',
  }
}

/** New York's clock in milliseconds, and the execution: "20260302100000000::<id>". */
const activityId = (fill: Fill, mark: string): string =>
  `${instantWithOffset(instantText(fill.at), ZONE).slice(0, 23).replaceAll(/\D/g, '')}::${mark}${fill.id}`

/** Null for an id of another form. */
export function parseActivityId(id: string): { kind: Activity['kind']; fillId: string } | null {
  const [, name] = /^\d{17}::(.+)$/.exec(id) ?? []
  if (name === undefined) return null
  return name.startsWith(FEE_MARK)
    ? { kind: 'FEE', fillId: name.slice(FEE_MARK.length) }
    : { kind: 'FILL', fillId: name }
}
