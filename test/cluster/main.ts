import { resolve } from 'node:path'
import { apiSettings, readSettings, venueSettings, workerSettings } from '#config/env.ts'
import { count, readArguments, runCommand } from '#local/commands/arguments.ts'
import { dataFolderAt } from '#local/start/data-folder.ts'
import { explainFailure } from '#local/start/diagnosis.ts'
import { runInForeground } from '#local/start/foreground.ts'
import { requireFreePorts } from '#local/start/ports.ts'
import { summarise } from '#local/start/summary.ts'
import { startCluster, type StartedCluster } from './start-up.ts'

const CLUSTER_HELP = `npm test -- cluster [options]

Brings up the service as several machines run it, all on this one: PostgreSQL, Temporal (2 frontends behind a proxy, 2
histories, 2 matchings, 1 worker, its UI), 2 APIs behind a proxy, 3 workers and 2 paper venues. A process that ends is
started again by itself; Ctrl-C stops them all. The first start builds Temporal's programs with Go, which takes some
minutes; they are kept for the next one. npm start and its data are not touched.

  --data FOLDER   where databases, keys, logs and demo credentials are kept (.data-cluster)
  --port N        of the API and the web app (3000)
  --ui-port N     of Temporal's UI (8233)

All other ports are found at the first start and kept. Settings of the parts are read from the environment, as by npm start.`

const OPTIONS = {
  data: { type: 'string', default: '.data-cluster' },
  port: { type: 'string', default: '3000' },
  'ui-port': { type: 'string', default: '8233' },
  help: { type: 'boolean', short: 'h', default: false },
} as const
const MAX_PORT = 65_535

/** What there is beside the parts of `npm start`, and how to find a process to kill. */
const moreOfCluster = ({ second, temporalAddress }: StartedCluster, folder: string): string => `
  Second account ${second.accountId}, at ${second.venueUrl}
  Temporal       ${temporalAddress} (proxy of the frontends)
  Processes      ${folder}/run.json: each may be killed, by kill -9, and is started again`

await runCommand(CLUSTER_HELP, async () => {
  const {
    help,
    data,
    port,
    'ui-port': uiPort,
  } = readArguments({ args: process.argv.slice(2), options: OPTIONS }).values
  if (help) return console.log(CLUSTER_HELP)
  const publicPorts = { api: count('port', port, MAX_PORT), ui: count('ui-port', uiPort, MAX_PORT) }
  try {
    // A faulty setting is named before anything is started.
    for (const settings of [apiSettings, workerSettings, venueSettings]) readSettings(settings)
    const folder = dataFolderAt(resolve(data))
    await runInForeground(folder, async (run) => {
      await requireFreePorts([
        { port: publicPorts.api, part: 'the API', setting: '--port' },
        { port: publicPorts.ui, part: "Temporal's UI", setting: '--ui-port' },
      ])
      const started = await startCluster({ ...run, folder, publicPorts })
      return `${summarise(started, folder)}\n${moreOfCluster(started, folder.path)}`
    })
  } catch (error) {
    console.error(explainFailure(error))
    process.exitCode = 1
  }
})
