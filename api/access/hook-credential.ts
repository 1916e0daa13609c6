import type { Database } from '#db/engine/database.ts'
import { noteElsewhere } from '#db/hook/notes.ts'
import type { Background } from '../http/background.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { findHookHolder, type HookHolder } from '#db/hook/hook-auth.ts'
import type { RequestCount } from '#db/identity/request-count.ts'
import { openSecret, type EncryptionKeys } from '#db/broker/secret-box.ts'
import { addressesOf } from '#domain/hook/addresses.ts'
import { isCoveredByPlan } from '#domain/risk/token-bounds.ts'
import { hashAccessToken, isWellFormedAccessToken } from '../http/access-token.ts'
import { bytesOf } from '../http/body.ts'
import type { Principal } from '../http/principal.ts'
import type { ApiContext } from '../http/context.ts'
import { ApiError } from '#contract/errors.ts'
import { isId } from '#contract/values/values.ts'
import { parseTrustedProxies } from '#contract/values/networks.ts'
import { principalOfHolder, type Identified } from './credential.ts'
import { type Standing, applyLimit, setLimitHeaders } from './limits.ts'

const PAUSE_MS = 10_000

/** Notifies the owner of a valid secret or signature from an unlisted address. */
export type HookElsewhere = (hookId: string, ip: string) => void

export function createHookElsewhere(database: Database, background: Background): HookElsewhere {
  /** Milliseconds of `performance.now()`. */
  const notedAt = new Map<string, number>()
  return (hookId, ip) => {
    const now = performance.now()
    if (now - (notedAt.get(hookId) ?? -Infinity) < PAUSE_MS) return
    notedAt.set(hookId, now)
    background.run('note of a request from elsewhere', () => noteElsewhere(database.em.fork(), hookId, ip))
  }
}

/** Seconds between a signing sender's clock and ours. */
const SIGNATURE_HEADER = 'X-Hook-Signature'
const TIMESTAMP_HEADER = 'X-Hook-Timestamp'
const CLOCKS_DIFFER_SECONDS = 300

const SIGNATURE_FORM = /^sha256=([\da-f]{64})$/i
const TIMESTAMP_FORM = /^\d{10}$/

const refused = (): ApiError => new ApiError('HOOK_REFUSED')

export interface IdentifiedHook extends Identified {
  hook: HookHolder
}

type Find = (count: RequestCount | null) => Promise<IdentifiedHook | null>

/** Throws HOOK_REFUSED and HOOK_ADDRESS_REFUSED. Signed messages are not counted: an id alone costs nothing. */
export async function identifyHook(
  secretKeys: EncryptionKeys,
  ctx: ApiContext,
  ask: (find: Find, isCounted: boolean) => Promise<IdentifiedHook | null>,
  elsewhere: HookElsewhere,
): Promise<IdentifiedHook> {
  const { hookId = '' } = ctx.params as { hookId?: string }
  if (!isId(hookId)) throw refused()
  const find =
    (hash: string | null): Find =>
    async (count) => {
      const found = await findHookHolder(ctx.state.em, hookId, hash, count)
      if (!found) return null
      const { holder, counted } = found
      return { principal: principalOfHook(holder), hook: holder, counted, isRefused: holder.isRefused }
    }
  const secret = ctx.state.hookSecret
  const identified =
    secret === undefined
      ? await signedBy(secretKeys, ctx, hookId, () => ask(find(null), false))
      : // The checksum excludes invented secrets without the database.
        isWellFormedAccessToken(secret, 'dth')
        ? await ask(find(hashAccessToken(secret)), true)
        : null
  if (identified === null || !isCoveredByPlan({ kind: 'hook', plan: identified.hook.plan })) throw refused()
  if (!isListed(identified.hook, ctx.state.clientIp)) {
    elsewhere(hookId, ctx.state.clientIp)
    throw new ApiError('HOOK_ADDRESS_REFUSED')
  }
  return identified
}

function isListed({ addresses }: HookHolder, ip: string): boolean {
  if (addresses.length === 0) return true
  const family = isIP(ip)
  const list = parseTrustedProxies(addresses.flatMap(addressesOf).join(','))
  return family !== 0 && list.check(ip, family === 4 ? 'ipv4' : 'ipv6')
}

async function signedBy(
  secretKeys: EncryptionKeys,
  ctx: ApiContext,
  hookId: string,
  find: () => Promise<IdentifiedHook | null>,
): Promise<IdentifiedHook | null> {
  const timestamp = ctx.get(TIMESTAMP_HEADER)
  const [, given] = SIGNATURE_FORM.exec(ctx.get(SIGNATURE_HEADER)) ?? []
  if (given === undefined || !TIMESTAMP_FORM.test(timestamp))
    throw new ApiError('HOOK_REFUSED', {
      message: `Send the secret at the end of the address; or sign the message: ${TIMESTAMP_HEADER} with the seconds since 1970, and ${SIGNATURE_HEADER} with sha256= and the HMAC-SHA256 of timestamp, "." and body in hex`,
    })
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (age > CLOCKS_DIFFER_SECONDS)
    throw new ApiError('HOOK_REFUSED', {
      message: `${TIMESTAMP_HEADER} differs from the time here by more than ${CLOCKS_DIFFER_SECONDS / 60} minutes: sign each message again, and set the clock`,
    })
  const body = await bytesOf(ctx)
  const identified = await find()
  const { sealedSigningKey = null, userId = hookId } = identified?.hook ?? {}
  const key =
    sealedSigningKey === null
      ? NO_KEY
      : openSecret(secretKeys, { table: 'hooks', id: hookId, userId, field: 'signingKey' }, sealedSigningKey)
  ctx.state.hookSignature = given.toLowerCase()
  const right = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest()
  return timingSafeEqual(right, Buffer.from(given, 'hex')) && sealedSigningKey !== null ? identified : null
}

export function heldToRate(standing: Standing, { requestsPerMinute: limit }: HookHolder): Standing {
  const used = standing.limit - standing.remaining
  const isAllowed = standing.isAllowed && used <= limit
  return { ...standing, isAllowed, limit, remaining: Math.max(limit - used, 0) }
}

/** Throws RATE_LIMIT_EXCEEDED; for TradingView HOOK_RATE_EXCEEDED: it repeats after 503, never after 429. */
export function applyRate(ctx: ApiContext, standing: Standing, { kind }: HookHolder): void {
  if (standing.isAllowed || kind !== 'tradingview') return applyLimit(ctx, standing)
  setLimitHeaders(ctx, standing)
  throw new ApiError('HOOK_RATE_EXCEEDED', { headers: { 'Retry-After': String(standing.resetSeconds) } })
}

const NO_KEY = 'none'

export const principalOfHook = (holder: HookHolder): Principal =>
  principalOfHolder({ ...holder, kind: 'hook', tokenId: holder.hookId })
