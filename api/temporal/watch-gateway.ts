import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { ResumeState } from '#workflows/signal/contract.ts'
import type { OrderResumeState } from '#workflows/manual-order/contract.ts'

/** A workflow that runs, as far as its progress is concerned. */
export interface RunningWorkflow {
  /** How often in a row its code has failed on what it is to do next; 0 when it goes on. */
  taskFailures: number
  /** A step that is being repeated, and why; null when none is. */
  failingStep: { name: string; failure: string } | null
}

/** A signal or a manual order whose workflow is started again, with what the ledger knows of it. */
export type Rebuilt =
  | { terms: SignalTerms; resumeState: ResumeState | null }
  | { orderTerms: ManualOrderTerms; resumeState: OrderResumeState | null }

/**
 * What the watch asks of the workflow engine. Every call is bounded by `milliseconds` and throws GatewayUnavailable
 * when no answer came in time.
 */
export interface WatchGateway {
  /** How a workflow stands; null when none runs under this id. */
  inspect(workflowId: string, milliseconds: number): Promise<RunningWorkflow | null>
  /** Of these runs those that run, by their ids, and how often in a row their code has failed. */
  inspectRuns(
    runIds: readonly string[],
    milliseconds: number,
  ): Promise<Map<string, { workflowId: string; taskFailures: number }>>
  /** How many workflows of signals and orders run that were started before an instant. May lag behind for seconds. */
  countRunning(startedBefore: string, milliseconds: number): Promise<number>
  /** Of these workflows those that run; a thousand at most. May lag behind for seconds. */
  runningOf(workflowIds: readonly string[], milliseconds: number): Promise<ReadonlySet<string>>
  /**
   * The workflows of signals and orders that run: their ids, and the accounts that they are of. May lag behind for seconds.
   * Each page has so many milliseconds: a thousand workflows take some tenths of a second.
   */
  listRunning(milliseconds: number): Promise<Map<string, string | null>>
  /**
   * Starts a workflow again that is missing. Returns false when it runs: another process was faster. With `replaces` it
   * takes the place of the run that knows other than the ledger.
   */
  restart(rebuilt: Rebuilt, milliseconds: number, replaces?: boolean): Promise<boolean>
}
