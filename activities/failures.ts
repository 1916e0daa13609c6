import { ApplicationFailure } from '@temporalio/activity'
import type { BrokerBusy } from '#brokers/port.ts'

/** The outcome is not known, or not certain, yet: try again, looking up first. */
export const outcomeUnknown = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'OutcomeUnknown' })

/** Nothing was placed; the broker asks for a pause. */
export const busy = (error: BrokerBusy): ApplicationFailure =>
  ApplicationFailure.create({
    message: error.message,
    type: 'BrokerBusy',
    ...(error.retryAfterMs > 0 && { nextRetryDelay: error.retryAfterMs }),
  })

/** Nothing was placed: an order of the other side stands against it, and is about to end. */
export const awaitsOpposite = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'BrokerBusy', nextRetryDelay: OPPOSITE_CHECK })

/** How soon an order is sent again that another one of the other side stood against, in milliseconds. */
const OPPOSITE_CHECK = 1_000

/** Nothing was sent: the order is kept back, and asks again soon. */
export const halted = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'Halted', nextRetryDelay: HALT_CHECK })

/** How soon an order that is kept back asks again whether it may leave, in milliseconds. */
const HALT_CHECK = 5_000

/** Nothing was sent: whether it may be cannot be told right now. The same type, tried again sooner. */
export const throttleUnavailable = (message: string, cause?: unknown): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'Halted', ...(cause instanceof Error && { cause }) })
