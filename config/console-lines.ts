import { format } from 'node:util'

type Level = 'info' | 'warn' | 'error'

const LEVELS = {
  log: 'info',
  info: 'info',
  debug: 'info',
  warn: 'warn',
  error: 'error',
  trace: 'error',
} as const
/** Of features of Node that we chose knowing that they are new. */
const EXPECTED = 'ExperimentalWarning'

/**
 * Gives `write` the texts that libraries print to the console in this thread, and Node's own warnings, so that a log holds
 * its own lines alone: a collector of logs stumbles over all others.
 */
export function takeOverConsole(write: (level: Level, text: string) => void): void {
  for (const [method, level] of Object.entries(LEVELS))
    console[method as keyof typeof LEVELS] = (...parts: unknown[]) => write(level, format(...parts))
  // Node's own listener, which prints them.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== EXPECTED) write('warn', `${warning.name}: ${warning.message}`)
  })
}
