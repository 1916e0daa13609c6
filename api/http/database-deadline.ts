import type { ApiState } from './context.ts'
import { DeadlinePassed, within } from './deadline.ts'
import { databaseUnavailable } from './errors.ts'

/** Within this many milliseconds of its arrival, and of the end of any wait for work of its own sender, a request has what it needs of the database, or is refused. */
const DEADLINE = 1_800
/** One that has waited for something else until then gets that many milliseconds more. */
const SHORTEST = 300

/**
 * The outcome of database work, or DATABASE_UNAVAILABLE when it does not come in time: a server that hangs
 * must look to senders like one that is down. Work that still succeeds later is harmless, because a signal
 * without an acknowledgement may or may not exist.
 */
export async function beforeDatabaseDeadline<T>(ctx: { state: ApiState }, work: Promise<T>): Promise<T> {
  const left = Math.max(ctx.state.receivedAt + ctx.state.waited + DEADLINE - performance.now(), SHORTEST)
  try {
    return await within(left, 'the database', work)
  } catch (error) {
    throw error instanceof DeadlinePassed ? databaseUnavailable(error) : error
  }
}
