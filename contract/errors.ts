const answer = <const S extends number>(status: S, message: string) => ({ status, message })

/** Every intended error of the API; any other is a 500, with its cause in the log. */
export const ERRORS = {
  VALIDATION_ERROR: answer(400, 'Validation failed'),
  INVALID_ORDER: answer(400, 'The order is not one that can be placed'),
  STRATEGY_PAUSED: answer(400, 'The strategy is paused: its signals are refused until it is active'),
  REPLACE_REFUSED_FILLED: answer(
    400,
    'The order of the signal to replace is filled, at least in part: cancel what is left of it, or send another sourceId',
  ),
  NO_ASSET_LOOKUP_ACCOUNT: answer(400, 'No connected account has a broker that looks up assets'),
  NO_MARKET_DATA_ACCOUNT: answer(400, 'No connected account has a broker that reports prices'),
  ASSET_LOOKUP_NOT_SUPPORTED: answer(
    400,
    'The broker of this account does not look up assets: leave accountId out, or name another account',
  ),
  PUSH_SERVICE_UNKNOWN: answer(400, 'The endpoint is not one of a push service that this server sends to'),
  CHANNEL_ADDRESS_DENIED: answer(400, 'The address is not one that this server may send to'),
  WRONG_PASSWORD: answer(400, 'The password is wrong'),
  WRONG_CODE: answer(400, 'The code is wrong or was used before'),
  LINK_INVALID: answer(400, 'The link was used before, has expired or never existed'),
  AUTHORIZATION_PENDING: answer(400, 'The device is not confirmed yet'),
  SLOW_DOWN: answer(400, 'Poll less often: wait five seconds longer between two requests'),
  ACCESS_DENIED: answer(400, 'The device was refused'),
  EXPIRED_TOKEN: answer(400, 'The device code has expired: begin again'),
  UNAUTHENTICATED: answer(401, 'The credential is missing, invalid or expired'),
  HOOK_REFUSED: answer(401, 'There is no such hook, or its secret or signature is wrong or has ended'),
  INVALID_API_KEY: answer(401, 'The API key is missing or invalid'),
  MFA_REQUIRED: answer(401, 'A code of the second factor is needed too'),
  INSUFFICIENT_SCOPES: answer(403, 'The credential lacks a scope that this route needs'),
  TOKEN_BOUNDS_EXCEEDED: answer(
    403,
    'The access token is bound, and this exceeds a bound of it: make another token for it',
  ),
  HOOK_ADDRESS_REFUSED: answer(
    403,
    'The hook accepts requests only from listed addresses, and this is not one of them',
  ),
  CONNECTED_APP_LIMIT_REACHED: answer(403, 'The subscription plan allows no more access tokens'),
  HOOK_LIMIT_REACHED: answer(403, 'The subscription plan allows no more hooks'),
  LIVE_TRADING_DISABLED: answer(
    403,
    'Live trading is switched off on this server: its operator must set LIVE_TRADING=enabled',
  ),
  PUSH_DISABLED: answer(403, 'Notifications are switched off on this server: its operator must set PUSH=on'),
  SETUP_SECRET_WRONG: answer(
    403,
    'The first user needs the setupSecret of this installation, which is in its log',
  ),
  REGISTRATION_CLOSED: answer(403, 'New users cannot register here'),
  VERIFICATION_REQUIRED: answer(
    403,
    'Prove again who you are, by POST /api/v1/auth/verify, and repeat the request',
  ),
  SECOND_FACTOR_REQUIRED: answer(
    403,
    'Prove your second factor by POST /api/v1/auth/verify, and repeat the request',
  ),
  ORIGIN_REFUSED: answer(
    403,
    'The request does not come from a page of this service: its operator sets that address as PUBLIC_URL',
  ),
  NOT_FOUND: answer(404, 'There is nothing at this address'),
  ACCOUNT_NOT_FOUND: answer(404, 'There is no such account'),
  BROKER_NOT_FOUND: answer(404, 'There is no such broker connection'),
  STRATEGY_NOT_FOUND: answer(404, 'There is no such strategy'),
  ASSET_NOT_FOUND: answer(404, 'The broker has no asset with this symbol'),
  SIGNAL_NOT_FOUND: answer(404, 'There is no such signal'),
  FLATTEN_NOT_FOUND: answer(404, 'There is no close-all under this id'),
  SIGNAL_GROUP_NOT_FOUND: answer(404, 'There is no such group of signals'),
  ALERT_NOT_FOUND: answer(404, 'There is no such alert'),
  ORDER_NOT_FOUND: answer(404, 'There is no such order'),
  TRADE_NOT_FOUND: answer(404, 'There is no such trade'),
  POSITION_NOT_FOUND: answer(404, 'The account holds no position in this symbol'),
  HALT_NOT_FOUND: answer(404, 'No halt is set'),
  TOKEN_NOT_FOUND: answer(404, 'There is no such token'),
  HOOK_NOT_FOUND: answer(404, 'There is no such hook'),
  HOOK_REQUEST_NOT_FOUND: answer(404, 'The hook has no such request, or no longer keeps it'),
  HOOK_SECRET_NOT_FOUND: answer(404, 'The hook has no such secret, or it has ended'),
  USER_NOT_FOUND: answer(404, 'There is no such user'),
  CHANNEL_NOT_FOUND: answer(404, 'There is no such channel'),
  SESSION_NOT_FOUND: answer(404, 'There is no such session'),
  DEVICE_CODE_NOT_FOUND: answer(404, 'No device waits for this code'),
  METHOD_NOT_ALLOWED: answer(405, 'This address does not support that method'),
  MODE_MISMATCH: answer(409, 'The account does not belong to the trading mode you are in'),
  ACCOUNT_INACTIVE: answer(409, 'The account is not connected any more'),
  ACCOUNT_ALREADY_CONNECTED: answer(409, 'The account that these keys belong to is connected already'),
  ACCOUNT_SHARED: answer(
    409,
    'Another user of this service has connected the account of these keys: both see and may close its positions. mayShare connects it anyway',
  ),
  PAPER_ACCOUNTS_NOT_OFFERED: answer(409, 'This service opens no paper accounts: connect one with its keys'),
  BROKER_ACCOUNT_CHANGED: answer(
    409,
    'The keys belong to another account: create a separate connection for it',
  ),
  BROKER_IN_USE: answer(
    409,
    'The connection is in use: signals wait, orders work or positions are open through it',
  ),
  CHANNEL_LIMIT_REACHED: answer(409, 'You have the most channels allowed, which is 30: remove one first'),
  CHANNEL_REFUSED: answer(409, 'The service of the channel refuses it'),
  BROKER_LIMIT_REACHED: answer(409, 'The user has the most connections allowed: remove one first'),
  SOURCE_ID_CONTENDED: answer(409, 'Other signals with this sourceId come and go: send it again'),
  WAITING_SIGNAL_LIMIT_REACHED: answer(
    409,
    'The account has the most waiting signals allowed: decide on some, or withdraw some',
  ),
  STRATEGY_NAME_TAKEN: answer(409, 'You have another strategy of this name'),
  STRATEGY_IN_USE: answer(409, 'Signals of the strategy wait to be sent'),
  SIGNAL_NOT_PENDING: answer(409, 'The signal does not wait for a decision'),
  WOULD_BE_REFUSED: answer(
    409,
    'The order would be refused now, for a reason that can change: the signal still waits',
  ),
  SIGNAL_NOT_CANCELLABLE: answer(409, 'The signal can no longer be withdrawn'),
  ORDER_NOT_CANCELLABLE: answer(409, 'The order has ended'),
  POSITION_HELD: answer(
    409,
    'Open orders that were not placed here hold the whole position: cancel them first',
  ),
  EXIT_NOT_ASKED: answer(409, 'The exit does not wait for a choice of its size'),
  NOTHING_TO_ADOPT: answer(409, 'All shares of the position belong to signals that have exits'),
  PROTECTION_NOT_CHANGEABLE: answer(
    409,
    'The signal has no position whose exit could be changed, and opens none any more',
  ),
  EXIT_NOT_CANCELLABLE: answer(409, 'The signal has no exit that could still be cancelled'),
  BROKER_CREDENTIALS_INVALID: answer(409, 'The broker rejects the keys: wrong key or secret'),
  EMAIL_TAKEN: answer(409, 'There is a user with this address already'),
  OWN_ACCOUNT: answer(409, 'Administrators cannot disable or demote themselves'),
  MFA_ALREADY_ENABLED: answer(409, 'Two-step sign-in is in use already'),
  MFA_NOT_ENABLED: answer(409, 'Two-step sign-in is not in use'),
  PAYLOAD_TOO_LARGE: answer(413, 'The body is larger than 64 KiB'),
  UNSUPPORTED_MEDIA_TYPE: answer(415, 'Send a JSON object as application/json, in UTF-8 and uncompressed'),
  INSUFFICIENT_FUNDS: answer(422, 'The account has not enough buying power'),
  IDEMPOTENCY_KEY_REUSED: answer(
    422,
    'The Idempotency-Key was used for another request: send this one with a key of its own',
  ),
  RATE_LIMIT_EXCEEDED: answer(429, 'Too many requests: wait until the window ends'),
  HOOK_RATE_EXCEEDED: answer(
    503,
    'The hook has reached the number of requests per minute that its owner allows, and this request was not stored: send it again after Retry-After',
  ),
  // Limits of the specification are 429, our own bounds 503: some senders repeat only that.
  TOO_MANY_AT_ONCE: answer(
    503,
    'Too many of your requests are under way at once, and nothing was done for this one: wait as long as Retry-After says, and send it again',
  ),
  BROKER_SHARE_SPENT: answer(
    503,
    'The broker was asked as often as is allowed beside orders: what is left of its limit is kept for them, so wait',
  ),
  INTERNAL_ERROR: answer(500, 'Something went wrong on our side'),
  BROKER_ERROR: answer(502, 'The broker could not be reached, or did not answer in time'),
  SYNC_FAILED: answer(502, 'The account could not be synced with its broker'),
  POSITIONS_UNAVAILABLE: answer(
    503,
    'The positions are not known at the moment: the broker cannot be reached',
  ),
  SERVICE_DISABLED: answer(503, 'The service takes no signals at the moment'),
  TOO_BUSY: answer(
    503,
    'Too much is going on at the moment, and nothing was done: wait as long as Retry-After says, and send the request again',
  ),
  TEMPORAL_UNAVAILABLE: answer(
    503,
    'The decision is not confirmed: send the request again, which is harmless if it was taken',
  ),
  DATABASE_UNAVAILABLE: answer(503, 'The database cannot be reached: send the request again'),
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERRORS

export interface Fault {
  code: string
  message: string
  path: (string | number)[]
  field: string
}

export const fault = (path: (string | number)[], code: string, message: string): Fault => ({
  code,
  message,
  path,
  field: path.join('.'),
})

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly details: Fault[]
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    {
      message,
      details = [],
      headers = {},
      cause,
    }: { message?: string; details?: Fault[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message ?? ERRORS[code].message, { cause })
    this.code = code
    this.details = details
    this.headers = headers
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

const MAX_FAULTS_NAMED = 100
export const MAX_FAULTS_FOUND = MAX_FAULTS_NAMED + 1

export function validationError(faults: Fault[]): ApiError {
  const named = faults.slice(0, MAX_FAULTS_NAMED)
  if (faults.length > named.length)
    named.push(fault([], 'more_faults', `There are more faults: the first ${MAX_FAULTS_NAMED} are listed`))
  return new ApiError('VALIDATION_ERROR', { details: named })
}

export const databaseUnavailable = (cause: unknown): ApiError =>
  new ApiError('DATABASE_UNAVAILABLE', { headers: { 'Retry-After': '2' }, cause })

export const temporalUnavailable = (cause: unknown): ApiError =>
  new ApiError('TEMPORAL_UNAVAILABLE', { headers: { 'Retry-After': '2' }, cause })

export const rateLimited = (retryAfterSeconds: number): ApiError =>
  new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'Retry-After': String(retryAfterSeconds) } })
