import { FRACTION_PLACES } from '#domain/broker-rules.ts'
import { decimalPlaces, divideDown, isZero, multiply, smaller, type Decimal } from '#domain/decimal.ts'
import { NO_CONDUCT, type OrderConduct } from '../ledger/orders.ts'
import type { FaultTarget } from '../faults/rule.ts'
import type { FaultScript } from '../faults/script.ts'

/** By the fault script; `qty` is null for an order in dollars, which is never split. */
export function conductOf(
  faults: FaultScript,
  target: FaultTarget,
  qty: Decimal | null,
  now: number,
): OrderConduct {
  if (faults.isEmpty) return NO_CONDUCT
  const lag = faults.drawConduct(['lag'], target)
  const delay = faults.drawConduct(['delay'], target)
  const partial = qty === null ? null : faults.drawConduct(['partial'], target)
  const reject = faults.drawConduct(['reject'], target)
  return {
    ...NO_CONDUCT,
    lookupFrom: lag && now + lag.lagMs,
    fillableFrom: delay && now + delay.delayMs,
    firstFillQty: partial && partOf(qty!, partial.fraction),
    heldUntil: partial?.holdMs === undefined ? null : now + partial.holdMs,
    rejectAt: reject && now + reject.delayMs,
    rejectReason: reject && reject.reason,
  }
}

/** Whole shares of a whole quantity, and at least one. */
function partOf(qty: Decimal, fraction: number): Decimal {
  const part = divideDown(multiply(qty, `${fraction}`), '1', decimalPlaces(qty) === 0 ? 0 : FRACTION_PLACES)
  return isZero(part) ? smaller('1', qty) : part
}
