import { codecSettings, readSettings, SettingsError } from '#config/env.ts'
import { createLogger } from '#config/logger.ts'
import { serveCodec } from '../servers/codec-endpoint.ts'
import { installationCodec } from '../servers/installation-codec.ts'

/** The codec endpoint as a separate service, for a Temporal UI outside `npm start`. */
try {
  const settings = readSettings(codecSettings)
  const log = createLogger('codec', settings)
  const codec = await installationCodec(settings, (error) =>
    log.error({ err: error }, 'the changed key file cannot be used; the keys known so far stay in use'),
  )
  const { CODEC_HOST: host, CODEC_PORT: port, CODEC_ORIGINS: origins } = settings
  const { url, close } = await serveCodec({ host, port, origins, codec })
  log.info({ url, origins }, "decrypts for Temporal's UI")
  // The endpoint alone keeps no process alive.
  const alive = setInterval(() => {}, 60_000)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      clearInterval(alive)
      void close()
    })
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error)
  process.exitCode = 1
}
