import { readAccessJwt, isShapedLikeJwt, type SigningKeys } from '../access/access-jwt.ts'
import { isWellFormedAccessToken } from '../http/access-token.ts'
import type { AddressBound, AddressLimits } from '../access/address-limits.ts'
import { bearerOf } from '../access/credential.ts'
import { addressBucket } from '../access/client-address.ts'
import { applyLimit, refuseBeyond } from '../access/rate-limit-headers.ts'
import type { ApiMiddleware } from '../http/context.ts'
import { ApiError, validationError } from '#contract/errors.ts'
import type { Principal } from '../http/principal.ts'
import { isReading, isSenderGone, SenderGone } from '../http/sender.ts'

type Ctx = Parameters<ApiMiddleware>[0]

/** Before the route is looked for; counts refusals by address until the sender is proven. */
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
      // A JWT cannot be invented, so its user has a count of their own.
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
