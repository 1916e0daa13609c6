import { add } from '#domain/decimal.ts'
import { costOf, signedQuantity } from '#domain/order-cost.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import { presentDryRun } from '../signals/dry-run-record.ts'
import type { OrderDryRunAnswer } from './answers.ts'
import type { OrderDryRun } from './dry-run-commands.ts'

export function presentOrderDryRun({ run, held, market }: OrderDryRun, requestId: string): OrderDryRunAnswer {
  const { order, buyingPower, orderCosts } = run
  return {
    ...presentDryRun(run, requestId),
    cost: toJsonNumber(costOf(order, market, orderCosts)),
    buyingPower: toJsonNumber(buyingPower),
    position: {
      before: toJsonNumber(held),
      after: toJsonNumber(order && add(held, signedQuantity(order))),
    },
    checkedAt: toIsoInstant(new Date()),
  }
}
