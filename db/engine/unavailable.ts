/** Node's words for a server that cannot be reached or hung up. */
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
/**
 * PostgreSQL's: 08 connection exceptions, 53 out of resources (connections, disk), 57P01-57P03 shutting down,
 * crashed, starting up, 57014 a statement cut off by its time limit, 25006 a standby that takes no writes yet.
 */
const SQL_STATES = /^(08...|53...|57P0[1-3]|57014|25006)$/
/** The pg driver gives these errors no code. */
const DRIVER_MESSAGES =
  /timeout exceeded when trying to connect|connection terminated|Client has encountered a connection error|Cannot use a pool after calling end/i

/** Whether an error means that PostgreSQL cannot serve now and may again soon, rather than a fault of ours. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : ''
    if (NETWORK_CODES.has(code) || SQL_STATES.test(code) || DRIVER_MESSAGES.test(inner.message)) return true
  }
  return false
}
