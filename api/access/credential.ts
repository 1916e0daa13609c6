import { findTokenHolder, type TokenHolder } from '#db/identity/access-tokens.ts'
import { takeEventTicket } from '#db/identity/event-tickets.ts'
import { findSessionHolder } from '#db/identity/sessions.ts'
import type { Counted, RequestCount } from '#db/identity/request-count.ts'
import { hashAccessToken, isSameHash, isWellFormedAccessToken } from '../http/access-token.ts'
import type { Principal } from '../http/principal.ts'
import type { ApiContext } from '../http/context.ts'
import { UNBOUNDED, SCOPES, isCoveredByPlan } from '#domain/risk/token-bounds.ts'
import {
  type TokenUse,
  isShapedLikeJwt,
  readAccessJwt,
  type SigningKeys,
  hashOpaqueSecret,
} from './access-jwt.ts'
import { beforeDatabaseDeadline, within } from '../http/deadline.ts'
import { ApiError, fault, validationError } from '#contract/errors.ts'

type Place = 'the Authorization header' | 'X-API-Key' | 'the query'

const HOW = 'send "Authorization: Bearer" and the access token behind it'
const ENDS_ODDLY = 'a blank, a line break or another sign that is none of it'

const OTHER_HEADERS: ReadonlySet<string> = new Set(
  'api-key apikey x-apikey x-api-token x-auth-token x-access-token x-token token authentication x-authorization auth bearer'.split(
    ' ',
  ),
)
const OTHER_PARAMETERS: ReadonlySet<string> = new Set(
  'apikey api_key api-key key token access_token accesstoken auth bearer authorization secret x-api-key'.split(
    ' ',
  ),
)
const SCHEMES = ['Basic', 'Token', 'Digest', 'ApiKey', 'Api-Key', 'Key', 'JWT', 'OAuth'] as const

function faultOfAbsence(headers: readonly string[], parameters: readonly string[]): string {
  if (headers.some((name) => OTHER_HEADERS.has(name.toLowerCase())))
    return `The credential is in a header that is not read here: ${HOW}`
  if (parameters.some((name) => OTHER_PARAMETERS.has(name.toLowerCase())))
    return `The credential is in a parameter of the address that is not read here: ${HOW}; an API key (dtk_) may be sent as X-API-Key, and to POST /api/v1/signals as apiKey, spelled so, where the server allows that`
  return `The request carries no credential: ${HOW}; one in the body is not read`
}

function faultOfAuthorization(header: string): string {
  if (unquoted(header) !== header)
    return 'The Authorization header begins or ends with a quote: leave quotes out'
  const words = header.trim().split(/\s+/)
  const [scheme = '', next = ''] = words.map(unquoted)
  if (/^bearer$/i.test(scheme) && /^bearer$/i.test(next))
    return `The Authorization header says Bearer twice: ${HOW}`
  if (/^bearer:/i.test(scheme)) return `There is a colon behind Bearer in the Authorization header: ${HOW}`
  if (/^bearer$/i.test(scheme))
    return words.length === 1
      ? `The Authorization header has no access token behind Bearer: ${HOW}`
      : `The Authorization header has more than one word behind Bearer: ${HOW}`
  const other = SCHEMES.find((name) => name.toLowerCase() === scheme.toLowerCase())
  if (other !== undefined) return `The Authorization header says ${other} in the place of Bearer: ${HOW}`
  return `The Authorization header does not begin with Bearer: ${HOW}`
}

function faultOfCredential(text: string, place: Place): string | null {
  const where = place === 'the query' ? 'apiKey in the query' : place
  const plain = unquoted(text)
  if (plain !== text) return `The credential of ${where} begins or ends with a quote: leave quotes out`
  if (/^bearer/i.test(text)) return `The credential of ${where} begins with Bearer, which is none of it`
  if (text.includes('{{') || /^(undefined|null|nan)$/i.test(text))
    return `The placeholder for the credential of ${where} was never replaced by the credential`
  const form = /^\s*(dtk?)_/.exec(text)?.[1]
  if (form === 'dt' && place !== 'the Authorization header')
    return `An access token (dt_) is where API keys (dtk_) are read, in ${where}: ${HOW}`
  if (form === 'dtk' && place === 'the Authorization header')
    return 'An API key (dtk_) is where access tokens (dt_) are read, in the Authorization header: send it as X-API-Key'
  if (form === undefined) return null
  const [, letters = '', rest = ''] = /^\s*dtk?_([0-9A-Za-z]*)(.*)$/s.exec(text) ?? []
  if (rest !== '' || /^\s/.test(text))
    return `The credential of ${where} begins or ends with ${ENDS_ODDLY}: copy it again`
  // Thirty characters and a checksum of six.
  return letters.length < 36 ? `The credential of ${where} is cut off: copy it again` : null
}

const unquoted = (text: string): string => text.replace(/^["'`“”‘’]/, '').replace(/["'`“”‘’]$/, '')

export interface CredentialDeps {
  signingKeys: SigningKeys
  tokenUse: TokenUse
}

export type PresentedCredential =
  { form: 'bearer' | 'api-key'; text: string; place: Place } | { form: 'ticket'; text: string }

export interface Counting {
  count: RequestCount
  giveBack(principal: Principal, counted: Counted): void
}

const BEARER = /^Bearer +(\S+)$/i

export const bearerOf = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1]

/** Raw headers show repetitions that Node merges. Throws UNAUTHENTICATED for two, or a malformed one. */
export function presentedCredential(
  ctx: ApiContext,
  inQuery: { key: boolean; ticket: boolean },
): PresentedCredential | null {
  const authorizations = headersNamed(ctx, 'authorization')
  const headerKeys = headersNamed(ctx, 'x-api-key')
  const { apiKey: queryKeys, ticket: tickets } = ctx.state.query.secrets
  if (queryKeys.length > 1)
    throw validationError([fault(['apiKey'], 'repeated', 'apiKey must be given once')])
  if (tickets.length > 1) throw validationError([fault(['ticket'], 'repeated', 'ticket must be given once')])
  const presented = [...authorizations, ...headerKeys, ...queryKeys, ...tickets].filter((text) => text !== '')
  if (presented.length > 1 || authorizations.length > 1 || headerKeys.length > 1)
    throw unauthenticated('The request carries more than one credential: send one')
  const [authorization = ''] = authorizations
  const [headerKey = ''] = headerKeys
  if (tickets.length > 0) {
    if (!inQuery.ticket || tickets[0] === '') throw unauthenticated()
    return { form: 'ticket', text: tickets[0]! }
  }
  if (queryKeys.length > 0) {
    if (!inQuery.key) throw invalidApiKey('No API key is taken from the query here: send it as X-API-Key')
    if (queryKeys[0] === '') throw invalidApiKey('apiKey in the query is empty')
    // Deprecation date (RFC 9745): keys in the query end up in logs.
    ctx.set('Deprecation', '@1767225600')
    return { form: 'api-key', text: queryKeys[0]!, place: 'the query' }
  }
  if (headerKey !== '') return { form: 'api-key', text: headerKey, place: 'X-API-Key' }
  if (authorization === '') return null
  const text = bearerOf(authorization)
  if (text === undefined) throw unauthenticated(faultOfAuthorization(authorization))
  return { form: 'bearer', text, place: 'the Authorization header' }
}

const headersNamed = ({ req: { rawHeaders } }: ApiContext, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name)

export interface Identified {
  principal: Principal
  isRefused: boolean
  counted: Counted | null
}

/** The reason stays secret. Throws UNAUTHENTICATED or INVALID_API_KEY. */
export async function principalOfCredential(
  deps: CredentialDeps,
  ctx: ApiContext,
  presented: PresentedCredential,
  counting: Counting | null,
): Promise<Identified> {
  const { form, text } = presented
  if (form === 'ticket') return principalOfTicket(ctx, text, counting)
  if (isJwt(presented)) return principalOfJwt(deps, ctx, text, counting)
  return principalOfToken(deps, ctx, presented, counting)
}

export const isJwt = ({ form, text }: PresentedCredential): boolean =>
  form === 'bearer' && isShapedLikeJwt(text)

async function principalOfJwt(
  { signingKeys }: CredentialDeps,
  ctx: ApiContext,
  text: string,
  counting: Counting | null,
): Promise<Identified> {
  const claims = readAccessJwt(signingKeys, text)
  if (!claims) throw unauthenticated()
  return principalOfSession(ctx, claims, counting)
}

async function principalOfTicket(
  ctx: ApiContext,
  text: string,
  counting: Counting | null,
): Promise<Identified> {
  const holder = await beforeDatabaseDeadline(ctx, takeEventTicket(ctx.state.em, hashOpaqueSecret(text)))
  if (!holder) throw unauthenticated()
  return principalOfSession(ctx, { ...holder, expiresAt: null }, counting)
}

async function principalOfSession(
  ctx: ApiContext,
  { userId, sessionId, expiresAt }: { userId: string; sessionId: string; expiresAt: Date | null },
  counting: Counting | null,
): Promise<Identified> {
  const found = await findAndCount(ctx, counting, async (count) => {
    const found = await findSessionHolder(ctx.state.em, userId, sessionId, count)
    if (!found) return null
    const { role, tradingMode, verifiedAt, secondFactorAt } = found.holder
    const scopes = new Set<string>(SCOPES)
    const person = { userId, role, tradingMode, sessionId, expiresAt, verifiedAt, secondFactorAt }
    const principal: Principal = {
      ...person,
      credential: 'jwt',
      isInPerson: true,
      scopes,
      tokenId: null,
      bounds: UNBOUNDED,
    }
    return { principal, counted: found.counted, isRefused: false }
  })
  if (!found) throw unauthenticated()
  return found
}

async function principalOfToken(
  { tokenUse }: CredentialDeps,
  ctx: ApiContext,
  { form: presentedAs, text, place }: Exclude<PresentedCredential, { form: 'ticket' }>,
  counting: Counting | null,
): Promise<Identified> {
  const form = presentedAs === 'api-key' ? 'dtk' : 'dt'
  const refused = form === 'dtk' ? invalidApiKey : unauthenticated
  // The checksum excludes invented tokens without the database.
  if (!isWellFormedAccessToken(text, form)) throw refused(faultOfCredential(text, place) ?? undefined)
  const hash = hashAccessToken(text)
  const found = await findAndCount(ctx, counting, async (count) => {
    const found = await findTokenHolder(ctx.state.em, hash, count)
    return (
      found && {
        ...found,
        principal: principalOfHolder(found.holder),
        isRefused: found.holder.isRefused,
      }
    )
  })
  if (!found || !isSameHash(found.holder.hash, hash) || !isUsable(found.holder, form)) throw refused()
  const { holder, counted, principal, isRefused } = found
  tokenUse.note(holder)
  return { principal, counted, isRefused }
}

const NO_PERSON = {
  isInPerson: false,
  sessionId: null,
  expiresAt: null,
  verifiedAt: null,
  secondFactorAt: null,
}

export const principalOfHolder = ({
  kind,
  userId,
  role,
  tradingMode,
  tokenId,
  bounds,
  scopes,
}: Pick<TokenHolder, 'userId' | 'role' | 'tradingMode' | 'tokenId' | 'bounds' | 'scopes'> & {
  kind: TokenHolder['kind'] | 'hook'
}): Principal => ({
  credential: kind,
  userId,
  role,
  tradingMode,
  scopes: new Set(scopes),
  bounds,
  tokenId,
  ...NO_PERSON,
})

/** In one statement; after a failure or timeout it finds without counting, and gives a late count back. */
export async function findAndCount<Found extends Identified>(
  ctx: ApiContext,
  counting: Counting | null,
  find: (count: RequestCount | null) => Promise<Found | null>,
): Promise<Found | null> {
  if (counting) {
    const both = find(counting.count)
    const together = await within(counting.count.limit, 'the count', both).then(asFound, () => null)
    if (together) return together.found
    void both.then(
      (late) => late?.counted && counting.giveBack(late.principal, late.counted),
      () => {},
    )
  }
  return beforeDatabaseDeadline(ctx, find(null))
}

const asFound = <Found>(found: Found): { found: Found } => ({ found })

const isUsable = (holder: TokenHolder, form: 'dt' | 'dtk'): boolean =>
  (holder.kind === 'legacy') === (form === 'dtk') && isCoveredByPlan(holder)

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="durable-trader"' }
export const unauthenticated = (message?: string): ApiError =>
  new ApiError('UNAUTHENTICATED', { headers: CHALLENGE, ...(message !== undefined && { message }) })
const invalidApiKey = (message?: string): ApiError =>
  new ApiError('INVALID_API_KEY', { headers: CHALLENGE, ...(message !== undefined && { message }) })

export const withoutCredential = ({ req: { rawHeaders }, state: { query } }: ApiContext): ApiError =>
  unauthenticated(
    faultOfAbsence(
      rawHeaders.filter((_, index) => index % 2 === 0),
      Object.keys(query.values),
    ),
  )
