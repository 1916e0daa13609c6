import type { CredentialKind, Scope } from '../http/principal.ts'
import type { TierName } from './tiers.ts'
import type { WorkKind } from '../http/work-bounds.ts'

/** Who may use a route, and how often. */
export interface RoutePolicy {
  /** Kinds of credential that are taken; none at all where anybody may ask. */
  credentials: readonly CredentialKind[]
  /** A request without any credential is let in too. */
  mayBeAnonymous: boolean
  /** What the credential must be allowed; a JWT is allowed everything. */
  scope: Scope | null
  /** Null where requests are not counted. */
  tier: TierName | null
  /** How much of it goes on at once, and on which connections to the database; null where nothing bounds it. */
  work: WorkKind | null
  /** The user has proven within the last minutes who they are. */
  fresh: boolean
  /** For administrators who have shown their second factor within the last minutes. */
  admin: boolean
  /** An API key may stand in the query: senders of webhooks that can set no header. */
  keyInQuery: boolean
  /** A ticket may stand in the query, good once and for seconds: browsers' event streams can set no header. */
  ticketInQuery: boolean
}

/** What holds of a route that asks for nothing out of the ordinary. */
const ORDINARY = {
  work: 'ordinary',
  fresh: false,
  admin: false,
  keyInQuery: false,
  ticketInQuery: false,
} as const satisfies Partial<RoutePolicy>

const anyone = (tier: TierName | null, options: Partial<RoutePolicy> = {}): RoutePolicy => ({
  credentials: [],
  mayBeAnonymous: true,
  scope: null,
  tier,
  ...ORDINARY,
  ...options,
})

/** For programs and the web application alike. */
const scoped = (scope: Scope, options: Partial<RoutePolicy> = {}): RoutePolicy => ({
  credentials: ['access', 'legacy', 'desktop', 'jwt'],
  mayBeAnonymous: false,
  scope,
  tier: 'default',
  ...ORDINARY,
  ...options,
})

/** For a person at the web application: no token can do this, however wide its scopes are. */
const inPerson = (options: Partial<RoutePolicy> = {}): RoutePolicy => ({
  credentials: ['jwt'],
  mayBeAnonymous: false,
  scope: null,
  tier: 'default',
  ...ORDINARY,
  ...options,
})

/** For a companion on a desktop, which has a token of its own. */
const desktop = (): RoutePolicy => scoped('trading:read', { credentials: ['desktop'], tier: 'desktopSync' })

/** For an administrator. */
const administration = (options: Partial<RoutePolicy> = {}): RoutePolicy =>
  inPerson({ fresh: true, admin: true, ...options })

/**
 * Every route and who may use it. The application does not start with a route that is not listed: whoever adds one
 * has to decide here.
 */
export const ACCESS_POLICY: Readonly<Record<string, RoutePolicy>> = {
  'GET /': anyone('default'),
  'GET /openapi.json': anyone('default'),
  'GET /docs': anyone('default'),
  'GET /docs/:file': anyone('default'),
  // The page itself asks for more: this machine, and the secret of its data folder.
  'GET /mailbox': anyone('default'),
  // Probes ask often, and must be answered while nothing can be counted and others from their address ask for much.
  'GET /healthz': anyone(null, { work: null }),
  'GET /readyz': anyone(null, { work: null }),
  // Asked before anybody signs in; an administrator is told more.
  'GET /api/v1/app': inPerson({ mayBeAnonymous: true }),

  'POST /api/v1/signals': scoped('signals:write', { work: 'trading', keyInQuery: true }),
  'GET /api/v1/signals': scoped('trading:read'),
  'GET /api/v1/signals/:id': scoped('trading:read'),
  'GET /api/v1/signals/:id/events': scoped('trading:read'),
  'GET /api/v1/signals/:id/source': scoped('trading:read'),
  // The broker is asked within the bounds of its dry run.
  'GET /api/v1/signals/:id/check': scoped('trading:read'),
  // With a fresh proof for live accounts, which the command asks for.
  'POST /api/v1/signals/process': inPerson({ work: 'trading' }),
  'POST /api/v1/signals/reject': inPerson({ work: 'trading' }),
  'POST /api/v1/signals/:id/process': inPerson({ work: 'trading' }),
  'POST /api/v1/signals/:id/reject': inPerson({ work: 'trading' }),
  'DELETE /api/v1/signals/:id': scoped('signals:write', { work: 'trading' }),
  'DELETE /api/v1/signals/:id/exit': scoped('signals:write', { work: 'trading' }),

  'GET /api/v1/agenda': scoped('trading:read'),

  'GET /api/v1/alerts': scoped('trading:read'),
  'POST /api/v1/alerts/:id/acknowledge': scoped('orders:write'),

  'GET /api/v1/assets/:symbol': scoped('trading:read', { work: 'broker' }),
  'GET /api/v1/market/quotes': scoped('trading:read', { work: 'broker' }),
  'GET /api/v1/market/bars': scoped('trading:read', { work: 'broker' }),

  'GET /api/v1/settings/risk': scoped('trading:read'),
  'GET /api/v1/settings/risk/:accountId': scoped('trading:read'),
  // With a fresh proof where a limit is loosened, which the command asks for.
  'PUT /api/v1/settings/risk/:accountId': inPerson(),
  'DELETE /api/v1/settings/risk/:accountId': inPerson(),
  'GET /api/v1/settings/halts': scoped('trading:read'),
  // A program may stop trading; that it goes on again is for a person to say.
  'PUT /api/v1/settings/halt': scoped('orders:write', { work: 'trading' }),
  'DELETE /api/v1/settings/halt': inPerson({ fresh: true }),
  'PUT /api/v1/settings/halt/:accountId': scoped('orders:write', { work: 'trading' }),
  'DELETE /api/v1/settings/halt/:accountId': inPerson({ fresh: true }),

  'GET /api/v1/strategies': scoped('trading:read'),
  'POST /api/v1/strategies': inPerson(),
  'GET /api/v1/strategies/:strategyId': scoped('trading:read'),
  'PATCH /api/v1/strategies/:strategyId': inPerson(),
  'DELETE /api/v1/strategies/:strategyId': inPerson(),

  'GET /api/v1/dashboard/summary': scoped('trading:read'),
  'GET /api/v1/dashboard/balance-history': scoped('trading:read'),
  'GET /api/v1/dashboard/account-performance': scoped('trading:read'),

  'GET /api/v1/orders': scoped('trading:read'),
  'GET /api/v1/orders/open-trades': scoped('trading:read'),
  'GET /api/v1/orders/:orderId': scoped('trading:read'),
  'GET /api/v1/trades': scoped('trading:read'),
  'GET /api/v1/trades/:tradeId': scoped('trading:read'),
  'POST /api/v1/orders': scoped('orders:write', { work: 'trading' }),
  'GET /api/v1/orders/:orderId/status': scoped('trading:read'),
  'GET /api/v1/orders/:orderId/events': scoped('trading:read'),
  'DELETE /api/v1/orders/:orderId': scoped('orders:write', { work: 'trading' }),
  'GET /api/v1/positions': scoped('trading:read'),
  'GET /api/v1/positions/:accountId': scoped('trading:read'),
  'POST /api/v1/positions/:accountId/close': scoped('orders:write', { work: 'trading' }),
  'POST /api/v1/positions/:accountId/:symbol/close': scoped('orders:write', { work: 'trading' }),
  'GET /api/v1/accounts': scoped('accounts:read'),
  'GET /api/v1/accounts/:accountId': scoped('accounts:read'),
  'GET /api/v1/accounts/:accountId/summary': scoped('accounts:read'),
  'POST /api/v1/accounts/sync': scoped('accounts:write', { work: 'broker' }),
  'POST /api/v1/accounts/sync/:brokerId': scoped('accounts:write', { work: 'broker' }),
  'POST /api/v1/accounts/:accountId/sync': scoped('accounts:write', { work: 'broker' }),
  // A live account only in person, which the command asks for.
  'PUT /api/v1/accounts/:accountId/primary': scoped('accounts:write'),
  // To LIVE only in person, which the command asks for; back to PAPER anybody may who manages accounts.
  'POST /api/v1/accounts/mode': scoped('accounts:write'),

  'GET /api/v1/brokers': scoped('accounts:read'),
  'POST /api/v1/brokers': scoped('accounts:write', { work: 'broker' }),
  'GET /api/v1/brokers/types': scoped('accounts:read'),
  'GET /api/v1/brokers/:brokerId': scoped('accounts:read'),
  'PATCH /api/v1/brokers/:brokerId': scoped('accounts:write', { work: 'broker' }),
  'DELETE /api/v1/brokers/:brokerId': scoped('accounts:write'),
  'POST /api/v1/brokers/:brokerId/test': scoped('accounts:write', { work: 'broker' }),

  'GET /api/v1/events': scoped('trading:read', { ticketInQuery: true }),
  'POST /api/v1/events/ticket': inPerson(),

  'POST /api/v1/auth/register': anyone('auth'),
  'POST /api/v1/auth/register/confirm': anyone('auth'),
  'POST /api/v1/auth/login': anyone('auth'),
  'POST /api/v1/auth/forgot-password': anyone('auth'),
  'POST /api/v1/auth/reset-password': anyone('auth'),
  'POST /api/v1/auth/refresh': anyone('refresh'),
  'POST /api/v1/auth/logout': anyone('default'),
  'POST /api/v1/auth/verify': inPerson(),
  'PUT /api/v1/auth/password': inPerson({ tier: 'password' }),

  'POST /api/v1/auth/mfa/setup': inPerson({ fresh: true }),
  // The second step of a sign-in, which has no JWT yet, and the end of an enrolment, which needs one.
  'POST /api/v1/auth/mfa/verify': inPerson({ tier: 'secondFactor', mayBeAnonymous: true }),
  'POST /api/v1/auth/mfa/disable': inPerson({ tier: 'password' }),
  'POST /api/v1/auth/mfa/backup-codes/regenerate': inPerson({ tier: 'password' }),

  'POST /api/v1/auth/desktop-login': anyone('auth'),
  'POST /api/v1/auth/device-login': anyone('auth'),
  'POST /api/v1/auth/device-login/token': anyone('default'),
  'GET /api/v1/auth/device-login/:userCode': inPerson(),
  'POST /api/v1/auth/device-login/:userCode/approve': inPerson({ fresh: true }),
  'POST /api/v1/auth/device-login/:userCode/deny': inPerson(),

  'GET /api/v1/me': inPerson(),
  'GET /api/v1/audit-log': inPerson(),
  'GET /api/v1/sessions': inPerson(),
  'DELETE /api/v1/sessions': inPerson(),
  'DELETE /api/v1/sessions/:sessionId': inPerson(),

  'GET /api/v1/tokens': inPerson(),
  'POST /api/v1/tokens': inPerson({ fresh: true }),
  'DELETE /api/v1/tokens/:tokenId': inPerson(),

  'GET /api/v1/desktop/sync/snapshot': desktop(),
  'GET /api/v1/desktop/sync/changes': desktop(),

  'GET /api/v1/admin/users': administration(),
  'POST /api/v1/admin/users': administration(),
  'GET /api/v1/admin/users/:userId': administration(),
  'PATCH /api/v1/admin/users/:userId': administration(),
  'GET /api/v1/admin/users/:userId/sessions': administration(),
  'DELETE /api/v1/admin/users/:userId/sessions': administration(),
  'POST /api/v1/admin/users/:userId/legacy-keys': administration(),
  'PUT /api/v1/admin/halt': administration({ work: 'trading' }),
  'DELETE /api/v1/admin/halt': administration(),
  'GET /api/v1/admin/audit-log': administration(),
}

/** The policy of a route; null when nobody has decided on one. */
export const policyOf = (name: string): RoutePolicy | null =>
  Object.hasOwn(ACCESS_POLICY, name) ? ACCESS_POLICY[name]! : null
