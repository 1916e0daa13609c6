import type { AccessToken, Routes } from '#client/types.ts'
import { tokenCap } from '#domain/risk/token-bounds.ts'
import { DAY_MS } from '#domain/time/instants.ts'
import { number } from '../words/figures.ts'
import { age, timeLeft } from '../words/times.ts'

export type Scope = Routes['POST /api/v1/tokens']['request'][0]['body']['scopes'][number]

export const SCOPES = {
  'signals:write': {
    name: 'Send signals',
    effect: 'and withdraw them. Approving one that waits stays with you',
  },
  'trading:read': { name: 'Read trading', effect: 'signals, orders, positions, trades, prices, limits' },
  'accounts:read': { name: 'Read accounts', effect: 'balances and connections to brokers, never their keys' },
  'orders:write': {
    name: 'Place orders',
    effect: 'and cancel them, close positions, stop trading; without a signal',
  },
  'accounts:write': {
    name: 'Manage accounts',
    effect: 'connect and remove brokers, sync. Never to real money by itself',
  },
} as const satisfies Record<Scope, { name: string; effect: string }>

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[]

/** Permissions of a token: "send signals, read trading". An unknown scope appears as it is. */
export const scopeWords = (scopes: readonly string[]): string =>
  scopes.map((scope) => SCOPES[scope as Scope]?.name.toLowerCase() ?? scope).join(', ')

/** Reason against a further token by the subscription plan, and a remedy; null for none. */
export function roomWords(
  plan: Parameters<typeof tokenCap>[0],
  tokens: readonly AccessToken[],
): string | null {
  const room = tokenCap(plan)
  if (room === 0)
    return `Your plan ${plan} has no access tokens. Signals can be written by hand; an administrator can change the plan.`
  const held = tokens.filter(({ kind, isExpired }) => kind === 'access' && !isExpired).length
  return held < room
    ? null
    : `Your plan ${plan} has ${number(room)} access tokens, and all are in use. Revoke one first.`
}

export const PURPOSES = {
  signals: { name: 'Send signals', scopes: ['signals:write', 'trading:read'] },
  read: { name: 'Only read', scopes: ['trading:read', 'accounts:read'] },
  all: { name: 'Everything', scopes: ALL_SCOPES },
} as const satisfies Record<string, { name: string; scopes: readonly Scope[] }>

export type Purpose = keyof typeof PURPOSES

/** The purpose with exactly these scopes; undefined for another choice. */
export const purposeOf = (scopes: ReadonlySet<Scope>): Purpose | undefined =>
  (Object.keys(PURPOSES) as Purpose[]).find(
    (purpose) =>
      PURPOSES[purpose].scopes.length === scopes.size &&
      PURPOSES[purpose].scopes.every((scope) => scopes.has(scope)),
  )

/** Days for which a token may be valid. The service's default is a year. */
export const VALIDITIES = { '7': '7 days', '30': '30 days', '90': '90 days', year: 'a year' } as const
export type Validity = keyof typeof VALIDITIES

/** Expiry of a token with this lifetime; undefined leaves it to the service. */
export const endOf = (lifetime: Validity, now: number): string | undefined =>
  lifetime === 'year' ? undefined : new Date(now + Number(lifetime) * DAY_MS).toISOString()

const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })

/** The day of an instant on the device, with its year: "2 March 2027". */
export const dayWords = (instant: string): string => dayAndYear.format(new Date(instant))

/** Milliseconds before expiry from which a warning shows: the sender would stop. */
const TOKEN_ENDS_SOON_MS = 14 * DAY_MS

export function endWords(
  { expiresAt, isExpired, isReadOnly }: Pick<AccessToken, 'expiresAt' | 'isExpired' | 'isReadOnly'>,
  now: number,
): { text: string; isSoon: boolean } {
  if (isReadOnly) return { text: 'with its session', isSoon: false }
  if (expiresAt === null) return { text: 'never', isSoon: false }
  const left = Date.parse(expiresAt) - now
  if (isExpired || left <= 0) return { text: `ended ${age(-left)}`, isSoon: true }
  return { text: `in ${timeLeft(left)}`, isSoon: left < TOKEN_ENDS_SOON_MS }
}

/** Names of kinds; null for a token made here. */
export const KINDS = {
  access: null,
  legacy: 'key for addresses',
  desktop: 'desktop',
} as const satisfies Record<AccessToken['kind'], string | null>
