const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
/** 08 connection, 53 resources, 57P01-57P03 shutdown and start, 57014 timeout, 25006 read-only standby. */
const SQL_STATES = /^(08...|53...|57P0[1-3]|57014|25006)$/
const DRIVER_MESSAGES =
  /timeout exceeded when trying to connect|connection terminated|Client has encountered a connection error|Cannot use a pool after calling end/i

export function isDatabaseUnavailable(error: unknown): boolean {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : ''
    if (NETWORK_CODES.has(code) || SQL_STATES.test(code) || DRIVER_MESSAGES.test(inner.message)) return true
  }
  return false
}
