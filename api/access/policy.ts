import {
  exceededBounds,
  TOKEN_BOUNDS,
  type BoundedAct,
  type TokenBound,
  type Scope,
} from '#domain/risk/token-bounds.ts'
import { ApiError, fault, type Fault } from '#contract/errors.ts'
import type { Principal, CredentialKind } from '../http/principal.ts'
import type { RouteWork } from '../http/work-bounds.ts'

type LimitKey = 'ip' | 'device' | 'principal'

export interface Bound {
  limit: number
  seconds: number
}

export interface RateLimitState {
  isAllowed: boolean
  limit: number
  remaining: number
  resetSeconds: number
}

export interface Tier extends Bound {
  by: LimitKey
}

export const MINUTE_SECONDS = 60

const MOST_OF_HOOK = 600

export const TIERS = {
  auth: { limit: 10, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  password: { limit: 3, seconds: 60 * MINUTE_SECONDS, by: 'ip' },
  secondFactor: { limit: 10, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  refresh: { limit: 100, seconds: 15 * MINUTE_SECONDS, by: 'ip' },
  desktopSync: { limit: 60, seconds: MINUTE_SECONDS, by: 'device' },
  default: { limit: 200, seconds: MINUTE_SECONDS, by: 'principal' },
  hooks: { limit: MOST_OF_HOOK, seconds: MINUTE_SECONDS, by: 'principal' },
  hooksOfPerson: { limit: MOST_OF_HOOK, seconds: MINUTE_SECONDS, by: 'principal' },
} as const satisfies Record<string, Tier>

export type TierName = keyof typeof TIERS

/** Extra requests for routes that place, move or stop money. */
export const RESERVE = 60

export const limitOf = (tier: TierName, { reserve }: { reserve: boolean }): number =>
  TIERS[tier].limit + (reserve ? RESERVE : 0)

const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS

/** NIST SP 800-63B, section 3.2.2: at most 100 in a month. */
const IN_A_ROW = { limit: 100, seconds: 30 * DAY_SECONDS }

/** Attempts on one account, from any address. */
export const ATTEMPTS = {
  password: [{ limit: 20, seconds: 15 * MINUTE_SECONDS }, IN_A_ROW],
  secondFactor: [{ limit: 10, seconds: 15 * MINUTE_SECONDS }, IN_A_ROW],
  secondFactorInAll: [{ limit: 30, seconds: DAY_SECONDS }],
  /** Mails to one address, requested by one; warnings do not count. */
  mail: [{ limit: 5, seconds: 60 * MINUTE_SECONDS }],
  mailInAll: [{ limit: 20, seconds: 60 * MINUTE_SECONDS }],
} as const satisfies Record<string, readonly [Bound, ...Bound[]]>

export type AttemptKind = keyof typeof ATTEMPTS

/** refused: closes the route. judged: checked by {@link requireWithinBounds}. free: irrelevant. */
type BoundUse = 'refused' | 'judged' | 'free'

export type BoundsPolicy = Readonly<Record<TokenBound, BoundUse>>

export const FREE: BoundsPolicy = {
  pendingOnly: 'free',
  accountIds: 'free',
  symbols: 'free',
  maxOrderValue: 'free',
  ownSignalsOnly: 'free',
  demoOnly: 'free',
}

/** Throws TOKEN_BOUNDS_EXCEEDED; null closes the route to bounded tokens. */
export function requireOpenToBounds(
  { bounds }: Pick<Principal, 'bounds'>,
  policy: BoundsPolicy | 'reading' | null,
): void {
  if (policy === 'reading') return
  const closing = TOKEN_BOUNDS.filter(
    (bound) => bound in bounds && (policy?.[bound] ?? 'refused') === 'refused',
  )
  if (closing.length === 0) return
  throw tokenBoundsExceeded(
    closing.map((bound) => ({ bound, message: `A token that is bound by ${bound} cannot use this route` })),
  )
}

export function requireWithinBounds({ bounds }: Pick<Principal, 'bounds'>, act: BoundedAct): void {
  const exceeded = exceededBounds(bounds, act)
  if (exceeded.length > 0) throw tokenBoundsExceeded(exceeded)
}

export const isOwnOf = (
  { tokenId }: Pick<Principal, 'tokenId'>,
  sentBy: string | null | undefined,
): boolean => tokenId === null || sentBy === tokenId

export const tokenBoundsExceeded = (exceeded: readonly { bound: TokenBound; message: string }[]): ApiError =>
  new ApiError('TOKEN_BOUNDS_EXCEEDED', {
    details: exceeded.map(({ bound, message }) => fault([bound], 'token_bound', message)),
  })

/** `people`: with a session; a token that places orders has only its tier's limit. */
type Reserve = 'everybody' | 'people'

export interface RoutePolicy {
  credentials: readonly CredentialKind[]
  mayBeAnonymous: boolean
  scope: Scope | null
  /** `reading`: bounds do not apply. Null closes the route to bounded tokens. */
  bounds: BoundsPolicy | 'reading' | null
  tier: TierName | null
  reserve: Reserve | null
  work: RouteWork | null
  fresh: boolean
  admin: boolean
  keyInQuery: boolean
  /** Valid once, for seconds: browsers' event streams cannot set headers. */
  ticketInQuery: boolean
}

export type SignedIn = Principal & { sessionId: string }

/** @typeParam Who null where callers need no credential */
export interface Access<Who extends Principal | null> extends RoutePolicy {
  readonly letsIn?: Who
}

const ORDINARY = {
  bounds: null,
  reserve: null,
  work: 'ordinary',
  fresh: false,
  admin: false,
  keyInQuery: false,
  ticketInQuery: false,
} as const satisfies Partial<RoutePolicy>

type Options = Partial<Omit<RoutePolicy, 'mayBeAnonymous'>>

const withReserve = (options: Options): Options => ({
  reserve: options.work === 'trading' || options.work === 'stopping' ? 'everybody' : null,
  ...options,
})

export const anyone = (tier: TierName | null, options: Options = {}): Access<null> => ({
  credentials: [],
  mayBeAnonymous: true,
  scope: null,
  tier,
  ...ORDINARY,
  ...options,
})

type ReadingScope = Extract<Scope, `${string}:read`>

/** For programs and people. */
export function scoped(scope: ReadingScope, options?: Omit<Options, 'bounds'>): Access<Principal>
export function scoped(
  scope: Exclude<Scope, ReadingScope>,
  options: Options & { bounds: BoundsPolicy },
): Access<Principal>
export function scoped(scope: Scope, options: Options = {}): Access<Principal> {
  return {
    credentials: ['access', 'legacy', 'desktop', 'jwt'],
    mayBeAnonymous: false,
    scope,
    tier: 'default',
    ...ORDINARY,
    bounds: scope.endsWith(':read') ? 'reading' : null,
    ...withReserve(options),
  }
}

/** Closed to all tokens. */
export const inPerson = (options: Options = {}): Access<SignedIn> => ({
  credentials: ['jwt'],
  mayBeAnonymous: false,
  scope: null,
  tier: 'default',
  ...ORDINARY,
  ...withReserve(options),
})

export const inPersonOrAnonymous = (tier: TierName): Access<SignedIn | null> => ({
  ...inPerson({ tier }),
  mayBeAnonymous: true,
})

export const hookSender = (bounds: BoundsPolicy): Access<Principal> => ({
  credentials: ['hook'],
  mayBeAnonymous: false,
  scope: 'signals:write',
  tier: 'hooks',
  ...ORDINARY,
  bounds,
  work: 'signals',
})

export const desktop = (): Access<Principal> =>
  scoped('trading:read', { credentials: ['desktop'], tier: 'desktopSync' })

export const administration = (options: Options = {}): Access<SignedIn> =>
  inPerson({ fresh: true, admin: true, ...options })

export const hasReserve = ({ reserve }: RoutePolicy, isPerson: boolean): boolean =>
  reserve === 'everybody' || (reserve === 'people' && isPerson)

/** Open without a credential, limited by address. */
export const isDoor = ({ mayBeAnonymous, tier }: RoutePolicy): boolean =>
  mayBeAnonymous && tier !== null && TIERS[tier].by === 'ip'

const FRESH_FOR_MS = 5 * 60_000

export const isFreshProof = (provenAt: Date | null): boolean =>
  provenAt !== null && Date.now() - provenAt.getTime() <= FRESH_FOR_MS

/** For a need that depends on the request. Throws VERIFICATION_REQUIRED. */
export function requireFreshProof(
  { verifiedAt }: Pick<Principal, 'verifiedAt'>,
  details: Fault[] = [],
): void {
  if (!isFreshProof(verifiedAt)) throw new ApiError('VERIFICATION_REQUIRED', { details })
}
