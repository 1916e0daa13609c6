/**
 * Replays one history on the present code and says whether the code follows it:
 *
 *     npm run replay -- v0.1.0/exit-timed       one of test/histories, by its version and its path
 *     npm run replay -- FILE                    a file that Temporal's UI or CLI has written
 *     npm run replay -- WORKFLOW_ID [RUN_ID]    fetched from TEMPORAL_ADDRESS or npm start's server; without RUN_ID the newest run
 *
 * Encrypted histories are read with the keys of KEY_FILE, or of .data/keys.json. Nothing is sent to a broker and nothing is
 * written: in a replay every step returns the result that the history holds.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { Worker } from '@temporalio/worker'
import { readSettings, workerSettings } from '#config/env.ts'
import { keysFor, openKeyRing } from '#config/key-ring.ts'
import { payloadCodec } from '#config/payload-codec.ts'
import { connectionOptions } from '#config/temporal-address.ts'
import { FAILURE_CONVERTER } from '#config/temporal.ts'
import { readLocalSettings } from '#local/start/ports.ts'
import { bundleWorkflows } from '#worker/bundle.ts'
import { fromStoredText, readHistories, versions } from './stored-history.ts'

interface Replayable {
  workflowId: string
  history: unknown
}

const settings = readSettings(
  workerSettings.pick({
    KEY_FILE: true,
    NODE_ENV: true,
    TEMPORAL_ADDRESS: true,
    TEMPORAL_NAMESPACE: true,
    TEMPORAL_TLS: true,
    TEMPORAL_API_KEY: true,
  }),
  { TEMPORAL_ADDRESS: `127.0.0.1:${readLocalSettings().TEMPORAL_PORT}`, ...process.env },
)

/** Histories that this project has stored carry instants as seconds; those of Temporal's own tools are texts, which the SDK reads. */
async function fromFile(path: string): Promise<Replayable> {
  const text = await readFile(path, 'utf8')
  const asWritten = JSON.parse(text) as { events: { eventTime: unknown }[] }
  const isExported = typeof asWritten.events[0]?.eventTime === 'string'
  return { workflowId: basename(path, '.json'), history: isExported ? asWritten : fromStoredText(text) }
}

/** One that is kept in the repository; null where there is none of this name. */
function fromRepository(name: string): Replayable | null {
  const [version = '', path = ''] = name.split('/')
  const text = versions().includes(version) ? readHistories(version).get(path) : undefined
  return text === undefined ? null : { workflowId: path, history: fromStoredText(text) }
}

async function fromTemporal(workflowId: string, runId?: string): Promise<Replayable> {
  const connection = await Connection.connect(connectionOptions(settings))
  try {
    const client = new Client({ connection, namespace: settings.TEMPORAL_NAMESPACE })
    return { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() }
  } finally {
    await connection.close()
  }
}

const [source, runId] = process.argv.slice(2)
if (source === undefined) {
  console.error('npm run replay -- VERSION/PATH, or FILE, or WORKFLOW_ID [RUN_ID]')
  process.exit(2)
}
const { workflowId, history } =
  fromRepository(source) ?? (existsSync(source) ? await fromFile(source) : await fromTemporal(source, runId))
const ring = await openKeyRing(settings, (error) => console.error(error))
// Whoever only reads may read the payloads of every owner. What cannot be read is marked, as it is for the worker.
const codec = payloadCodec(keysFor(ring, 'temporal-payloads'), {
  acceptsPlain: true,
  readsAnyOwner: true,
  unreadable: 'mark',
})
try {
  await Worker.runReplayHistory(
    {
      workflowBundle: await bundleWorkflows(),
      dataConverter: { payloadCodecs: [codec], failureConverterPath: FAILURE_CONVERTER },
    },
    history,
    workflowId,
  )
  console.log(`${workflowId}: the present code follows this history`)
} catch (error) {
  console.error(`${workflowId}: the present code does not follow this history\n${String(error)}`)
  process.exitCode = 1
}
// Keys are read again from time to time, which would keep the process.
process.exit()
