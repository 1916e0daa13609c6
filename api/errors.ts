/**
 * Every error the API answers on purpose, by its stable code. Whatever is not listed here is an opaque 500:
 * callers learn nothing of our insides, the log learns everything.
 */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, message: 'Validation failed' },
  STRATEGY_PAUSED: {
    status: 400,
    message: 'The strategy is paused: its signals are refused until it is active',
  },
  UNAUTHENTICATED: { status: 401, message: 'The credential is missing, invalid or expired' },
  INVALID_API_KEY: { status: 401, message: 'The API key is missing or invalid' },
  INSUFFICIENT_SCOPES: { status: 403, message: 'The credential lacks a scope that this route needs' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this address' },
  ACCOUNT_NOT_FOUND: { status: 404, message: 'There is no such account' },
  STRATEGY_NOT_FOUND: { status: 404, message: 'There is no such strategy' },
  SIGNAL_NOT_FOUND: { status: 404, message: 'There is no such signal' },
  ORDER_NOT_FOUND: { status: 404, message: 'There is no such order' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take that method' },
  MODE_MISMATCH: { status: 409, message: 'The account does not belong to the trading mode you are in' },
  SOURCE_ID_CONTENDED: {
    status: 409,
    message: 'Other signals with this sourceId come and go: send it again',
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than 64 KiB' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Send a JSON object as application/json or text/plain, in UTF-8 and uncompressed',
  },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side' },
  NOT_IMPLEMENTED: {
    status: 501,
    message: 'The request is valid, and asks for something that is not built yet',
  },
  SERVICE_DISABLED: { status: 503, message: 'The service takes no signals at the moment' },
  DATABASE_UNAVAILABLE: { status: 503, message: 'The database cannot be reached: send the request again' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof ERRORS

/** One thing that is wrong with a request; carries both documented forms of a validation detail. */
export interface Fault {
  code: string
  message: string
  path: (string | number)[]
  /** The path as one word, such as `metadata.note`. */
  field: string
}

export const fault = (path: (string | number)[], code: string, message: string): Fault => ({
  code,
  message,
  path,
  field: path.join('.'),
})

/** An answer other than success, from the catalogue. Thrown anywhere, rendered by the error envelope. */
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

/** More than this many faults help nobody, and a hostile body could ask for tens of thousands. */
const MOST_FAULTS_NAMED = 100

/** The answer to a request whose parts are faulty; names every fault. */
export function validationError(faults: Fault[]): ApiError {
  const named = faults.slice(0, MOST_FAULTS_NAMED)
  const unnamed = faults.length - named.length
  if (unnamed > 0) named.push(fault([], 'more_faults', `${unnamed} more faults are not listed`))
  return new ApiError('VALIDATION_ERROR', { details: named })
}

/** The database cannot be reached; the sender is asked to come back. */
export const databaseUnavailable = (cause: unknown): ApiError =>
  new ApiError('DATABASE_UNAVAILABLE', { headers: { 'Retry-After': '2' }, cause })
