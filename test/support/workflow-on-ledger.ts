import { ApplicationFailure } from '@temporalio/common'
import type { Activities } from '#activities/contract.ts'
import type { SignalInput, SignalOutcome } from '#workflows/signal/contract.ts'
import type { loadBareWorkflow } from './bare-signal-workflow.ts'
import { askedSteps, settle, startAfresh, type AskedStep } from './bare-workflow.ts'

/** Runs the code of the signal workflow without a server, its steps done by real activities, one run at a time. */
export class WorkflowOnLedger {
  readonly #workflow: Awaited<ReturnType<typeof loadBareWorkflow>>
  readonly #activities: Activities
  /** Null while it runs. */
  outcome: SignalOutcome | null = null
  #run: Promise<void> = Promise.resolve()
  #isBroken = false

  constructor(workflow: Awaited<ReturnType<typeof loadBareWorkflow>>, activities: Activities) {
    this.#workflow = workflow
    this.#activities = activities
  }

  /** Starts a run; the one before it is lost. */
  start(input: SignalInput): void {
    startAfresh()
    this.outcome = null
    this.#run = this.#workflow(input).then((ended) => void (this.outcome = ended))
    this.#run.catch(() => void (this.#isBroken = true))
  }

  /**
   * Does the steps that the run asks for, until it waits. Returns the step with this name, which is not done, or null when none
   * came. A step that fails as an ordinary activity is left to be tried again by the next call.
   */
  async work(until: keyof Activities | null = null): Promise<AskedStep | null> {
    const failed = new Set<AskedStep>()
    for (;;) {
      await settle()
      // Throws what the workflow has thrown.
      if (this.#isBroken) await this.#run
      const step = askedSteps().find((asked) => !failed.has(asked))
      if (!step) return null
      if (step.name === until) return step
      try {
        step.resolve(await this.#done(step))
      } catch (error) {
        if (!(error instanceof ApplicationFailure)) throw error
        if (step.onTheSpot) step.reject(error)
        else failed.add(step)
      }
    }
  }

  #done({ name, input }: AskedStep): Promise<unknown> {
    const activity = this.#activities[name as keyof Activities] as (of: unknown) => Promise<unknown>
    return activity(input)
  }
}
