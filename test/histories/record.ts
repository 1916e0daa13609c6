/**
 * Records the history of every path on a real server into the folder of the present version. Run it before a
 * release; the folder of a released version stays as it is, because signals may still be under way with it.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { stopServers, temporalAddress } from '../support/servers.ts'
import { SignalStage } from '../support/signal-stage.ts'
import { quietTemporal } from '../support/temporal-runtime.ts'
import { PATHS } from './paths.ts'
import { toStoredText } from './stored-history.ts'

const { version } = JSON.parse(
  await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
) as { version: string }
const folder = join(import.meta.dirname, `v${version}`)

quietTemporal()
const address = await temporalAddress()
try {
  const connection = await Connection.connect({ address })
  const nativeConnection = await NativeConnection.connect({ address })
  const stage = new SignalStage({
    client: new Client({ connection }),
    nativeConnection,
    now: async () => Date.now(),
  })
  await stage.startWorker()
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [name, path] of Object.entries(PATHS)) {
    const play = await path(stage)
    const history = await play.handle.fetchHistory()
    await writeFile(join(folder, `${name}.json`), toStoredText(history))
    console.log(`${name}: ${history.events?.length} events`)
  }
  await stage.stopWorker()
  await nativeConnection.close()
  await connection.close()
} finally {
  await stopServers()
}
