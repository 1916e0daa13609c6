import type { Database } from '#db/engine/database.ts'
import { actAs } from '#db/engine/row-security.ts'
import { nameActor } from '#db/identity/actor-names.ts'
import type { Caller } from '../../http/caller.ts'
import { DeadlinePassed, within } from '../../http/deadline.ts'
import { databaseUnavailable } from '../../http/errors.ts'
import type { Principal } from '../../http/principal.ts'

/** Milliseconds of a statement once a request is stored: nobody waits for it any more, and it is done again. */
const STATEMENT_LIMIT = 10_000

/** Goes on whether or not the sender still waits. `receivedAt`: by `performance.now()`; the time until the answer counts from it. */
export function workingCaller(
  database: Database,
  principal: Principal,
  { requestId, ip, receivedAt }: Pick<Caller, 'requestId' | 'ip' | 'receivedAt'>,
): Caller {
  const em = database.em.fork()
  actAs(em, principal.userId)
  let name: Promise<string> | undefined
  return {
    principal,
    em,
    requestId,
    ip,
    receivedAt,
    userAgent: 'hook',
    deviceToken: null,
    async beforeDatabaseDeadline(work) {
      try {
        return await within(STATEMENT_LIMIT, 'the database', work)
      } catch (error) {
        throw error instanceof DeadlinePassed ? databaseUnavailable(error) : error
      }
    },
    limitOfStatement: () => STATEMENT_LIMIT,
    actorName: () => (name ??= nameActor(em, principal.userId, principal.tokenId)),
    noteWait() {},
    requireSender() {},
    noteSignal() {},
  }
}
