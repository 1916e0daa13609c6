import { hasUsers } from '#db/identity/users.ts'
import type { ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { RouteList } from '../http/route-list.ts'
import { noQuery, readQuery } from '../http/validation/query.ts'
import { VERSION } from '../http/version.ts'
import type { IdentitySettings } from '../identity/deps.ts'
import type { AppAnswer } from './answers.ts'

export interface AppInfoDeps {
  /** Who may register. */
  registration: IdentitySettings['REGISTRATION']
  liveTrading: boolean
  /** EmailTemplates are kept on this machine. */
  hasMailbox: boolean
  /** Milliseconds. */
  heartbeat: number
  /** Null where the operator has named none. */
  temporalUiUrl: string | null
}

/** What a web app asks before anybody has signed in. */
export function webAppRoutes(deps: AppInfoDeps): RouteList {
  const routes = new RouteList('/api/v1/app')

  routes.get('', async (ctx) => {
    readQuery(ctx, noQuery)
    const data: AppAnswer = {
      version: VERSION,
      registration: await registrationNow(ctx, deps.registration),
      liveTrading: deps.liveTrading,
      mailbox: deps.hasMailbox,
      pushKey: null,
      heartbeatSeconds: deps.heartbeat / 1_000,
      serverTime: toIsoInstant(new Date()),
      temporalUiUrl: ctx.state.principal?.role === 'admin' ? deps.temporalUiUrl : null,
    }
    ctx.body = standardSuccess(data, ctx.state.requestId)
  })

  return routes
}

async function registrationNow(
  ctx: ApiContext,
  setting: AppInfoDeps['registration'],
): Promise<AppAnswer['registration']> {
  if (setting !== 'first-user') return setting
  const isTaken = await beforeDatabaseDeadline(ctx, hasUsers(ctx.state.em))
  return isTaken ? 'closed' : 'firstUser'
}
