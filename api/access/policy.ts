import type { CredentialKind, Principal } from '../http/principal.ts'
import type { Scope } from '#domain/token-bounds.ts'
import { TIERS, type TierName } from './tiers.ts'
import type { BoundsPolicy } from './token-bounds.ts'
import type { RouteWork } from '../http/work-bounds.ts'

/** `people`: those with a session. A token that places orders has the limit of its tier alone. */
type Reserve = 'everybody' | 'people'

export interface RoutePolicy {
  credentials: readonly CredentialKind[]
  mayBeAnonymous: boolean
  scope: Scope | null
  /** `reading`: bounds do not apply. Null: undeclared, so a token with a bound is refused. */
  bounds: BoundsPolicy | 'reading' | null
  tier: TierName | null
  reserve: Reserve | null
  work: RouteWork | null
  fresh: boolean
  admin: boolean
  keyInQuery: boolean
  /** Good once, for seconds: for event streams of browsers, which cannot set a header. */
  ticketInQuery: boolean
}

export type SignedIn = Principal & { sessionId: string }

/** @typeParam Who null where callers without a credential are let in */
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

/** For programs and people; a changing route says how the bounds of tokens apply. */
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

/** No token can do this, however wide its scopes. */
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

/** People without a credential come in here, bounded by address. */
export const isDoor = ({ mayBeAnonymous, tier }: RoutePolicy): boolean =>
  mayBeAnonymous && tier !== null && TIERS[tier].by === 'ip'
