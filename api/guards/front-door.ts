import { readAccessJwt, isShapedLikeJwt, type SigningKeys } from '../access/access-jwt.ts'
import { isWellFormedAccessToken } from '../access/access-token.ts'
import type { AddressBound, AddressLimits } from '../access/address-limits.ts'
import { bearerOf } from '../access/credential.ts'
import { addressBucket } from '../access/client-address.ts'
import { applyLimit, refuseBeyond } from '../access/rate-limit-headers.ts'
import type { ApiMiddleware } from '../http/context.ts'
import { ApiError, validationError } from '../http/errors.ts'
import { isReading, isSenderGone, SenderGone } from '../http/sender.ts'

type Ctx = Parameters<ApiMiddleware>[0]

/**
 * What a request has to pass before anything is done for it, the search for its route included: its sender is still
 * there, its address has not had too much refused lately, and its head can be read in one way only. It counts by
 * address what is refused before its sender has proven who they are; whoever has is counted by their own tier.
 */
export function frontDoor(limits: AddressLimits, signingKeys: SigningKeys): ApiMiddleware {
  /** How a credential tells before it is looked up; it may be that of nobody. */
  const isClaim = (text: string): boolean =>
    isShapedLikeJwt(text)
      ? readAccessJwt(signingKeys, text) !== null
      : isWellFormedAccessToken(text, 'dt') || isWellFormedAccessToken(text, 'dtk') || TICKET.test(text)

  return async (ctx, next) => {
    const address = addressBucket(ctx.state.clientIp)
    const credential = credentialIn(ctx)
    const isGood = credential !== null && limits.wasGood(credential)
    const isClaimed = isGood || (credential !== null && isClaim(credential)) || hasSession(ctx)
    if (isSenderGone(ctx) && (isReading(ctx.method) || !isClaimed)) throw new SenderGone()
    if (isProbe(ctx)) {
      refuseBeyond(ctx, limits.count('probes', address))
      await next()
      return
    }
    const bound: AddressBound = isClaimed ? 'claims' : 'strangers'
    if (!isGood) refuseBeyond(ctx, limits.standing(bound, address))
    try {
      if (ctx.state.headFaults.length > 0) throw validationError(ctx.state.headFaults)
      await next()
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500
      if (isRefused && !ctx.state.principal) {
        const standing = limits.count(bound, address)
        // A tier that has counted the request says more of what its sender may do.
        if (!ctx.res.hasHeader('RateLimit-Limit')) applyLimit(ctx, { ...standing, isAllowed: true })
      }
      throw error
    } finally {
      if (credential !== null && ctx.state.principal) limits.noteGood(credential)
    }
  }
}

/** What an opaque secret looks like. */
const TICKET = /^[\w-]{43}$/

/** The credential of a request as it came; the authorization guard refuses several of them. */
function credentialIn(ctx: Ctx): string | null {
  const { apiKey, ticket } = ctx.state.query.secrets
  return bearerOf(ctx.get('Authorization')) ?? (ctx.get('X-API-Key') || apiKey[0] || ticket[0] || null)
}

/** Whether a browser brings the cookie by which sessions are renewed. */
const hasSession = (ctx: Ctx): boolean => ctx.get('Cookie').includes('dt-refresh=')

const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** With a query, or faulty, it is no probe's. */
const isProbe = ({ method, path, state: { query, headFaults } }: Ctx): boolean =>
  isReading(method) &&
  PROBES.has(path) &&
  headFaults.length === 0 &&
  Object.keys(query.values).length + query.secrets.apiKey.length + query.secrets.ticket.length === 0
