import { allHandlersFinished, condition } from '@temporalio/workflow'
import { isZero } from '#domain/decimal.ts'
import type { OrderReport } from '#domain/order.ts'
import type { RecordClosedInput } from '#activities/contract.ts'
import type { SignalInput, SignalOutcome } from './contract.ts'
import { enter } from './entry.ts'
import { leave } from './exit.ts'
import { answerMessages } from './messages.ts'
import { SignalRun } from './signal-run.ts'
import { step } from './steps.ts'
import { untilEnded } from './waits.ts'
import { workflowNow } from './workflow-time.ts'

/** The life of one trading signal: its entry order, that order's end, and the exit that follows. */
export async function signalWorkflow({ terms }: SignalInput): Promise<SignalOutcome> {
  const run = new SignalRun(terms)
  answerMessages(run)

  const entry = await enter(run)
  if (!entry) return end(run)

  run.waitFor('the entry order to end')
  const ended = await untilEnded(run, entry.clientOrderId)
  if (!terms.exit || isZero(ended.filledQuantity)) {
    await close(run, { ...endOfEntry(ended, terms.exit !== null), settles: ended.clientOrderId })
    return end(run, ended)
  }

  const exit = await leave(run, ended, terms.exit)
  await close(run, {
    message: exit.message,
    settles: exit.settles,
    exit: { status: exit.status, reason: exit.reason },
    rejected: false,
  })
  return end(run, run.report(ended.clientOrderId), exit.filledQuantity)
}

async function close(run: SignalRun, how: Omit<RecordClosedInput, 'signalId' | 'at'>): Promise<void> {
  await step('recordClosed', 'Record the end', { signalId: run.terms.signalId, at: workflowNow(), ...how })
  if (how.rejected) run.become('rejected', { reason: 'BROKER_ERROR', detail: how.message })
}

/** How a signal ends with its entry order, that is without an exit order. */
function endOfEntry(
  entry: OrderReport,
  exitAsked: boolean,
): Omit<RecordClosedInput, 'signalId' | 'at' | 'settles'> {
  const nothing = isZero(entry.filledQuantity)
  const rejected = nothing && entry.status === 'REJECTED'
  const message = nothing
    ? `The entry order ended ${entry.status} without a fill${entry.reason ? ` (${entry.reason})` : ''}`
    : `The entry is filled: ${entry.filledQuantity} at ${entry.avgFillPrice}`
  return {
    message,
    exit: exitAsked ? { status: 'cancelled', reason: 'ENTRY_NOT_FILLED' } : null,
    rejected,
  }
}

async function end(run: SignalRun, entry?: OrderReport, exitFilled = '0'): Promise<SignalOutcome> {
  run.waitFor(null)
  await condition(allHandlersFinished)
  return run.outcome(entry?.filledQuantity ?? '0', exitFilled)
}
