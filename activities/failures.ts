import { ApplicationFailure } from '@temporalio/activity'
import { BrokerBusy } from '#brokers/port.ts'
import type { Failure } from '#domain/step-failure.ts'

/** @param tryIn milliseconds until the next attempt; soon, and then ever more rarely, unless given */
const failed = (type: Failure, message: string, tryIn?: number): ApplicationFailure =>
  ApplicationFailure.create({ message, type, ...(tryIn !== undefined && { nextRetryDelay: tryIn }) })

/**
 * The outcome is not known, or not certain, yet: try again, looking up first.
 *
 * @param tryIn milliseconds after which more can be known; soon, and then ever more rarely, unless given
 */
export const outcomeUnknown = (message: string, tryIn?: number): ApplicationFailure =>
  failed('OutcomeUnknown', message, tryIn)

/** Nothing was placed; the broker asks for a pause. */
export const busy = (error: BrokerBusy): ApplicationFailure =>
  failed('BrokerBusy', error.message, error.retryAfterMs > 0 ? error.retryAfterMs : undefined)

/** Has each step tried again when the broker wants to be asked again, in place of ever more rarely. */
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

/** Nothing was placed: an order on the other side blocks it, and is about to end. */
export const awaitsOpposite = (message: string): ApplicationFailure =>
  failed('Awaits', message, OPPOSITE_CHECK)

/** Nothing was placed: a position of the other side is in the way, and its close may come. */
export const awaitsClose = (message: string, tryIn: number): ApplicationFailure =>
  failed('Awaits', message, tryIn)

/** Pause before an order that another one on the other side blocked is sent again, in milliseconds. */
const OPPOSITE_CHECK = 1_000

/** Nothing was sent: the order is held back, and the next attempt comes soon. */
export const halted = (message: string): ApplicationFailure => failed('Halted', message, HALT_CHECK)

/** Pause before the next attempt of an order that is held back, in milliseconds. */
const HALT_CHECK = 5_000

/** Nothing was sent: the throttle gave no answer. */
export const throttleUnavailable = (message: string, cause?: unknown): ApplicationFailure =>
  ApplicationFailure.create({
    message,
    type: 'ThrottleUnavailable' satisfies Failure,
    ...(cause instanceof Error && { cause }),
  })

/** Nothing was sent: a fact that the order depends on cannot be right, and is asked for again soon. */
export const doubted = (message: string): ApplicationFailure => failed('Awaits', message, DOUBT_CHECK)

/** Pause before a fact that cannot be right is asked for again, in milliseconds. */
const DOUBT_CHECK = 3_000
/** With less time left the order is refused instead of asking again, so that its owner hears the doubt; milliseconds. */
export const DOUBT_ENDS_BEFORE = 6_000
