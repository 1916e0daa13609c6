import pino, { type Logger } from 'pino'

/** Never written to a log, wherever in an object they stand. */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  'apiKey',
  'token',
  'accessToken',
  'refreshToken',
  'password',
  'secret',
  'secretKey',
  'credentials',
  'totpSecret',
]
const REDACTED_PATHS = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`, `*["${key}"]`]).concat([
  'headers["x-api-key"]',
  '*.headers["x-api-key"]',
])

/** A JSON logger for one process; pretty in a terminal unless told otherwise. */
export function createLogger(
  process_: string,
  settings: { LOG_LEVEL: string; LOG_FORMAT: 'auto' | 'json' | 'pretty' },
): Logger {
  const pretty = settings.LOG_FORMAT === 'pretty' || (settings.LOG_FORMAT === 'auto' && process.stdout.isTTY)
  return pino({
    name: process_,
    level: settings.LOG_LEVEL,
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(pretty && {
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' } },
    }),
  })
}

export type { Logger }
