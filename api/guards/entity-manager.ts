import type { Database } from '#db/engine/database.ts'
import { asRequest } from '../http/given-up.ts'
import type { ApiMiddleware } from '../http/context.ts'

/** No request sees what another has loaded. */
export const entityManager =
  (database: Database): ApiMiddleware =>
  async (ctx, next) => {
    ctx.state.em = database.em.fork()
    await asRequest(next)
  }
