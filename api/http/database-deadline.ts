import type { ApiState } from './context.ts'
import { DeadlinePassed, within } from './deadline.ts'
import { databaseUnavailable } from './errors.ts'
import { giveUpRequest } from './given-up.ts'

/** Milliseconds from arrival, and from the end of a wait for work of its own sender, until a request is
 * refused. */
const DEADLINE = 1_800
/** Milliseconds at least, for a request that has waited for something else. */
const MIN_DATABASE_TIME_MS = 300

/** Milliseconds that an answer of PostgreSQL needs to arrive before the deadline, at most. */
const WAY_BACK = 150

/** Of requests that stop trading: a slow process is no reason to refuse them, and lateness harms nobody. */
export const STOPPING_DEADLINE_MS = 5_000

type Waiting = { state: Pick<ApiState, 'receivedAt' | 'waited' | 'databaseDeadline'> }

const timeLeft = ({ state: { receivedAt, waited, databaseDeadline = DEADLINE } }: Waiting): number =>
  Math.max(receivedAt + waited + databaseDeadline - performance.now(), MIN_DATABASE_TIME_MS)

/** Milliseconds for a statement that must have no effect after the refusal: it fails before {@link
 * beforeDatabaseDeadline}. */
export const limitOfStatement = (ctx: Waiting): number => timeLeft(ctx) - WAY_BACK

/** Throws DATABASE_UNAVAILABLE when the work does not end in time. Its sender sends it again, so it must not
 * be done later: transactions of the request are committed no more ({@link giveUpRequest}); a statement
 * without one has a limit of its own ({@link limitOfStatement}) or may be repeated. */
export async function beforeDatabaseDeadline<T>(ctx: Waiting, work: Promise<T>): Promise<T> {
  try {
    return await within(timeLeft(ctx), 'the database', work)
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error
    giveUpRequest()
    throw databaseUnavailable(error)
  }
}
