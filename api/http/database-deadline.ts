import type { ApiState } from './context.ts'
import { DeadlinePassed, within } from './deadline.ts'
import { databaseUnavailable } from '#contract/errors.ts'
import { giveUpRequest } from './given-up.ts'

/** Milliseconds from arrival, or from the end of a wait for the sender's own work. */
const DEADLINE = 1_800
const MIN_DATABASE_TIME_MS = 300

/** Milliseconds that an answer of PostgreSQL needs to arrive before the deadline, at most. */
const WAY_BACK = 150

/** Of requests that stop trading: a slow process is no reason to refuse them, and lateness harms nobody. */
export const STOPPING_DEADLINE_MS = 5_000

type Waiting = { state: Pick<ApiState, 'receivedAt' | 'waited' | 'databaseDeadline'> }

const timeLeft = ({ state: { receivedAt, waited, databaseDeadline = DEADLINE } }: Waiting): number =>
  Math.max(receivedAt + waited + databaseDeadline - performance.now(), MIN_DATABASE_TIME_MS)

/** Milliseconds; a statement with it fails before {@link beforeDatabaseDeadline} refuses. */
export const limitOfStatement = (ctx: Waiting): number => timeLeft(ctx) - WAY_BACK

/** Throws DATABASE_UNAVAILABLE, after which nothing may be done: no transaction commits ({@link
 * giveUpRequest}), and other statements are bounded ({@link limitOfStatement}) or repeatable. */
export async function beforeDatabaseDeadline<T>(ctx: Waiting, work: Promise<T>): Promise<T> {
  try {
    return await within(timeLeft(ctx), 'the database', work)
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error
    giveUpRequest()
    throw databaseUnavailable(error)
  }
}
