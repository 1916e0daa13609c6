import { ApplicationFailure } from '@temporalio/common'
import type { Activities } from '#activities/contract.ts'
import type { WatchGateway, WorkflowToRun } from '#api/temporal/watch-gateway.ts'
import { workflowIdFor, type SignalTerms } from '#domain/signal/signal.ts'
import type { Announcer } from '#worker/feed/order-reconciler.ts'
import { loadBare, loadStage } from '#test/support/bare-signal-workflow.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'

/** The code of the workflows, bound to a stage of its own on which one of them lives at a time. */
interface BareWorkflows {
  signalWorkflow: typeof signalWorkflow
  stage: Awaited<ReturnType<typeof loadStage>>
}

/** A workflow that lives here. */
interface Role {
  on: BareWorkflows
  hasEnded: boolean
}

/** What Temporal does to a value between a workflow and its activities. */
const byWire = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T))

/**
 * Workflows that live side by side without a server, each on a stage of its own; what Temporal would be for the service:
 * it carries out their steps with the real activities, brings them messages, and can lose them.
 */
export class Troupe implements Announcer, Pick<WatchGateway, 'inspect' | 'runningOf'> {
  readonly #stages: readonly BareWorkflows[]
  readonly #roles = new Map<string, Role>()
  #activities: Activities | null = null
  /** What no workflow may throw. */
  #broken: Error | null = null

  private constructor(stages: readonly BareWorkflows[]) {
    this.#stages = stages
  }

  static async gather(size: number): Promise<Troupe> {
    const stages: BareWorkflows[] = []
    for (let copy = 1; copy <= size; copy += 1) {
      const name = String(copy).padStart(2, '0')
      const signal = await loadBare<Pick<BareWorkflows, 'signalWorkflow'>>('signal/workflow.ts', name)
      stages.push({ ...signal, stage: await loadStage(name) })
    }
    return new Troupe(stages)
  }

  /** Everything is forgotten; from now on steps are carried out by these activities. */
  begin(activities: Activities): void {
    this.#activities = activities
    this.#broken = null
    this.lose()
  }

  /** Temporal's data is lost: no workflow runs any more. */
  lose(): void {
    this.#roles.clear()
    for (const { stage } of this.#stages) stage.startAfresh()
  }

  start(terms: SignalTerms, how: { loads?: true } = {}): void {
    const input = byWire({ terms, ...how })
    this.#begin(workflowIdFor(terms.signalId), (on) => on.signalWorkflow(input))
  }

  isRunning(workflowId: string): boolean {
    return this.#roles.get(workflowId)?.hasEnded === false
  }

  /**
   * Sends a message; what refuses it is no fault.
   *
   * @param granted called when it is answered without a refusal, which may be later
   * @param refused called when it is refused, or when nobody hears it
   */
  async ask(
    workflowId: string,
    message: string,
    input: unknown,
    granted = (): void => {},
    refused = (): void => {},
  ): Promise<void> {
    const role = this.#roles.get(workflowId)
    if (!role || role.hasEnded) return refused()
    role.on.stage.send(message, byWire(input)).then(granted, (error: unknown) => {
      if (!(error instanceof ApplicationFailure)) this.#broken ??= error as Error
      refused()
    })
    await role.on.stage.settle()
  }

  /** When the next timer of any workflow rings, in milliseconds since the epoch; null when none is set. */
  nextTimer(): number | null {
    const timers = this.#running.flatMap(({ on }) => on.stage.nextTimer() ?? [])
    return timers.length === 0 ? null : Math.min(...timers)
  }

  /**
   * Carries out steps until none is left but those that have failed, which are tried again the next time.
   *
   * @param most steps at most
   * @param keepsBack the result of the last of them does not arrive
   */
  async work(most = Number.POSITIVE_INFINITY, keepsBack = false): Promise<number> {
    const failed = new Set<object>()
    let done = 0
    await this.settle()
    for (;;) {
      const role = this.#running.find(({ on }) => on.stage.askedSteps().some((step) => !failed.has(step)))
      if (!role || done >= most) return done
      const step = role.on.stage.askedSteps().find((one) => !failed.has(one))!
      done += 1
      let answer: { result: unknown } | { error: Error }
      try {
        const activity = this.#activities![step.name as keyof Activities] as (
          input: unknown,
        ) => Promise<unknown>
        answer = { result: byWire(await activity(byWire(step.input))) }
      } catch (error) {
        answer = { error: asFailure(error) }
      }
      if (keepsBack && done === most) return done
      if ('result' in answer) step.resolve(answer.result)
      else if (step.onTheSpot || step.isBrief) step.reject(answer.error)
      else failed.add(step)
      await this.settle()
    }
  }

  async settle(): Promise<void> {
    for (const { on } of this.#running) await on.stage.settle()
    if (this.#broken !== null) throw this.#broken
  }

  announce: Announcer['announce'] = async ({ signalId }, report) => {
    const id = workflowIdFor(signalId)
    if (!this.isRunning(id)) return false
    await this.ask(id, 'orderChanged', report)
    return true
  }

  ensureRunning: Announcer['ensureRunning'] = async ({ terms }) => {
    if (!this.isRunning(workflowIdFor(terms.signalId))) this.start(terms, { loads: true })
    await this.settle()
  }

  retryExit: Announcer['retryExit'] = (signalId) => this.ask(workflowIdFor(signalId), 'retryExit', undefined)

  inspect: WatchGateway['inspect'] = async (workflowId) =>
    this.isRunning(workflowId) ? { taskFailures: 0, failingStep: null } : null

  runningOf: WatchGateway['runningOf'] = async (ids) => new Set(ids.filter((id) => this.isRunning(id)))

  async run(workflow: WorkflowToRun, replaces = false): Promise<boolean> {
    if ('flattenId' in workflow) return false
    if (this.isRunning(workflowIdFor(workflow.terms.signalId)) && !replaces) return false
    this.start(workflow.terms, { loads: true })
    return true
  }

  get #running(): Role[] {
    return [...this.#roles.values()].filter(({ hasEnded }) => !hasEnded)
  }

  #begin(workflowId: string, live: (on: BareWorkflows) => Promise<unknown>): void {
    const taken = new Set(
      this.#running.filter((one) => one !== this.#roles.get(workflowId)).map(({ on }) => on),
    )
    const on = this.#stages.find((stage) => !taken.has(stage))
    if (!on) throw new Error('more workflows than stages')
    on.stage.startAfresh()
    const role: Role = { on, hasEnded: false }
    this.#roles.set(workflowId, role)
    live(on).then(
      () => void (role.hasEnded = true),
      (error: unknown) => void (this.#broken ??= error as Error),
    )
  }
}

const asFailure = (error: unknown): ApplicationFailure =>
  error instanceof ApplicationFailure
    ? error
    : ApplicationFailure.create({ message: (error as Error).message, type: (error as Error).name })
