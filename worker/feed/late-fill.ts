import type { AlertNotice } from '#domain/alert.ts'
import { compare, type Decimal } from '#domain/decimal.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order.ts'

/** Of an order whose end nobody follows any more. `counted`: its filled shares that the end of its signal has counted. */
export function noticeOfLateFill(
  { clientOrderId, filledQuantity, symbol, side }: OrderReport,
  { counted, isByHand }: { counted: Decimal; isByHand: boolean },
): AlertNotice | null {
  if (compare(filledQuantity, counted) <= 0) return null
  const fill = `${side} ${filledQuantity} ${symbol} in all`
  const isExit = parseClientOrderId(clientOrderId)?.role === 'exit'
  const message = isByHand
    ? `The broker reported a fill of a manual order after the order had ended (${fill})`
    : isExit
      ? `The broker reported a fill of the exit after the signal had ended (${fill})`
      : `The broker reported a fill of the entry after the signal had ended (${fill}, ${counted} of it known by then); no exit follows`
  return { kind: 'fill_after_end', message, data: { clientOrderId, filledQuantity } }
}
