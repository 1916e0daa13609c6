import pino, { type Logger } from 'pino'
import { traceOf } from '#tracing/trace-id.ts'
import { LogDestination } from './log-destination.ts'

/** Logs never contain these, at any depth of an object. */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  'apiKey',
  'token',
  'accessToken',
  'refreshToken',
  'renewalKey',
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

/** Names of a signal or manual order in log lines; the first counts, because orders of signals have ids too. */
const SUBJECT_KEYS = ['signalId', 'clientOrderId', 'workflowId', 'orderId']

function withTraceId(line: Record<string, unknown>): Record<string, unknown> {
  const subject = SUBJECT_KEYS.map((key) => line[key]).find((name) => typeof name === 'string')
  const traceId = subject === undefined ? undefined : traceOf(subject)?.traceId
  return traceId === undefined ? line : { ...line, traceId }
}

const STANDARD_OUTPUT = 1

/**
 * JSON logger for one process; pretty in a terminal. Lines that cannot be written are lost and counted, and the process
 * continues.
 */
export function createLogger(
  process_: string,
  settings: { LOG_LEVEL: string; LOG_FORMAT: 'auto' | 'json' | 'pretty'; LOG_FILE?: string | undefined },
): Logger {
  const pretty = settings.LOG_FORMAT === 'pretty' || (settings.LOG_FORMAT === 'auto' && process.stdout.isTTY)
  const options = {
    name: process_,
    level: settings.LOG_LEVEL,
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    formatters: { level: (label: string) => ({ level: label }), log: withTraceId },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  if (pretty)
    return pino({
      ...options,
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' } },
    })
  const reportLoss = (lost: number): string => {
    const time = new Date().toISOString()
    return `${JSON.stringify({ level: 'warn', time, name: process_, lost, msg: 'lines of this log could not be written' })}\n`
  }
  const destination = new LogDestination(STANDARD_OUTPUT, reportLoss, settings.LOG_FILE)
  process.once('exit', () => destination.flushSync())
  return pino(options, destination)
}

export type { Logger }
