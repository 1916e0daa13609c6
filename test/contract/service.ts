import { recordRequirements } from './records.ts'
import { inFile, requirements, type Requirement } from './requirement.ts'

const webhook = inFile('test/service/first-signal.test.ts')
const reading = inFile('test/api/http/reading.test.ts')
const authentication = inFile('test/api/access/authentication.test.ts')
const tokens = inFile('test/api/identity/tokens.test.ts')
const signIn = inFile('test/api/identity/sign-in.test.ts')
const passwords = inFile('test/api/identity/password-routes.test.ts')
const devices = inFile('test/api/identity/devices-and-sessions.test.ts')
const desktop = inFile('test/api/desktop/desktop-sync.test.ts')
const limits = inFile('test/api/access/limits.test.ts')
const assets = inFile('test/api/assets/assets.test.ts')
const create = inFile('test/api/signals/create-signal.test.ts')
const request = inFile('test/api/signals/schema.test.ts')
const order = inFile('test/domain/order.test.ts')
const letter = inFile('test/contract/service.test.ts')

/** Sections 1, 2.4 to 2.8, 3.1, 4.5, 4.6, 5, 7, 8 and 9: everything around signals, orders, accounts and positions. */
export const SERVICE: Requirement[] = [
  ...requirements('1', [
    ['standard success', '`data` and `requestId`', letter('standard success')],
    ['standard error', '`error`, `code`, `details`, `requestId`', letter('standard error')],
    ['signal-creation success', '`success`, `message`, `signal`', letter('signal-creation success')],
    ['signal-creation error', '`success` false, `error`, `code`, `details`', letter('signal-creation error')],
    [
      'orders, accounts, positions',
      'bare objects; errors are `{error, message}`',
      letter('bare success', 'bare error'),
    ],
  ]),
  ...recordRequirements('2.4'),
  ...recordRequirements('2.5'),
  ...recordRequirements('2.6'),
  ...requirements('2.6', [
    ['closed positions', 'are not returned', webhook('ends flat')],
    [
      'positions of one account',
      'omit accountId, dayChange and dayChangePercent',
      inFile('test/contract/records.test.ts')('position of one account holds nothing else'),
    ],
  ]),
  ...recordRequirements('2.7'),
  ...requirements('2.7', [
    [
      'requirements',
      'null is distinct from a reported 0',
      assets('tells a requirement that was not reported from one of 0'),
    ],
  ]),
  ...requirements('2.8', [
    [
      'an access token',
      'has a label, scopes, an optional expiry date',
      tokens('listed without their text', 'refused with no label', 'refused with no scopes'),
    ],
    ['the token', 'begins with `dt_`', inFile('test/api/http/access-token.test.ts')('read dt_ and 36')],
    ['the token', 'is shown once', tokens('are shown once, at their creation')],
    [
      'desktop sessions',
      'listed read-only; not created or revoked through token management',
      devices('gets a token that reads, on any plan'),
    ],
  ]),
  ...requirements('3.1', [
    ['PENDING', 'submitted, awaiting execution', order('order status PENDING is working')],
    [
      'OPEN',
      'active in the market',
      order('order status OPEN is working', 'opens a pending order that the market took'),
    ],
    ['PARTIALLY_FILLED', 'some shares filled', order('order status PARTIALLY_FILLED is working')],
    ['FILLED', 'completely filled', order('order status FILLED is terminal')],
    ['CANCELLED', 'cancelled by user', order('order status CANCELLED is terminal')],
    ['REJECTED', 'rejected by broker', order('order status REJECTED is terminal')],
    ['EXPIRED', 'expired', order('order status EXPIRED is terminal')],
    ['the filter `status`', 'OPEN, FILLED, CANCELLED, REJECTED', reading('orders are found by status')],
  ]),
  ...requirements('4', [
    ['GET /trades', 'trading:read', letter('GET /api/v1/trades needs trading:read')],
    ['GET /accounts', 'accounts:read', letter('GET /api/v1/accounts needs accounts:read')],
    ['GET /positions', 'trading:read', letter('GET /api/v1/positions needs trading:read')],
    ['GET /orders', 'trading:read', letter('GET /api/v1/orders needs trading:read')],
    ['GET /strategies', 'trading:read', letter('GET /api/v1/strategies needs trading:read')],
    ['GET /signals', 'trading:read', letter('GET /api/v1/signals needs trading:read')],
    ['GET /dashboard/summary', 'trading:read', letter('dashboard/summary needs trading:read')],
    ['GET /dashboard/balance-history', 'trading:read', letter('balance-history needs trading:read')],
    ['GET /dashboard/account-performance', 'trading:read', letter('account-performance needs trading:read')],
    ['POST /signals', 'signals:write', letter('POST /api/v1/signals needs signals:write')],
    ['DELETE /signals/:id', 'signals:write', letter('DELETE /api/v1/signals/:id needs signals:write')],
    ['POST /signals/:id/process', 'JWT only', letter('POST /api/v1/signals/:id/process needs a JWT')],
    ['GET /assets/{symbol}', 'trading:read', letter('GET /api/v1/assets/:symbol needs trading:read')],
    [
      'every path',
      'needs authentication',
      authentication('refuses no credential'),
      inFile('test/api/access/policy.test.ts')('admits no request to a route without a rule'),
    ],
  ]),
  ...requirements('4.5', [
    ['the symbol', 'case-insensitive', assets('whatever the case of the symbol')],
    [
      '`accountId`',
      'optional; without it the first connected account that supports lookup',
      assets('asks the next account'),
    ],
    ['the data', 'read through, not cached', assets('reads through')],
    ['the answer', '`asset` and `capabilities`', assets('answers by the broker of the first account')],
  ]),
  ...requirements('4.6', [
    ['POST /auth/login', 'obtains a JWT', signIn('answers a JWT, its life')],
    ['POST /auth/refresh', 'refreshes it', signIn('by refresh token answers a new JWT')],
    ['POST /auth/register', 'registers', passwords('registration')],
    ['POST /auth/forgot-password', 'sends a link', passwords('a link is sent')],
    ['POST /auth/reset-password', 'sets a new password', passwords('is replaced by the link, once')],
    ['POST /auth/desktop-login', 'signs a desktop in', devices('signs in by password gets a token')],
    ['POST /auth/device-login', 'signs a device in', devices('confirmed in a browser shows a code')],
    ['PUT /auth/password', 'changes the password', passwords('changing a password needs the old one')],
    ['POST /auth/mfa/verify', 'second step', signIn('in two steps ends with a code, once')],
    ['POST /auth/mfa/disable', 'gives the second factor up', passwords('gives up the second factor')],
    ['POST /auth/mfa/backup-codes/regenerate', 'renews backup codes', passwords('renews backup codes')],
    ['/desktop/sync/*', 'what a desktop companion reads', desktop('gets a full copy first')],
  ]),
  ...requirements('5', [
    ['access token', '`Authorization: Bearer`, begins with dt_', authentication('lets a valid token in')],
    [
      'legacy API key',
      'header X-API-Key, same scope checks',
      tokens('taken in its header, with the same checks of scope'),
    ],
    [
      'legacy API key',
      'query parameter apiKey on the webhook route',
      tokens('in the query of the webhook route', 'in the query of no other route'),
    ],
    ['JWT', '`Authorization: Bearer`, from login', signIn('lets the JWT do whatever any scope allows')],
    ['rule 1', 'Free and Basic hold 0 tokens', tokens('exactly 0 on plan FREE', 'exactly 0 on plan BASIC')],
    [
      'rule 2',
      'a token that lacks the scope gets 403',
      authentication('asks for signals:write', 'asks for trading:read', 'asks for accounts:read'),
    ],
    [
      'rule 3',
      'an expired token gets 401; one year by default',
      authentication('refuses an expired token'),
      letter('one year'),
    ],
    ['rule 4', 'a revoked token is invalid at once, for ever', tokens('never again once revoked')],
    ['rule 5', 'CONNECTED_APP_LIMIT_REACHED beyond the cap', tokens('exactly 10 on plan PRO')],
    [
      'rule 6',
      'POST /signals takes both; process needs a JWT',
      authentication('asks for signals:write'),
      inFile('test/api/signals/decisions.test.ts')('is for people only'),
    ],
    ['rule 7', 'assets take a JWT or trading:read', assets('takes a token that holds trading:read')],
    [
      'rule 8',
      'the key in the query may be logged',
      authentication('does not let an API key in the query reach the log'),
    ],
    ['scopes', 'trading:read, accounts:read, signals:write', authentication('asks for')],
  ]),
  ...requirements('7', [
    [
      'VALIDATION_ERROR',
      '400',
      webhook('names every fault at once'),
      inFile('test/contract/signals.test.ts')('asks for scheduledProcessAt'),
    ],
    ['INVALID_API_KEY', '401', tokens('is refused when it is revoked, expired, empty or invented')],
    ['(unauthenticated)', '401', authentication('refuses no credential', 'refuses an expired token')],
    ['(insufficient scope)', '403', authentication('asks for')],
    ['INSUFFICIENT_SCOPES', '403, asset route', assets('INSUFFICIENT_SCOPES')],
    ['CONNECTED_APP_LIMIT_REACHED', '403', tokens('exactly 10 on plan PRO')],
    ['ACCOUNT_NOT_FOUND', '404 on signals', create('an account that does not exist')],
    ['(strategy not found)', '404', create('a strategy that does not exist')],
    ['ASSET_NOT_FOUND', '404', assets('ASSET_NOT_FOUND')],
    ['NO_ASSET_LOOKUP_ACCOUNT', '400', assets('NO_ASSET_LOOKUP_ACCOUNT')],
    ['ASSET_LOOKUP_NOT_SUPPORTED', '400', assets('ASSET_LOOKUP_NOT_SUPPORTED')],
    ['(credential)', '409', assets('BROKER_CREDENTIALS_INVALID')],
    ['(broker failure)', '502', assets('BROKER_ERROR')],
    ['RATE_LIMIT_EXCEEDED', '429', letter('RATE_LIMIT_EXCEEDED')],
    ['(service disabled)', '503', create('answers 503 while signals are switched off')],
    [
      'TOO_MANY_AT_ONCE',
      '503 with Retry-After, a code of our own: too many requests of one user under way',
      inFile('test/api/http/work-bounds.test.ts')('refuse with TOO_MANY_AT_ONCE who waits too long'),
      inFile('test/api/access/neighbours.test.ts')(
        'by 200 dry runs gets some answered and the others refused',
      ),
      inFile('test/api/signals/signals-at-once.test.ts')('of one sender are bounded'),
    ],
    [
      'TOO_BUSY',
      '503 with Retry-After, a code of our own: too many signals of all senders under way, and nothing is stored',
      inFile('test/api/signals/signals-at-once.test.ts')('of all senders are bounded'),
    ],
    [
      'BROKER_SHARE_SPENT',
      '503 with Retry-After, a code of our own: what is left of the limit of the broker is kept for orders',
      inFile('test/api/access/neighbours.test.ts')('leaves the broker’s limit to orders, cancels and exits'),
    ],
    [
      'WAITING_SIGNAL_LIMIT_REACHED',
      '409, a code of our own: as many signals of the account wait as may, and nothing is stored',
      inFile('test/api/access/waiting-signals.test.ts')('are never more than may wait'),
    ],
    [
      'SETUP_SECRET_WRONG',
      '403, a code of our own: the first user shows no setup secret, or another one',
      inFile('test/api/identity/password-routes.test.ts')('needs the setup secret of the installation'),
    ],
    [
      'advisory exit_rule_tif_may_not_terminate',
      'with an exit rule and a gtc entry',
      request('point out that a gtc entry may never end'),
    ],
  ]),
  ...requirements('8', [
    [
      'auth',
      '10 per 15 minutes, by IP',
      limits('tier auth let exactly 10'),
      signIn('takes ten requests in fifteen minutes'),
    ],
    ['password change', '3 per hour, by IP', limits('tier password let exactly 3')],
    ['MFA verify', '10 per 15 minutes, by IP', limits('tier secondFactor let exactly 10')],
    ['token refresh', '100 per 15 minutes, by IP', limits('tier refresh let exactly 100')],
    [
      'desktop sync',
      '60 per minute, by device token',
      limits('tier desktopSync let exactly 60'),
      desktop('sixty times a minute, each device for itself'),
    ],
    [
      'default',
      '200 per minute, by principal',
      limits('tier default let exactly 200'),
      signIn('counts each token and each person by themselves'),
    ],
    ['every tier', 'holds for the routes that the specification names', letter('is limited by')],
    ['headers', 'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset', letter('RateLimit headers')],
    [
      '429',
      'Retry-After, `rate_limited`, message, RATE_LIMIT_EXCEEDED, retryAfter',
      letter('RATE_LIMIT_EXCEEDED'),
    ],
    [
      'tokens per plan',
      'Free 0, Basic 0, Advanced 0, PRO 10',
      tokens('exactly 0 on plan', 'exactly 10 on plan PRO'),
    ],
    ['default token lifetime', 'one year', letter('one year')],
    ['symbol length', '1-20', request('symbol refuses', 'symbol takes')],
    ['sourceId length', 'at most 255', request('sourceId takes 255', 'sourceId refuses')],
    ['expiresAt', 'within 90 days', request('expiresAt refuses more than 90 days ahead')],
    ['exitTriggerMinutes', '0-60', request('takes 0 and 60 minutes', 'refuses 61 minutes')],
    [
      'moc with minutesBeforeClose',
      '15 minutes head-room',
      request('refuses the closing auction 14 minutes ahead'),
    ],
    ['order list limit', '50 by default', letter('limit is 50')],
  ]),
  ...requirements('9', [
    ['the version', 'is carried in the path /api/v1', letter('/api/v1')],
    ['legacy keys', 'still authenticate by X-API-Key', tokens('taken in its header')],
  ]),
]
