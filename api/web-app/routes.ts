import { hasUsers } from '#db/identity/users.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { inPersonOrAnonymous } from '../access/policy.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { VERSION } from '../http/version.ts'
import { temporalUiFor } from '../http/workflow-link.ts'
import type { IdentitySettings } from '../identity/deps.ts'
import type { PushDependencies } from '../push/delivery.ts'
import { route } from '../route/route.ts'
import type { AppAnswer } from '#contract/web-app/answers.ts'
import { webAppEndpoints } from '#contract/web-app/endpoints.ts'

interface AppInfoDeps {
  settings: Pick<IdentitySettings, 'REGISTRATION'>
  liveTrading: boolean
  keepsMessages: boolean
  heartbeat: number
  push: PushDependencies | null
  temporalUiUrl: string | null
}

export const webAppRoutes = [
  route(webAppEndpoints['GET /api/v1/app'], {
    access: inPersonOrAnonymous('default'),
    run: async ({ em, me }, deps: AppInfoDeps) => ({
      version: VERSION,
      registration: await registrationNow(em, deps.settings.REGISTRATION),
      liveTrading: deps.liveTrading,
      mailbox: deps.keepsMessages,
      pushKey: deps.push && (deps.push.keys.pairOf(deps.push.keys.current)?.publicKey ?? null),
      heartbeatSeconds: deps.heartbeat / 1_000,
      serverTime: toIsoInstant(new Date()),
      temporalUiUrl: me && temporalUiFor(me, deps.temporalUiUrl),
    }),
  }),
]

async function registrationNow(
  em: EntityManager,
  setting: IdentitySettings['REGISTRATION'],
): Promise<AppAnswer['registration']> {
  if (setting !== 'first-user') return setting
  return (await hasUsers(em)) ? 'closed' : 'firstUser'
}
