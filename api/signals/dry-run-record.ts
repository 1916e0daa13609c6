import type { BrokerClock } from '#brokers/port.ts'
import type { OrderRequest } from '#domain/order.ts'
import { toJsonNumber } from '../http/presentation.ts'
import type { DryRunAnswer } from './answers.ts'
import type { DryRun } from './dry-run-commands.ts'

/** The body of the answer to POST /signals with dryRun. */
export function presentDryRun(run: DryRun, requestId: string): DryRunAnswer {
  const advisories = run.advisories.length > 0 && { advisories: run.advisories }
  return {
    success: true,
    message: `Nothing was stored or sent. ${outcomeOf(run)}`,
    dryRun: {
      outcome: run.decision.outcome,
      order: run.order && presentOrder(run.order),
      session: presentSession(run.clock),
      exitAt: run.exit?.submitAt ?? null,
      exitReason: run.exit?.reason ?? null,
      waitsFor: run.waitsFor,
      verdicts: run.verdicts,
    },
    ...advisories,
    requestId,
  }
}

function outcomeOf({ decision, waitsFor }: DryRun): string {
  if (decision.outcome === 'denied')
    return `The order would not be sent (${decision.code}): ${decision.detail}`
  if (waitsFor.length > 0)
    return `The order would be sent after ${waitsFor.length} earlier signals have made way`
  return 'The order would be sent'
}

const presentOrder = (order: OrderRequest): DryRunAnswer['dryRun']['order'] => ({
  ...order,
  quantity: toJsonNumber(order.quantity),
  limitPrice: toJsonNumber(order.limitPrice),
  stopPrice: toJsonNumber(order.stopPrice),
})

const presentSession = ({ isOpen, nextOpen, nextClose }: BrokerClock): DryRunAnswer['dryRun']['session'] => ({
  isOpen,
  nextOpen,
  nextClose,
})
