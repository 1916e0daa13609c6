import { add, negate } from '#domain/decimal.ts'
import { costOf, signedQuantity } from '#domain/order-cost.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import type { DryRun } from '../signals/dry-run-commands.ts'
import { presentDryRun } from '../signals/dry-run-record.ts'
import type { OrderDryRunAnswer } from '#contract/orders/answers.ts'

export function presentOrderDryRun(run: DryRun, requestId: string): OrderDryRunAnswer {
  const { order, buyingPower, orderCosts, position, quote } = run
  const held =
    position === null ? '0' : position.side === 'LONG' ? position.quantity : negate(position.quantity)
  return {
    ...presentDryRun(run, requestId),
    cost: toJsonNumber(costOf(order, quote, orderCosts)),
    buyingPower: toJsonNumber(buyingPower),
    position: {
      before: toJsonNumber(held),
      after: toJsonNumber(order && add(held, signedQuantity(order))),
    },
    checkedAt: toIsoInstant(new Date()),
  }
}
