import { takeOverConsole } from '#config/console-lines.ts'
import { readSettings, SettingsError, venueSettings } from '#config/env.ts'
import { createLogger } from '#config/logger.ts'
import { UnusableLedgerError } from './ledger/database.ts'
import { startVenue, type RunningVenue } from './server.ts'

async function main(): Promise<void> {
  const settings = readSettings(venueSettings)
  const logger = createLogger('venue', settings)
  const venue = await startVenue(settings, {
    onFault: (error) => logger.error({ err: error }, 'a request failed'),
    onFailure: (error) => {
      logger.fatal({ err: error }, 'the ledger cannot be written; stopping')
      process.exit(1)
    },
  })
  takeOverConsole((level, text) => logger[level](text))
  logger.info({ url: venue.url, data: settings.VENUE_DATA, hours: settings.VENUE_HOURS }, 'the venue is open')
  closeOnSignal(venue, (signal) => logger.info({ signal }, 'the venue closes'))
}

function closeOnSignal(venue: RunningVenue, announce: (signal: string) => void): void {
  let isClosing = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isClosing) return
      isClosing = true
      announce(signal)
      void venue.close().then(() => process.exit(0))
    })
  }
}

function explain(error: unknown): unknown {
  if (error instanceof SettingsError || error instanceof UnusableLedgerError) return error.message
  if (isListenError(error) && error.code === 'EADDRINUSE') {
    return `Port ${error.port} is taken: set VENUE_PORT to a free one`
  }
  if (isListenError(error) && error.code === 'EACCES') {
    return `Port ${error.port} may not be opened: set VENUE_PORT to one above 1023`
  }
  return error
}

const isListenError = (error: unknown): error is Error & { code: string; port: number } =>
  error instanceof Error && 'code' in error && 'port' in error

try {
  await main()
} catch (error) {
  console.error(explain(error))
  process.exitCode = 1
}
