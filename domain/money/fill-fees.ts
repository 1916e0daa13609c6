import {
  add,
  compare,
  divideDown,
  isZero,
  LEDGER_PLACES,
  multiply,
  subtract,
  type Decimal,
} from './decimal.ts'
import { byExecution, type Execution, type Fee, type FeeKind } from '../order/fill.ts'

const IS_LIABLE: Record<FeeKind, (fill: Execution) => boolean> = {
  sales: ({ side }) => side === 'SELL',
  trades: () => true,
  other: () => false,
}

/**
 * Dollars by execution id. A day's fee is divided exactly, by worth, among liable fills; without any it stays
 * unassigned.
 */
export function feesOfDay(fills: readonly Execution[], fees: readonly Fee[]): Map<string, Decimal> {
  const charged = new Map<string, Decimal>(fills.map(({ executionId }) => [executionId, '0']))
  const charge = (executionId: string, amount: Decimal): void => {
    charged.set(executionId, add(charged.get(executionId)!, amount))
  }
  const inOrder = fills.toSorted(byExecution)
  for (const { executionId, kind, amount } of fees) {
    if (executionId !== null) {
      if (charged.has(executionId)) charge(executionId, amount)
      continue
    }
    const liable = inOrder.filter(IS_LIABLE[kind])
    for (const [index, part] of shares(amount, liable.map(worth)).entries())
      charge(liable[index]!.executionId, part)
  }
  return charged
}

const worth = ({ quantity, price }: Execution): Decimal => multiply(quantity, price)

/** The parts add up exactly; none for zero weights. */
function shares(amount: Decimal, weights: readonly Decimal[]): Decimal[] {
  const whole = weights.reduce(add, '0')
  if (isZero(whole)) return []
  let weighed: Decimal = '0'
  let given: Decimal = '0'
  return weights.map((weight) => {
    weighed = add(weighed, weight)
    const due =
      compare(weighed, whole) === 0 ? amount : divideDown(multiply(amount, weighed), whole, LEDGER_PLACES)
    const part = subtract(due, given)
    given = due
    return part
  })
}
