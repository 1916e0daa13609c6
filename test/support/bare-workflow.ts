import { AsyncLocalStorage } from 'node:async_hooks'
import { CancelledFailure } from '@temporalio/common'

/**
 * Stands in for `@temporalio/workflow` where a workflow is to live without a server: conditions, timers, messages, steps and
 * children, by the clock of `Date`. Nothing happens by itself. Who tests answers the steps that the workflow has asked for,
 * sends it messages and lets its timers ring, in any order; or has `bare-temporal.ts` do that as a server would. Replays, tasks
 * that are done over and the sandbox are left to the tests on a real server.
 */

export {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/common'

export const isCancellation = (error: unknown): boolean => error instanceof CancelledFailure

/** How often, and for how long, a step is tried; as the SDK takes it. */
export interface StepOptions {
  startToCloseTimeout?: number | string
  scheduleToCloseTimeout?: number | string
  retry?: {
    initialInterval?: number | string
    backoffCoefficient?: number
    maximumInterval?: number | string
  }
}

/** A step that the workflow has asked for and that is not answered yet. */
export interface AskedStep {
  name: string
  input: unknown
  /** Tried within the workflow's own task; a failure goes to the workflow and is not repeated. */
  onTheSpot: boolean
  /** An ordinary step that is given up after some seconds; then its failure goes to the workflow too. */
  isBrief: boolean
  options: StepOptions
  resolve(result: unknown): void
  reject(error: Error): void
}

interface Wait {
  hasEnded(): boolean
  /** Milliseconds since the epoch; null without a timer. */
  until: number | null
  end(isReached: boolean): void
}

interface Handler {
  handle(input: unknown): unknown
  validate?(input: unknown): void
}

/** Starts another workflow for one that lives here. */
export interface Parent {
  startChild(type: string, options: ChildOptions): { result(): Promise<unknown> }
}
export interface ChildOptions {
  workflowId: string
  args?: unknown[]
  workflowIdReusePolicy?: string
}

/** One run of a workflow, and all that it has asked for. */
export class BareRun {
  asked: AskedStep[] = []
  waits: Wait[] = []
  readonly handlers = new Map<string, Handler>()
  handling = 0
  /** It is to continue as new at its next chance. */
  isLong = false
  /** What Temporal would keep in the history: timers, steps and search attributes, in order. */
  readonly commands: string[] = []
  readonly attributes: { name: string; value: unknown }[] = []
  details = ''
  readonly runId: string
  readonly parent: Parent | null

  constructor(runId: string, parent: Parent | null = null) {
    this.runId = runId
    this.parent = parent
  }

  /** Nothing that it waits for comes. */
  forget(): void {
    this.asked = []
    this.waits = []
  }

  /** Runs code of the workflow. */
  within<T>(code: () => T): T {
    return runs.run(this, code)
  }

  /** The instant of the next timer, in milliseconds since the epoch; null when none is set. */
  get nextTimer(): number | null {
    const timers = this.waits.flatMap(({ until }) => (until === null ? [] : [until]))
    return timers.length === 0 ? null : Math.min(...timers)
  }

  /** Ends one wait that is over or whose timer has rung; false when there is none. */
  goOn(): boolean {
    const over = this.waits.find((wait) => wait.hasEnded())
    const rung = over ?? this.waits.find(({ until }) => until !== null && until <= Date.now())
    rung?.end(over !== undefined)
    return rung !== undefined
  }

  /** Throws what the validator of the message or its handler throws. */
  async send(name: string, input?: unknown): Promise<unknown> {
    const handler = this.handlers.get(name)
    if (!handler) throw new TypeError(`nobody answers ${name}`)
    return this.within(async () => {
      handler.validate?.(input)
      this.handling += 1
      try {
        return await handler.handle(input)
      } finally {
        this.handling -= 1
      }
    })
  }
}

const runs = new AsyncLocalStorage<BareRun>()
let count = 0
/** The run of those who start a workflow by calling it. */
let single = new BareRun('run 0')
const here = (): BareRun => runs.getStore() ?? single

/** Forgets the workflow that lived here before: what it waits for never comes. */
export function startAfresh(): void {
  single = new BareRun(`run ${(count += 1)}`)
}

export const askedSteps = (): readonly AskedStep[] => single.asked
export const nextTimer = (): number | null => single.nextTimer

/** Lets the workflow do all that it can do now. */
export async function settle(): Promise<void> {
  do await new Promise(setImmediate)
  while (single.goOn())
}

/** Sends a message. Throws what its validator or its handler throws. */
export const send = (name: string, input?: unknown): Promise<unknown> => single.send(name, input)

const scopes = new AsyncLocalStorage<CancellationScope>()

export class CancellationScope {
  readonly #cancels: (() => void)[] = []

  run<T>(work: () => Promise<T>): Promise<T> {
    return scopes.run(this, work)
  }

  onCancel(cancel: () => void): void {
    this.#cancels.push(cancel)
  }

  cancel(): void {
    for (const cancel of this.#cancels) cancel()
  }
}

export function condition(isReached: () => boolean, timeout?: number | string): Promise<boolean> {
  const run = here()
  if (isReached()) return Promise.resolve(true)
  return new Promise((resolve, reject) => {
    const until = timeout === undefined ? null : Date.now() + milliseconds(timeout)
    if (until !== null) run.commands.push('timer')
    const hasEnded = (): boolean => run.within(isReached)
    const wait: Wait = { hasEnded, until, end: (reached) => leave(() => resolve(reached)) }
    const leave = (how: () => void): void => {
      run.waits = run.waits.filter((other) => other !== wait)
      how()
    }
    run.waits.push(wait)
    scopes.getStore()?.onCancel(() => leave(() => reject(new CancelledFailure('cancelled'))))
  })
}

export const sleep = async (timeout: number | string): Promise<void> =>
  void (await condition(() => false, timeout))

const UNITS: Record<string, number> = { millisecond: 1, second: 1_000, minute: 60_000 }
export function milliseconds(timeout: number | string): number {
  if (typeof timeout === 'number') return timeout
  const [amount, unit] = timeout.split(' ')
  return Number(amount) * UNITS[unit!.replace(/s$/, '')]!
}

function ask(name: string, input: unknown, onTheSpot: boolean, options: StepOptions): Promise<unknown> {
  const run = here()
  run.commands.push(name)
  return new Promise((resolve, reject) => {
    const leave = (): void => void (run.asked = run.asked.filter((other) => other !== step))
    const step: AskedStep = {
      name,
      input,
      onTheSpot,
      isBrief: 'scheduleToCloseTimeout' in options,
      options,
      resolve(result) {
        leave()
        resolve(result)
      },
      reject(error) {
        leave()
        reject(error)
      },
    }
    run.asked.push(step)
    scopes.getStore()?.onCancel(() => step.reject(new CancelledFailure('cancelled')))
  })
}

const proxy = (onTheSpot: boolean, options: StepOptions): object =>
  new Proxy(
    {},
    {
      get: (_, name) => ({
        executeWithOptions: (more: StepOptions, [input]: unknown[]) =>
          ask(String(name), input, onTheSpot, { ...options, ...more }),
      }),
    },
  )
export const proxyActivities = (options: StepOptions): object => proxy(false, options)
export const proxyLocalActivities = (options: StepOptions): object => proxy(true, options)

const define = (name: string): string => name
export { define as defineQuery, define as defineSignal, define as defineUpdate }

export function setHandler(
  name: string,
  handle: Handler['handle'],
  { validator: validate }: { validator?: Handler['validate'] } = {},
): void {
  here().handlers.set(name, { handle, ...(validate && { validate }) })
}

export const allHandlersFinished = (): boolean => here().handling === 0
export const workflowInfo = () => ({ continueAsNewSuggested: here().isLong, runId: here().runId })
export function upsertSearchAttributes(attributes: { key: { name: string }; value: unknown }[]): void {
  for (const { key, value } of attributes) here().attributes.push({ name: key.name, value })
}
export const setCurrentDetails = (details: string): void => void (here().details = details)

export const ParentClosePolicy = { ABANDON: 'ABANDON' } as const
type Code = (...args: never[]) => Promise<unknown>
export async function startChild(code: Code, options: ChildOptions): Promise<{ result(): Promise<unknown> }> {
  here().commands.push(`child ${code.name}`)
  return here().parent!.startChild(code.name, options)
}
export const executeChild = async (code: Code, options: ChildOptions): Promise<unknown> =>
  (await startChild(code, options)).result()

/** A run wants to go on as a new one, which is not started here. */
export class ContinuedAsNew extends TypeError {
  readonly options: object
  readonly input: unknown
  constructor(options: object, input: unknown) {
    super('histories do not grow here')
    this.options = options
    this.input = input
  }
}
export const makeContinueAsNewFunc =
  (options: object) =>
  (input: unknown): never => {
    throw new ContinuedAsNew(options, input)
  }
export const continueAsNew = makeContinueAsNewFunc({})
