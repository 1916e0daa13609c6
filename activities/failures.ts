import { ApplicationFailure } from '@temporalio/activity'
import type { BrokerBusy } from '#brokers/port.ts'

/** The outcome is not known, or not certain, yet: try again, looking up first. */
export const unsettled = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'OutcomeUnknown' })

/** Nothing was placed; the broker asks for a pause. */
export const busy = (error: BrokerBusy): ApplicationFailure =>
  ApplicationFailure.create({
    message: error.message,
    type: 'BrokerBusy',
    ...(error.retryAfterMs > 0 && { nextRetryDelay: error.retryAfterMs }),
  })

/** Earlier signals of the account and symbol come first; asked again soon, as long as it takes. */
export const notYourTurn = (behind: readonly string[]): ApplicationFailure =>
  ApplicationFailure.create({
    message: `waits for ${behind.map((id) => `signal ${id}`).join(', ')}`,
    type: 'NotYourTurn',
    nextRetryDelay: TURN_CHECK,
  })

/** How soon a waiting signal looks again whether its turn has come, in milliseconds. */
const TURN_CHECK = 500
