import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { ResumeState } from '#workflows/signal/contract.ts'
import type { OrderResumeState } from '#workflows/manual-order/contract.ts'

export interface RunningWorkflow {
  /** Failures of its code in a row; 0 when it goes on. */
  taskFailures: number
  failingStep: { name: string; failure: string } | null
}

export type Rebuilt =
  | { terms: SignalTerms; resumeState: ResumeState | null }
  | { orderTerms: ManualOrderTerms; resumeState: OrderResumeState | null }

/** Calls throw GatewayUnavailable when no answer came in time. Lists and counts may lag behind for seconds. */
export interface WatchGateway {
  /** Null when none runs under this id. */
  inspect(workflowId: string, milliseconds: number): Promise<RunningWorkflow | null>
  /** By run id, those that run. */
  inspectRuns(
    runIds: readonly string[],
    milliseconds: number,
  ): Promise<Map<string, { workflowId: string; taskFailures: number }>>
  countRunning(startedBefore: string, milliseconds: number): Promise<number>
  /** At most a thousand. */
  runningOf(workflowIds: readonly string[], milliseconds: number): Promise<ReadonlySet<string>>
  /** By workflow id, its account, of signals and orders. `milliseconds` for each page: a thousand workflows
   * take some tenths of a second. */
  listRunning(milliseconds: number): Promise<Map<string, string | null>>
  /** False when it runs: another process was faster. With `replaces` it takes the place of a run that knows
   * other than the ledger. */
  restart(rebuilt: Rebuilt, milliseconds: number, replaces?: boolean): Promise<boolean>
}
