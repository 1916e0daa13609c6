import { isReading, isSenderGone, SenderGone } from '../http/caller.ts'
import type { Principal } from '../http/principal.ts'
import type { ApiMiddleware, ApiContext } from '../http/context.ts'
import { ApiError, validationError } from '#contract/errors.ts'
import { isFromElsewhere, ownPages } from '../http/cached-answer.ts'
import { namesThisMachine, readHost } from '#domain/hook/host-name.ts'
import type { Apart } from '../hook/public-address.ts'
import { hasPassedProxy } from '../http/server.ts'
import { readAccessJwt, isShapedLikeJwt, type SigningKeys } from '../access/access-jwt.ts'
import { isWellFormedAccessToken } from '../http/access-token.ts'
import type { AddressBound, AddressLimits } from '../access/address-limits.ts'
import { addressBucket } from '../access/client-address.ts'
import { bearerOf } from '../access/credential.ts'
import { applyLimit, refuseBeyond } from '../access/limits.ts'

/** Answers 405; otherwise `GET /accounts/sync` would match the account route. */
export function exactAddresses(routes: readonly string[]): ApiMiddleware {
  const methods = new Map<string, string[]>()
  for (const route of routes) {
    const [method, path] = route.split(' ') as [string, string]
    if (path.includes(':')) continue
    const taken = new Set([...(methods.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])])
    methods.set(path, [...taken].toSorted())
  }
  return async (ctx, next) => {
    const taken = methods.get(ctx.path)
    if (taken && !taken.includes(ctx.method))
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: taken.join(', ') } })
    await next()
  }
}

export const unmatched: ApiMiddleware = (ctx) => {
  const layers = (ctx as ApiContext).matched ?? []
  const methods = [...new Set(layers.flatMap((layer) => layer.methods))].toSorted()
  if (methods.length === 0) throw new ApiError('NOT_FOUND')
  throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } })
}

const READINGS: readonly string[] = ['GET', 'HEAD']
const LOOKS: readonly string[] = [...READINGS, 'OPTIONS']
const MAX_LOGGED = 200

/** Foreign pages must not sign a visitor in or out, nor use up limits. */
export function foreignPages(publicUrl: string, listed: readonly string[]): ApiMiddleware {
  const isOwnPage = ownPages(publicUrl)
  const isForeign = (ctx: ApiContext): boolean => {
    const from = ctx.get('Origin')
    if (listed.includes(from)) return false
    if (isFromElsewhere(ctx)) return hasEffect(ctx) || !isOpened(ctx)
    return hasEffect(ctx) && from !== '' && !isOwnPage(ctx)
  }
  return async (ctx, next) => {
    if (isForeign(ctx as ApiContext)) {
      ctx.state.refusedOrigin = (ctx.get('Origin') || ctx.get('Sec-Fetch-Site')).slice(0, MAX_LOGGED)
      throw new ApiError('ORIGIN_REFUSED')
    }
    await next()
  }
}

const hasEffect = (ctx: ApiContext): boolean =>
  !LOOKS.includes(ctx.method) || ctx.state.query.secrets.ticket.length > 0

/** An embedded part could send thousands. */
const isOpened = (ctx: ApiContext): boolean =>
  READINGS.includes(ctx.method) &&
  ctx.get('Sec-Fetch-Mode') === 'navigate' &&
  ctx.get('Sec-Fetch-Dest') === 'document'

/**
 * A tunnel for `/hooks` opens nothing else: other requests must name people's host, or this machine without a proxy.
 */
export function hooksAlone({ PUBLIC_URL, WEBHOOK_URL }: Apart): ApiMiddleware {
  const isForPeople = peoplesHost(new URL(PUBLIC_URL), new URL(WEBHOOK_URL))
  const isFromOutside = (ctx: ApiContext): boolean =>
    namesThisMachine(ctx.host) ? hasPassedProxy(ctx) : !isForPeople(ctx.host)
  return async (ctx, next) => {
    const isForHook = ctx.method === 'POST' && ctx.path.startsWith('/hooks/')
    if (!isForHook && isFromOutside(ctx as ApiContext)) throw new ApiError('NOT_FOUND')
    await next()
  }
}

function peoplesHost(people: URL, hooks: URL): (host: string) => boolean {
  const protocol = people.protocol as 'http:' | 'https:'
  const own = readHost(people.host, protocol)
  // With one name for both, only the port differs.
  const isOneName = own?.name === readHost(hooks.host)?.name
  return (host) => {
    const asked = readHost(host, protocol)
    return asked !== null && asked.name === own?.name && (!isOneName || asked.port === own.port)
  }
}

type Ctx = Parameters<ApiMiddleware>[0]

/** Counts denials by address until the sender is proven. */
export function frontDoor(
  limits: AddressLimits,
  signingKeys: SigningKeys,
  doors: ReadonlySet<string>,
): ApiMiddleware {
  const countOf = (ctx: Ctx, credential: string | null): { bound: AddressBound; key: string } => {
    const address = addressBucket(ctx.state.clientIp)
    const route = `${ctx.method} ${ctx.path}`
    if (ctx.state.headFaults.length === 0 && doors.has(route))
      return { bound: 'doors', key: `${address} ${route}` }
    if (credential !== null && isShapedLikeJwt(credential)) {
      const claims = readAccessJwt(signingKeys, credential)
      // A valid JWT cannot be invented.
      return claims
        ? { bound: 'claims', key: `${address} ${claims.userId}` }
        : { bound: 'strangers', key: address }
    }
    const isClaim = (credential !== null && isShapedLikeSecret(credential)) || hasSession(ctx)
    return { bound: isClaim ? 'claims' : 'strangers', key: address }
  }

  return async (ctx, next) => {
    const credential = credentialIn(ctx)
    const { bound, key } = countOf(ctx, credential)
    if (isSenderGone(ctx) && (isReading(ctx.method) || bound !== 'claims')) throw new SenderGone()
    if (isProbe(ctx)) {
      refuseBeyond(ctx, limits.count('probes', addressBucket(ctx.state.clientIp)))
      await next()
      return
    }
    if (credential === null || !limits.wasGood(credential)) refuseBeyond(ctx, limits.standing(bound, key))
    try {
      if (ctx.state.headFaults.length > 0) throw validationError(ctx.state.headFaults)
      await next()
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500
      if (isRefused && !ctx.state.principal) {
        if (credential !== null) limits.forget(credential)
        const standing = limits.count(bound, key)
        if (!ctx.res.hasHeader('RateLimit-Limit')) applyLimit(ctx, { ...standing, isAllowed: true })
      }
      throw error
    } finally {
      if (credential !== null && isAccessToken(ctx.state.principal)) limits.noteGood(credential)
    }
  }
}

const isAccessToken = (principal: Principal | undefined): boolean =>
  principal !== undefined && principal.tokenId !== null

const isShapedLikeSecret = (text: string): boolean =>
  isWellFormedAccessToken(text, 'dt') ||
  isWellFormedAccessToken(text, 'dtk') ||
  isWellFormedAccessToken(text, 'dth') ||
  TICKET.test(text)

const TICKET = /^[\w-]{43}$/

function credentialIn(ctx: Ctx): string | null {
  if (ctx.state.hookSecret !== undefined) return ctx.state.hookSecret
  const { apiKey, ticket } = ctx.state.query.secrets
  return bearerOf(ctx.get('Authorization')) ?? (ctx.get('X-API-Key') || apiKey[0] || ticket[0] || null)
}

const hasSession = (ctx: Ctx): boolean => ctx.get('Cookie').includes('dt-refresh=')

const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

const isProbe = ({ method, path, state: { query, headFaults } }: Ctx): boolean =>
  isReading(method) &&
  PROBES.has(path) &&
  headFaults.length === 0 &&
  Object.keys(query.values).length + query.secrets.apiKey.length + query.secrets.ticket.length === 0
