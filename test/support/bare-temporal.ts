import { AsyncLocalStorage } from 'node:async_hooks'
import { mock } from 'node:test'
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client'
import {
  ActivityFailure,
  ApplicationFailure,
  RetryState,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common'
import { loadBare, loadStage } from './bare-signal-workflow.ts'
import type { AskedStep, BareRun, ChildOptions, ContinuedAsNew } from './bare-workflow.ts'

/** One try of a step. */
export interface StepTry {
  workflowId: string
  name: string
  input: unknown
  onTheSpot: boolean
  /** Has the try given up, as by a worker that is lost. Resolves afterwards: what the step does then, nobody hears of. */
  hang(): Promise<void>
}

type Code = (...args: unknown[]) => Promise<unknown>
type Tried = { result: unknown } | { error: Error }

/** The modules that hold the code of workflows. */
const MODULES = ['signal/workflow', 'flatten/workflow', 'flatten/by-close', 'account/daily-balances']

/** A message, by its definition or its name. */
export type Message = string | { readonly name: string }
const nameOf = (message: Message): string => (typeof message === 'string' ? message : message.name)

/** A try that was given up has its effect so many milliseconds later. */
const STILL_RUNS_FOR = 500

/** What Temporal does to a value on its way. */
const byWire = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T))

interface Execution {
  readonly type: string
  run: BareRun
  /** How each earlier run went on as a new one. */
  readonly continued: ContinuedAsNew[]
  hasEnded: boolean
  readonly ended: PromiseWithResolvers<unknown>
  readonly updates: Map<string, Promise<unknown>>
}

/**
 * Stands in for a Temporal server and its worker: any number of workflows, on a clock that jumps to the next timer whenever
 * nothing is left to do and somebody waits for an answer. It tries steps again as the server does, and gives up those that take
 * too long.
 */
export class BareTemporal {
  readonly #perform: (step: StepTry) => Promise<unknown>
  readonly #isAwaited: () => boolean
  readonly #code = new Map<string, Code>()
  #stage!: Awaited<ReturnType<typeof loadStage>>
  readonly #executions = new Map<string, Execution>()
  #carried = new WeakSet<AskedStep>()
  #alarms: { at: number; ring(): void }[] = []
  /** Tries that have not come to an end. */
  #busy = 0
  #waiting = 0
  /** Messages on their way, for which the clock stands still. */
  #delivering = 0
  /** What a step does while it is tried. */
  readonly #steps = new AsyncLocalStorage<true>()
  /** Until here the clock runs, whoever waits. */
  #until = Number.NEGATIVE_INFINITY
  #isWorking = true
  #isGoing = false
  #isWoken = false

  /**
   * @param perform one try of a step
   * @param isAwaited whether somebody waits for something else than an answer of this server, such as for a step
   */
  constructor(perform: (step: StepTry) => Promise<unknown>, isAwaited: () => boolean = () => false) {
    this.#perform = perform
    this.#isAwaited = isAwaited
  }

  async load(): Promise<void> {
    this.#stage = await loadStage('')
    for (const path of MODULES)
      for (const [name, code] of Object.entries(await loadBare<object>(`${path}.ts`)))
        this.#code.set(name, code as Code)
  }

  /** Everything is forgotten, and it is this instant; milliseconds since the epoch. Until `end` the clock stands still. */
  begin(now: number): void {
    mock.timers.reset()
    mock.timers.enable({ apis: ['Date'], now })
    for (const { run } of this.#executions.values()) run.forget()
    this.#executions.clear()
    this.#carried = new WeakSet()
    this.#alarms = []
    this.#waiting = 0
    this.#delivering = 0
    this.#until = Number.NEGATIVE_INFINITY
    this.#isWorking = true
  }

  /** The clock is that of the machine again. */
  end(): void {
    mock.timers.reset()
  }

  /** Messages and timers wait from now on. */
  stopWorker(): void {
    this.#isWorking = false
  }

  startWorker(): void {
    this.#isWorking = true
    this.wake()
  }

  /** Lets time pass. */
  async letPass(milliseconds: number): Promise<void> {
    this.#until = Date.now() + milliseconds
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#alarms.push({ at: this.#until, ring: resolve })
    this.wake()
    await promise
    await this.settle()
  }

  /** All that can be done without more time is done. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await new Promise(setImmediate)
      if (this.#goOn()) quiet = 0
    }
  }

  start(type: string, { workflowId, args = [], workflowIdReusePolicy }: ChildOptions): BareHandle {
    const known = this.#executions.get(workflowId)
    if (known && (!known.hasEnded || workflowIdReusePolicy === 'REJECT_DUPLICATE'))
      throw new WorkflowExecutionAlreadyStartedError('Workflow execution already started', workflowId, type)
    const execution: Execution = {
      type,
      run: null!,
      continued: [],
      hasEnded: false,
      ended: Promise.withResolvers(),
      updates: new Map(),
    }
    execution.ended.promise.catch(() => {})
    this.#executions.set(workflowId, execution)
    this.#run(execution, workflowId, args)
    return this.handleOf(workflowId)
  }

  handleOf(workflowId: string): BareHandle {
    return new BareHandle(this, workflowId)
  }

  /** The execution of a workflow that has begun at some time. */
  executionOf(workflowId: string): Execution {
    const execution = this.#executions.get(workflowId)
    if (!execution) throw new WorkflowNotFoundError('workflow not found', workflowId, undefined)
    return execution
  }

  isRunning(workflowId: string): boolean {
    return this.#executions.get(workflowId)?.hasEnded === false
  }

  /** One that has not ended. */
  openExecution(workflowId: string): Execution {
    const execution = this.executionOf(workflowId)
    if (execution.hasEnded)
      throw new WorkflowNotFoundError('workflow execution already completed', workflowId, undefined)
    return execution
  }

  /** Waits for an answer, for which the clock jumps. */
  async until<T>(answer: Promise<T>): Promise<T> {
    this.#waiting += 1
    this.wake()
    try {
      return await answer
    } finally {
      this.#waiting -= 1
    }
  }

  /** Brings a message to a workflow once that has done all that it can do now; one that a step sends comes at once. */
  async deliver<T>(message: () => T | Promise<T>): Promise<T> {
    if (this.#steps.getStore()) return message()
    this.#delivering += 1
    await this.settle()
    this.#delivering -= 1
    const delivered = message()
    this.wake()
    return delivered
  }

  /** Has a message come with the start of its workflow, before anything else. */
  atOnce<T>(send: () => T): T {
    return this.#steps.run(true, send)
  }

  wake(): void {
    this.#isWoken = true
    if (!this.#isGoing) void this.#go()
  }

  async #go(): Promise<void> {
    this.#isGoing = true
    while (this.#isWoken) {
      this.#isWoken = false
      await this.settle()
      const next = this.#nextInstant()
      const isWanted = (next ?? 0) <= this.#until || this.#waiting > 0 || this.#isAwaited()
      if (this.#delivering > 0) this.#isWoken = true
      else if (next !== null && isWanted) {
        mock.timers.setTime(Math.max(next, Date.now()))
        this.#isWoken = true
      }
    }
    this.#isGoing = false
  }

  #nextInstant(): number | null {
    const executions = this.#isWorking ? [...this.#executions.values()] : []
    const timers = executions.flatMap(({ run }) => run.nextTimer ?? [])
    const instants = [...timers, ...this.#alarms.map(({ at }) => at)]
    return instants.length === 0 ? null : Math.min(...instants)
  }

  /** Does what can be done now; false when that is nothing. */
  #goOn(): boolean {
    const rung = this.#alarms.filter(({ at }) => at <= Date.now())
    this.#alarms = this.#alarms.filter((alarm) => !rung.includes(alarm))
    for (const { ring } of rung) ring()
    let isBusy = this.#busy > 0 || rung.length > 0
    if (!this.#isWorking) return isBusy
    for (const [workflowId, { run }] of this.#executions) {
      isBusy = run.goOn() || isBusy
      for (const step of run.asked.filter((asked) => !this.#carried.has(asked))) {
        this.#carried.add(step)
        isBusy = true
        void this.#seeTo(workflowId, run, step)
      }
    }
    return isBusy
  }

  #run(execution: Execution, workflowId: string, args: unknown[]): void {
    const code = this.#code.get(execution.type)
    if (!code) throw new TypeError(`no workflow ${execution.type}`)
    const { BareRun: Run } = this.#stage
    const run = new Run(`${workflowId} run ${execution.continued.length + 1}`, {
      startChild: (type, options) => {
        const child = this.start(type, options)
        return { result: () => this.executionOf(child.workflowId).ended.promise }
      },
    })
    execution.run = run
    void this.#follow(execution, workflowId, () => run.within(() => code(...args.map(byWire))))
    this.wake()
  }

  async #follow(execution: Execution, workflowId: string, live: () => Promise<unknown>): Promise<void> {
    const { ended, continued } = execution
    try {
      const outcome = byWire(await live())
      execution.hasEnded = true
      ended.resolve(outcome)
    } catch (error) {
      if (error instanceof this.#stage.ContinuedAsNew) {
        continued.push(error)
        return this.#run(execution, workflowId, [error.input])
      }
      execution.hasEnded = true
      const isMeant = error instanceof ApplicationFailure
      const state = RetryState.NON_RETRYABLE_FAILURE
      ended.reject(isMeant ? new WorkflowFailedError('Workflow execution failed', error, state) : error)
    }
  }

  /** Tries a step until the workflow has its result, or is not interested any more. */
  async #seeTo(workflowId: string, run: BareRun, step: AskedStep): Promise<void> {
    const { milliseconds: ms } = this.#stage
    const { startToCloseTimeout, scheduleToCloseTimeout, retry = {} } = step.options
    const last = Date.now() + ms(scheduleToCloseTimeout ?? Number.POSITIVE_INFINITY)
    let pause = ms(retry.initialInterval ?? 1_000)
    let known: Error | undefined
    const fail = (error: Error, state: RetryState): void =>
      step.reject(new ActivityFailure('Activity task failed', step.name, '1', state, undefined, error))
    for (;;) {
      const tried = await this.#try(workflowId, step, Math.min(Date.now() + ms(startToCloseTimeout!), last))
      if (!run.asked.includes(step)) return
      if ('result' in tried) step.resolve(tried.result)
      else if (step.onTheSpot) step.reject(tried.error)
      else if (tried.error instanceof ApplicationFailure && tried.error.nonRetryable)
        fail(tried.error, RetryState.NON_RETRYABLE_FAILURE)
      else if (Date.now() >= last) fail(timeout(TimeoutType.SCHEDULE_TO_CLOSE, known), RetryState.TIMEOUT)
      else {
        known = tried.error
        const asked = tried.error instanceof ApplicationFailure ? tried.error.nextRetryDelay : undefined
        const wait = asked === undefined || asked === null ? pause : ms(asked)
        pause = Math.min(pause * (retry.backoffCoefficient ?? 2), ms(retry.maximumInterval ?? 100_000))
        if (Date.now() + wait < last) {
          await this.#sleep(wait)
          if (run.asked.includes(step)) continue
          return
        }
        fail(tried.error, RetryState.TIMEOUT)
      }
      return this.wake()
    }
  }

  #sleep(wait: number): Promise<void> {
    return new Promise((ring) => this.#alarms.push({ at: Date.now() + wait, ring }))
  }

  #try(workflowId: string, step: AskedStep, until: number): Promise<Tried> {
    const { promise, resolve } = Promise.withResolvers<Tried>()
    let isCounted = true
    this.#busy += 1
    const release = (): void => {
      if (isCounted) this.#busy -= 1
      isCounted = false
    }
    const alarm = { at: until, ring: () => over({ error: timeout(TimeoutType.START_TO_CLOSE) }) }
    const over = (tried: Tried): void => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm)
      release()
      resolve(tried)
      this.wake()
    }
    const hang = async (): Promise<void> => {
      release()
      this.#alarms.push(alarm)
      this.wake()
      await promise
      await this.#sleep(STILL_RUNS_FOR)
    }
    const { name, input, onTheSpot } = step
    const call = { workflowId, name, input: byWire(input), onTheSpot, hang }
    this.#steps
      .run(true, () => this.#perform(call))
      .then(
        (result) => over({ result: byWire(result) }),
        (error: unknown) => over({ error: asFailure(error as Error) }),
      )
    return promise
  }
}

/** What a client has of a workflow: messages, and its end. */
export class BareHandle {
  readonly #temporal: BareTemporal
  readonly workflowId: string

  constructor(temporal: BareTemporal, workflowId: string) {
    this.#temporal = temporal
    this.workflowId = workflowId
  }

  signal(message: Message, ...[input]: unknown[]): Promise<void> {
    return this.#temporal.deliver(async () => {
      const { run } = this.#temporal.openExecution(this.workflowId)
      await run.send(nameOf(message), byWire(input))
    })
  }

  /** Under the same id the same answer. */
  async executeUpdate(
    message: Message,
    { args: [input] = [], updateId }: { args?: unknown[]; updateId?: string } = {},
  ): Promise<unknown> {
    const answered = this.#temporal.deliver(() => {
      const { updates } = this.#temporal.executionOf(this.workflowId)
      const known = updates.get(updateId ?? '')
      if (known) return known
      const { run } = this.#temporal.openExecution(this.workflowId)
      const answer = run.send(nameOf(message), byWire(input))
      if (updateId !== undefined) updates.set(updateId, answer)
      return answer
    })
    try {
      return byWire(await this.#temporal.until(answered))
    } catch (error) {
      throw error instanceof ApplicationFailure
        ? new WorkflowUpdateFailedError('Workflow Update failed', error)
        : error
    }
  }

  async query(message: Message): Promise<unknown> {
    const { run } = this.#temporal.executionOf(this.workflowId)
    return byWire(await this.#temporal.deliver(() => run.send(nameOf(message))))
  }

  result(): Promise<unknown> {
    return this.#temporal.until(this.#temporal.executionOf(this.workflowId).ended.promise)
  }

  /** How each of its earlier runs went on as a new one. */
  get continued(): readonly ContinuedAsNew[] {
    return this.#temporal.executionOf(this.workflowId).continued
  }

  /** The run that it has come to. */
  get run(): BareRun {
    return this.#temporal.executionOf(this.workflowId).run
  }
}

function timeout(type: TimeoutType, cause?: Error): TimeoutFailure {
  const failure = new TimeoutFailure('no answer in time', undefined, type)
  return Object.assign(failure, cause && { cause })
}

const asFailure = (error: Error): Error =>
  error instanceof ApplicationFailure
    ? error
    : ApplicationFailure.create({ message: error.message, type: error.name })
