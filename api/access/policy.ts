import type { CredentialKind, Principal, Scope } from '../http/principal.ts'
import { TIERS, type TierName } from './tiers.ts'
import type { BoundsPolicy } from './token-bounds.ts'
import type { RouteWork } from '../http/work-bounds.ts'

/** people: those with a session. A token that places orders has the limit of its tier, and no reading of its own beside it. */
type Reserve = 'everybody' | 'people'

/** The access to a route, and its limits. */
export interface RoutePolicy {
  /** Kinds of credential that are taken; none at all where anybody may ask. */
  credentials: readonly CredentialKind[]
  /** A request without any credential is let in too. */
  mayBeAnonymous: boolean
  /** The scope that the credential must have; a JWT has all. */
  scope: Scope | null
  /**
   * How the bounds of a token apply. reading: not at all, since the route changes nothing. Null: nobody has said it, and a
   * token that has a bound is refused.
   */
  bounds: BoundsPolicy | 'reading' | null
  /** Null where requests are not counted. */
  tier: TierName | null
  /** Whose requests are refused only beyond the reserve of its tier, because they place, move or stop money; null for nobody's. */
  reserve: Reserve | null
  /** How much of it goes on at once, and on which connections to the database; null where nothing bounds it. */
  work: RouteWork | null
  /** The user has proven within the last minutes who they are. */
  fresh: boolean
  /** For administrators who have shown their second factor within the last minutes. */
  admin: boolean
  /** An API key may stand in the query: senders of webhooks that can set no header. */
  keyInQuery: boolean
  /** A ticket may stand in the query, good once and for seconds: browsers' event streams can set no header. */
  ticketInQuery: boolean
}

/** A person at the web application, with their session. */
export type SignedIn = Principal & { sessionId: string }

/**
 * A policy that knows whom it lets in.
 *
 * @typeParam Who null where callers without a credential are let in
 */
export interface Access<Who extends Principal | null> extends RoutePolicy {
  /** Never there: it only carries the type to the work of the route. */
  readonly letsIn?: Who
}

/** The policy of a route that asks for nothing out of the ordinary. */
const ORDINARY = {
  bounds: null,
  reserve: null,
  work: 'ordinary',
  fresh: false,
  admin: false,
  keyInQuery: false,
  ticketInQuery: false,
} as const satisfies Partial<RoutePolicy>

/** The parts of a policy out of the ordinary, which does not change whom it lets in. */
type Options = Partial<Omit<RoutePolicy, 'mayBeAnonymous'>>

/** Trading has the reserve, unless a route says that it is for people alone. */
const withReserve = (options: Options): Options => ({
  reserve: options.work === 'trading' || options.work === 'stopping' ? 'everybody' : null,
  ...options,
})

/** For anybody; a credential that comes along does not count. */
export const anyone = (tier: TierName | null, options: Options = {}): Access<null> => ({
  credentials: [],
  mayBeAnonymous: true,
  scope: null,
  tier,
  ...ORDINARY,
  ...options,
})

type ReadingScope = Extract<Scope, `${string}:read`>

/** For programs and the web application alike; a route that changes something says how the bounds of tokens apply. */
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

/** For a person at the web application: no token can do this, however wide its scopes are. */
export const inPerson = (options: Options = {}): Access<SignedIn> => ({
  credentials: ['jwt'],
  mayBeAnonymous: false,
  scope: null,
  tier: 'default',
  ...ORDINARY,
  ...withReserve(options),
})

/** For a person who is signed in, and for callers without a credential. */
export const inPersonOrAnonymous = (tier: TierName): Access<SignedIn | null> => ({
  ...inPerson({ tier }),
  mayBeAnonymous: true,
})

/** For senders that post to the address of a hook, by its secret or their signature. */
export const hookSender = (bounds: BoundsPolicy): Access<Principal> => ({
  credentials: ['hook'],
  mayBeAnonymous: false,
  scope: 'signals:write',
  tier: 'hooks',
  ...ORDINARY,
  bounds,
  work: 'signals',
})

/** For a companion on a desktop, which has a token of its own. */
export const desktop = (): Access<Principal> =>
  scoped('trading:read', { credentials: ['desktop'], tier: 'desktopSync' })

/** For an administrator. */
export const administration = (options: Options = {}): Access<SignedIn> =>
  inPerson({ fresh: true, admin: true, ...options })

/** Whether requests of a person, or of a program, have the reserve of the tier. */
export const hasReserve = ({ reserve }: RoutePolicy, isPerson: boolean): boolean =>
  reserve === 'everybody' || (reserve === 'people' && isPerson)

/** Whether people come in by a route who have no credential yet, as often as a tier by address allows. */
export const isDoor = ({ mayBeAnonymous, tier }: RoutePolicy): boolean =>
  mayBeAnonymous && tier !== null && TIERS[tier].by === 'ip'
