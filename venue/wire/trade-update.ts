import { randomUUID } from 'node:crypto'
import type { OrderEvent } from '../exchange/order-event.ts'
import { instantText, presentOrder } from './order.ts'

export function presentTradeUpdate(event: OrderEvent) {
  const at = instantText(event.at)
  return {
    stream: 'trade_updates',
    data: {
      event: event.kind,
      event_id: randomUUID(),
      at,
      timestamp: at,
      order: presentOrder(event.order),
      execution_id: event.fill?.id ?? randomUUID(),
      ...(event.fill && {
        price: event.fill.price,
        qty: event.fill.qty,
        position_qty: event.fill.positionQty,
      }),
    },
  }
}
