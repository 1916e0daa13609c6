import pino, { type Logger } from 'pino'

/** A logger that keeps what is said, for tests that ask whether it was. */
export function loggerInMemory(): {
  log: Logger
  lines: { level: number; msg: string; [key: string]: unknown }[]
} {
  const lines: { level: number; msg: string }[] = []
  const log = pino(
    { level: 'debug' },
    { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
  )
  return { log, lines }
}
