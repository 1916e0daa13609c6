import { hasUsers } from '#db/identity/users.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { inPersonOrAnonymous } from '../access/policy.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { VERSION } from '../http/version.ts'
import { temporalUiFor } from '../http/workflow-link.ts'
import type { IdentitySettings } from '../identity/deps.ts'
import type { PushDependencies } from '../push/delivery.ts'
import { route } from '../route/route.ts'
import { appAnswer, type AppAnswer } from './answers.ts'

interface AppInfoDeps {
  settings: Pick<IdentitySettings, 'REGISTRATION'>
  liveTrading: boolean
  keepsMessages: boolean
  heartbeat: number
  push: PushDependencies | null
  temporalUiUrl: string | null
}

export const webAppRoutes = [
  route({
    name: 'GET /api/v1/app',
    access: inPersonOrAnonymous('default'),
    tag: 'Service',
    summary: 'Show what a web app has to know before anybody signs in',
    description: 'Open to anybody. The JWT of an administrator is told where Temporal’s UI is besides.',
    answers: {
      200: {
        description: 'How this installation is set up',
        schema: appAnswer,
        examples: {
          'on one machine': {
            version: '0.1.0',
            registration: 'closed',
            liveTrading: false,
            mailbox: true,
            pushKey:
              'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
            heartbeatSeconds: 15,
            serverTime: '2026-03-02T14:30:05.000Z',
            temporalUiUrl: null,
          },
        },
      },
    },
    errors: [],
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
