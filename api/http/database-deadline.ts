import type { ApiState } from './context.ts'
import { DeadlinePassed, within } from './deadline.ts'
import { databaseUnavailable } from './errors.ts'
import { giveUpRequest } from './given-up.ts'

/** Within this many milliseconds of its arrival, and of the end of any wait for work of its own sender, a request has what it needs of the database, or is refused. */
const DEADLINE = 1_800
/** A request that has waited for something else until then gets that many milliseconds more. */
const MIN_DATABASE_TIME_MS = 300

/** Milliseconds that an answer of PostgreSQL needs to be here before the deadline, at most. */
const WAY_BACK = 150

/** That of what stops trading: this process being slow, which counts with it, is no reason to refuse it, and to do it late harms nobody. */
export const STOPPING_DEADLINE_MS = 5_000

type Waiting = { state: Pick<ApiState, 'receivedAt' | 'waited' | 'databaseDeadline'> }

const timeLeft = ({ state: { receivedAt, waited, databaseDeadline = DEADLINE } }: Waiting): number =>
  Math.max(receivedAt + waited + databaseDeadline - performance.now(), MIN_DATABASE_TIME_MS)

/**
 * Milliseconds for a statement whose effect must not come after the request was refused for want of an answer: it
 * fails before {@link beforeDatabaseDeadline} gives it up.
 */
export const limitOfStatement = (ctx: Waiting): number => timeLeft(ctx) - WAY_BACK

/**
 * The outcome of database work, or DATABASE_UNAVAILABLE when it does not come in time: a server that hangs
 * must look to senders like one that is down, and what it was asked for must not be done later, when its sender has sent it
 * again: transactions of the request are committed no more ({@link giveUpRequest}), and a statement without one, such as the
 * storing of a signal, has a limit of its own ({@link limitOfStatement}), or sets the same when it is sent again.
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
