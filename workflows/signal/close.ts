import type { Decimal } from '#domain/money/decimal.ts'
import { exitAtEnd } from '#domain/exit/progress.ts'
import type { ExitStatus } from '#domain/exit/exit.ts'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** Ends a signal: later messages are too late. */
export async function close(
  run: SignalRun,
  how: {
    message: string
    rejected: boolean
    unprotected: Decimal | null
    exit: { status: ExitStatus; reason: string | null } | null
    isCrossed?: true
  },
): Promise<void> {
  run.phase = 'ended'
  run.mayGoOn = false
  run.closings += 1
  if (how.rejected) run.become('rejected', { reason: 'BROKER_ERROR', detail: how.message })
  await step('recordClosed', 'Record the end', {
    signalId: run.terms.signalId,
    at: workflowNow(),
    acknowledges: run.endedOrders,
    ...how,
    exit: how.exit && { ...how.exit, generation: run.exit.generation },
    closing: run.closings,
    entryFilled: run.outcome.entryFilled,
    progress: exitAtEnd(run.exit),
    hasLevels: run.terms.protection !== undefined || run.exit.levelsSince !== undefined,
  })
}
