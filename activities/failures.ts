import { ApplicationFailure, heartbeat } from '@temporalio/activity'
import { BrokerBusy } from '#brokers/port.ts'
import type { Failure } from '#domain/async/step-failure.ts'

/** @param tryIn milliseconds until the next attempt; growing pauses unless given */
const failed = (type: Failure, message: string, tryIn?: number): ApplicationFailure =>
  ApplicationFailure.create({ message, type, ...(tryIn !== undefined && { nextRetryDelay: tryIn }) })

/** The next attempt looks the order up first. */
export const outcomeUnknown = (message: string, tryIn?: number): ApplicationFailure =>
  failed('OutcomeUnknown', message, tryIn)

/** Nothing was placed. */
export const busy = (error: BrokerBusy): ApplicationFailure =>
  failed('BrokerBusy', error.message, error.retryAfterMs > 0 ? error.retryAfterMs : undefined)

/** Retries when a busy broker asks for it. */
export const heedingTheWait = <Steps extends object>(steps: Steps): Steps =>
  Object.fromEntries(
    Object.entries(steps).map(([name, step]: [string, (...args: unknown[]) => unknown]) => [
      name,
      async (...args: unknown[]) => {
        try {
          return await step(...args)
        } catch (error) {
          throw error instanceof BrokerBusy ? busy(error) : error
        }
      },
    ]),
  ) as Steps

/** Nothing was placed. */
export const awaitsOpposite = (message: string): ApplicationFailure =>
  failed('Awaits', message, OPPOSITE_CHECK)

/** Nothing was placed. */
export const awaitsClose = (message: string, tryIn: number): ApplicationFailure =>
  failed('Awaits', message, tryIn)

/** Milliseconds. */
const OPPOSITE_CHECK = 1_000

/** Nothing was sent. */
export const halted = (message: string): ApplicationFailure => failed('Halted', message, HALT_CHECK)

const HALT_CHECK = 5_000

/** Nothing was sent. */
export const throttleUnavailable = (message: string, cause?: unknown): ApplicationFailure =>
  ApplicationFailure.create({
    message,
    type: 'ThrottleUnavailable' satisfies Failure,
    ...(cause instanceof Error && { cause }),
  })

/** Nothing was sent. */
export const doubted = (message: string): ApplicationFailure => failed('Awaits', message, DOUBT_CHECK)

const DOUBT_CHECK = 3_000
/** Milliseconds: with less time left the order is denied, so that its owner is notified. */
export const DOUBT_ENDS_BEFORE = 6_000

export interface Stopwatch {
  elapsed(): number
}

/** The wall clock may be moved back, and the monotonic one stops while a machine sleeps: the later one counts. */
export function startStopwatch(now: () => number): Stopwatch {
  const wall = now()
  const monotonic = performance.now()
  return { elapsed: () => Math.max(now() - wall, Math.floor(performance.now() - monotonic)) }
}

const ACTIVITY_BEAT_MS = 1_000

export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beat = setInterval(heartbeat, ACTIVITY_BEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
