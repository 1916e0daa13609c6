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
/** Node warns of new features that we chose. */
const EXPECTED = 'ExperimentalWarning'

/** Passes console output and Node's own warnings in this thread to `write`: collectors of logs need one format. */
export function takeOverConsole(write: (level: Level, text: string) => void): void {
  for (const [method, level] of Object.entries(LEVELS))
    console[method as keyof typeof LEVELS] = (...parts: unknown[]) => write(level, format(...parts))
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== EXPECTED) write('warn', `${warning.name}: ${warning.message}`)
  })
}
