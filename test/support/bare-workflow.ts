import { AsyncLocalStorage } from 'node:async_hooks'
import { CancelledFailure } from '@temporalio/common'

/**
 * Stands in for `@temporalio/workflow` where a workflow is to live without a server: conditions, timers, messages and
 * steps, on a clock of its own, one workflow at a time. Nothing happens by itself. Who tests answers the steps that
 * the workflow has asked for, sends it messages and lets its timers ring, in any order. What needs a history (replay,
 * continuing as new, tasks that are done over) is left to the tests on a real server.
 */

export { ActivityFailure, ApplicationFailure, TemporalFailure, TimeoutFailure } from '@temporalio/common'

export const isCancellation = (error: unknown): boolean => error instanceof CancelledFailure

/** A step that the workflow has asked for and that is not answered yet. */
export interface AskedStep {
  name: string
  input: unknown
  /** Tried within the workflow's own task; a failure goes to the workflow and is not repeated. */
  onTheSpot: boolean
  /** An ordinary step that is given up after some seconds; then its failure goes to the workflow too. */
  isBrief: boolean
  resolve(result: unknown): void
  reject(error: Error): void
}

interface Wait {
  isOver(): boolean
  /** Milliseconds since the epoch; null without a timer. */
  until: number | null
  end(isReached: boolean): void
}

interface Handler {
  handle(input: unknown): unknown
  validate?(input: unknown): void
}

let asked: AskedStep[] = []
let waits: Wait[] = []
let handlers = new Map<string, Handler>()
let handling = 0
let runs = 0

/** Forgets the workflow that lived here before: what it waits for never comes. */
export function startAfresh(): void {
  runs += 1
  asked = []
  waits = []
  handlers = new Map()
  handling = 0
}

export const askedSteps = (): readonly AskedStep[] => asked

/** The instant of the next timer, in milliseconds since the epoch; null when none is set. */
export const nextTimer = (): number | null => {
  const timers = waits.flatMap(({ until }) => (until === null ? [] : [until]))
  return timers.length === 0 ? null : Math.min(...timers)
}

/** Lets the workflow do all that it can do now. */
export async function settle(): Promise<void> {
  for (;;) {
    await new Promise(setImmediate)
    const over = waits.find((wait) => wait.isOver())
    const rung = over ?? waits.find(({ until }) => until !== null && until <= Date.now())
    if (!rung) return
    rung.end(over !== undefined)
  }
}

/** Sends a message. Throws what its validator or its handler throws. */
export async function send(name: string, input?: unknown): Promise<unknown> {
  const handler = handlers.get(name)
  if (!handler) throw new TypeError(`nobody answers ${name}`)
  handler.validate?.(input)
  handling += 1
  try {
    return await handler.handle(input)
  } finally {
    handling -= 1
  }
}

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

export function condition(isOver: () => boolean, timeout?: number | string): Promise<boolean> {
  if (isOver()) return Promise.resolve(true)
  return new Promise((resolve, reject) => {
    const until = timeout === undefined ? null : Date.now() + milliseconds(timeout)
    const wait: Wait = { isOver, until, end: (isReached) => leave(() => resolve(isReached)) }
    const leave = (how: () => void): void => {
      waits = waits.filter((other) => other !== wait)
      how()
    }
    waits.push(wait)
    scopes.getStore()?.onCancel(() => leave(() => reject(new CancelledFailure('cancelled'))))
  })
}

export const sleep = async (timeout: number | string): Promise<void> =>
  void (await condition(() => false, timeout))

const UNITS: Record<string, number> = { millisecond: 1, second: 1_000, minute: 60_000 }
function milliseconds(timeout: number | string): number {
  if (typeof timeout === 'number') return timeout
  const [count, unit] = timeout.split(' ')
  return Number(count) * UNITS[unit!.replace(/s$/, '')]!
}

function ask(
  name: string,
  input: unknown,
  { onTheSpot, isBrief }: Pick<AskedStep, 'onTheSpot' | 'isBrief'>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const leave = (): void => void (asked = asked.filter((other) => other !== step))
    const step: AskedStep = {
      name,
      input,
      onTheSpot,
      isBrief,
      resolve(result) {
        leave()
        resolve(result)
      },
      reject(error) {
        leave()
        reject(error)
      },
    }
    asked.push(step)
    scopes.getStore()?.onCancel(() => step.reject(new CancelledFailure('cancelled')))
  })
}

const proxy = (onTheSpot: boolean): object =>
  new Proxy(
    {},
    {
      get: (_, name) => ({
        executeWithOptions: (options: object, [input]: unknown[]) =>
          ask(String(name), input, { onTheSpot, isBrief: 'scheduleToCloseTimeout' in options }),
      }),
    },
  )
export const proxyActivities = (): object => proxy(false)
export const proxyLocalActivities = (): object => proxy(true)

const define = (name: string): string => name
export { define as defineQuery, define as defineSignal, define as defineUpdate }

export function setHandler(
  name: string,
  handle: Handler['handle'],
  { validator: validate }: { validator?: Handler['validate'] } = {},
): void {
  handlers.set(name, { handle, ...(validate && { validate }) })
}

export const allHandlersFinished = (): boolean => handling === 0
export const workflowInfo = () => ({ continueAsNewSuggested: false, runId: `run ${runs}` })
export const upsertSearchAttributes = (): void => {}
export const setCurrentDetails = (): void => {}

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
