import { HASHED_FILES, APP_PAGE, NOT_OF_THE_APP } from '#domain/hook/host-name.ts'
import { answerInForm, ASK_EACH_TIME, FOR_EVER } from '../http/cached-answer.ts'
import type { AddressLimits } from '../access/address-limits.ts'
import { addressBucket } from '../access/client-address.ts'
import { refuseBeyond } from '../access/limits.ts'
import type { ApiMiddleware } from '../http/context.ts'
import { hasUsers } from '#db/identity/users.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { inPersonOrAnonymous } from '../access/policy.ts'
import { toIsoInstant, VERSION, temporalUiFor } from '../http/presentation.ts'
import type { IdentitySettings } from '../identity/deps.ts'
import type { NotifyDeps } from '../notify/commands.ts'
import { route } from '../route/route.ts'
import { type AppAnswer, webAppEndpoints } from '#contract/service.ts'
import { type AppFile, readAppFiles } from './files.ts'

/** Only our files, and Trusted Types with one policy, `sw`. */
const APP_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; " +
  "form-action 'self'; require-trusted-types-for 'script'; trusted-types sw"

/** Public, with a wide limit: a caller denied elsewhere still gets the page that says so. */
export function webApp(folder: string, limits: AddressLimits): ApiMiddleware {
  const files = readAppFiles(folder)
  const page = files.get(APP_PAGE)
  return async (ctx, next) => {
    const isReading = ctx.method === 'GET' || ctx.method === 'HEAD'
    const file = files.get(ctx.path) ?? (isAddressOfApp(ctx.path) && wantsPage(ctx) ? page : undefined)
    if (!file || !isReading || ctx.state.headFaults.length > 0) {
      // Two answers by `Accept`: caches must not mix them.
      if (page && isReading && isAddressOfApp(ctx.path)) ctx.vary('Accept')
      await next()
      return
    }
    refuseBeyond(ctx, limits.count('files', addressBucket(ctx.state.clientIp)))
    send(ctx, file, file === page ? APP_PAGE : ctx.path)
  }
}

type Ctx = Parameters<ApiMiddleware>[0]

const wantsPage = (ctx: Ctx): boolean => ctx.accepts('json', 'html') === 'html'

const isAddressOfApp = (path: string): boolean =>
  !path.startsWith(HASHED_FILES) && !NOT_OF_THE_APP.some((own) => path === own || path.startsWith(`${own}/`))

function send(ctx: Ctx, file: AppFile, name: string): void {
  ctx.set('Content-Security-Policy', APP_POLICY)
  ctx.type = name.slice(name.lastIndexOf('.'))
  if (name === APP_PAGE) ctx.vary('Accept')
  answerInForm(ctx, file, file.isImmutable ? FOR_EVER : ASK_EACH_TIME)
}

interface AppInfoDeps {
  settings: Pick<IdentitySettings, 'REGISTRATION'>
  liveTrading: boolean
  keepsMessages: boolean
  heartbeat: number
  notify: Pick<NotifyDeps, 'push'>
  temporalUiUrl: string | null
}

const pushKeyOf = ({ push }: Pick<NotifyDeps, 'push'>): string | null =>
  push?.keys.pairOf(push.keys.current)?.publicKey ?? null

export const webAppRoutes = [
  route(webAppEndpoints['GET /api/v1/app'], {
    access: inPersonOrAnonymous('default'),
    run: async ({ em, me }, deps: AppInfoDeps) => ({
      version: VERSION,
      registration: await registrationNow(em, deps.settings.REGISTRATION),
      liveTrading: deps.liveTrading,
      mailbox: deps.keepsMessages,
      pushKey: pushKeyOf(deps.notify),
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
