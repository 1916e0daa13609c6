import type { AlertNotice } from '#domain/alert.ts'
import { compare, type Decimal } from '#domain/decimal.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order.ts'

/** Of an order whose end nobody follows any more. `counted`: its filled shares that the end of its signal has counted. */
export function noticeOfLateFill(
  { clientOrderId, filledQuantity, symbol, side }: OrderReport,
  counted: Decimal,
): AlertNotice | null {
  if (compare(filledQuantity, counted) <= 0) return null
  const fill = `${side} ${filledQuantity} ${symbol} in all`
  const role = parseClientOrderId(clientOrderId)?.role
  const message = {
    entry: `The broker reported a fill of the entry after the signal had ended (${fill}, ${counted} of it known by then); no exit follows`,
    exit: `The broker reported a fill of the exit after the signal had ended (${fill})`,
    manual: `The broker reported a fill of a manual order after the order had ended (${fill})`,
  }[role ?? 'manual']
  return { kind: 'fill_after_end', message, data: { clientOrderId, filledQuantity } }
}
