import { readSettings, SettingsError, uiGateSettings } from '#config/env.ts'
import { createLogger } from '#config/logger.ts'
import { serveUi } from './ui-gate.ts'

/** The proxy of Temporal's UI as a separate service, for a UI that `npm start` does not run. */
try {
  const settings = readSettings(uiGateSettings)
  const log = createLogger('ui-gate', settings)
  const { TEMPORAL_UI_HOST: host, TEMPORAL_UI_PORT: port } = settings
  const upstream = new URL(settings.TEMPORAL_UI_UPSTREAM)
  const gate = await serveUi(host, port, { host: upstream.hostname, port: Number(upstream.port || 80) })
  gate.ref()
  log.info({ host, port, upstream: upstream.origin }, "lets this machine's browsers through to Temporal's UI")
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      gate.close()
      gate.closeAllConnections()
    })
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error)
  process.exitCode = 1
}
