import { AsyncLocalStorage } from 'node:async_hooks'
import type { ApiState } from './context.ts'
import { databaseUnavailable } from '#contract/errors.ts'

export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
}

/** Throws {@link DeadlinePassed}; the work goes on. Arrived answers win on a late event loop. */
export async function within<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    const passed = () => reject(new DeadlinePassed(`${what} took longer than ${milliseconds} ms`))
    timer = setTimeout(() => setImmediate(passed), Math.max(milliseconds, 0))
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

const requests = new AsyncLocalStorage<{ isGivenUp: boolean }>()

/** Runs a request whose transactions cannot commit after {@link giveUpRequest}. */
export const asRequest = <T>(work: () => T): T => requests.run({ isGivenUp: false }, work)

export const detachFromRequest = <T>(work: () => T): T => requests.exit(work)

/** Call before asking the sender to resend: no transaction commits afterwards. */
export function giveUpRequest(): void {
  const request = requests.getStore()
  if (request) request.isGivenUp = true
}

export const whyGivenUp = (): string | null =>
  requests.getStore()?.isGivenUp === true
    ? 'the request was refused before its transaction could be committed'
    : null

/** Milliseconds from arrival, or from a wait for the sender's own work. */
const DEADLINE = 1_800
const MIN_DATABASE_TIME_MS = 300

/** Milliseconds, at most, for PostgreSQL's answer to arrive. */
const WAY_BACK = 150

/** Milliseconds: slowness must not deny a stop, and a late stop does no harm. */
export const STOPPING_DEADLINE_MS = 5_000

type Waiting = { state: Pick<ApiState, 'receivedAt' | 'waited' | 'databaseDeadline'> }

const timeLeft = ({ state: { receivedAt, waited, databaseDeadline = DEADLINE } }: Waiting): number =>
  Math.max(receivedAt + waited + databaseDeadline - performance.now(), MIN_DATABASE_TIME_MS)

/** A statement's limit in milliseconds, which passes before {@link beforeDatabaseDeadline} throws. */
export const limitOfStatement = (ctx: Waiting): number => timeLeft(ctx) - WAY_BACK

/**
 * Throws DATABASE_UNAVAILABLE, after which no transaction commits ({@link giveUpRequest}), and other statements are
 * bounded ({@link limitOfStatement}) or repeatable.
 */
export async function beforeDatabaseDeadline<T>(ctx: Waiting, work: Promise<T>): Promise<T> {
  try {
    return await within(timeLeft(ctx), 'the database', work)
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error
    giveUpRequest()
    throw databaseUnavailable(error)
  }
}
