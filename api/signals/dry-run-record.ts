import type { OrderRequest } from '#domain/order.ts'
import type { SessionState } from '#domain/prospect.ts'
import { toJsonNumber } from '../http/presentation.ts'
import type { DryRunAnswer } from '#contract/signals/dry-run-answers.ts'
import type { DryRun } from './dry-run-commands.ts'

export function presentDryRun(run: DryRun, requestId: string): DryRunAnswer {
  const advisories = run.advisories.length > 0 && { advisories: run.advisories }
  return {
    success: true,
    message: `Nothing was stored or sent. ${outcomeOf(run)}`,
    dryRun: {
      outcome: run.prospect.outcome,
      code: run.prospect.outcome === 'denied' ? run.prospect.code : null,
      signalId: run.prospect.outcome === 'existing' ? run.prospect.signalId : null,
      order: run.order && presentOrder(run.order),
      follows: run.follows && {
        side: run.follows.side,
        quantity: toJsonNumber(run.follows.quantity),
        limitPrice: toJsonNumber(run.follows.limitPrice),
        stopPrice: toJsonNumber(run.follows.stopPrice),
      },
      scheduledAt: run.scheduledAt,
      session: presentSession(run.session),
      exitAt: run.exit?.submitAt ?? null,
      exitReason: run.exit?.reason ?? null,
      waitsFor: run.waitsFor,
      verdicts: run.verdicts,
    },
    ...advisories,
    requestId,
  }
}

function outcomeOf({ prospect, waitsFor, scheduledAt }: DryRun): string {
  if (prospect.outcome === 'denied') return `The order would not be sent: ${prospect.detail}`
  if (prospect.outcome === 'held')
    return `The signal would wait for a person to approve it: ${prospect.detail}`
  if (prospect.outcome === 'waits') return `The order would not be sent yet: ${prospect.detail}`
  if (prospect.outcome === 'nothing') return `No order would be sent: ${prospect.detail}`
  if (prospect.outcome === 'existing')
    return `The signal ${prospect.signalId} holds the sourceId and would be answered: no order would be sent`
  const at = scheduledAt === null ? '' : ` at ${scheduledAt}`
  if (waitsFor.length > 0)
    return `The order would be sent${at} after ${waitsFor.length} earlier signals have made way`
  return `The order would be sent${at}`
}

const presentOrder = (order: OrderRequest): DryRunAnswer['dryRun']['order'] => ({
  ...order,
  quantity: toJsonNumber(order.quantity),
  limitPrice: toJsonNumber(order.limitPrice),
  stopPrice: toJsonNumber(order.stopPrice),
})

const presentSession = ({
  isOpen,
  nextOpen,
  nextClose,
}: SessionState): DryRunAnswer['dryRun']['session'] => ({
  isOpen,
  nextOpen,
  nextClose,
})
