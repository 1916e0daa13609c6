import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { localSettings, readSettings, type LocalSettings } from '#config/env.ts'
import type { DataFolder } from '#local/start/data-folder.ts'
import type { LocalRun } from '#local/start/parts.ts'
import {
  keepSecrets,
  makePassword,
  makeVenueKeyId,
  makeVenueSecret,
  readOrMakeSecrets,
} from '#local/start/secrets.ts'
import { KeptPorts } from './kept-ports.ts'

/** How many there are of each part of the service. */
export const NODES = { venue: 2, worker: 3, api: 2 } as const

/** What a cluster is started with. */
export type ClusterStart = Pick<LocalRun, 'supervisor' | 'record' | 'more'> & {
  folder: DataFolder
  /** Where people reach the API and Temporal's UI; undefined: on a port that is found and kept. */
  publicPorts: { api?: number | undefined; ui?: number | undefined }
}

/** Passwords and keys of a cluster beside those of `npm start`. */
export type ClusterSecrets = {
  /** Of the user of PostgreSQL that Temporal is. */
  temporalPassword: string
  /** The account at the second venue, and its keys there. */
  secondAccountId: string
  secondKeyId: string
  secondSecretKey: string
}

/** What is decided before anything of a cluster is started. */
export type ClusterRun = {
  /** For the parts of which there is one. */
  shared: LocalRun
  venues: LocalRun[]
  workers: LocalRun[]
  apis: LocalRun[]
  secrets: ClusterSecrets
  ports: KeptPorts
  /** Where the API is reached, whichever process answers. */
  apiPort: number
}

/** PostgreSQL's connections: those of seven Temporal processes and of five of the service. */
const POSTGRES = { max_connections: '400' }

/** Finds ports and makes secrets, those of the last start if there was one. */
export async function planCluster({
  folder,
  publicPorts,
  more,
  ...start
}: ClusterStart): Promise<ClusterRun> {
  const ports = new KeptPorts(join(folder.path, 'ports.json'))
  const apiPort = publicPorts.api ?? (await ports.of('api'))
  const shared: LocalRun = {
    ...start,
    folder,
    secrets: readOrMakeSecrets(folder.secrets),
    more: {
      ...more,
      postgres: { ...POSTGRES, ...more?.postgres },
      api: { DATA_DIR: folder.path, ...more?.api },
    },
    publicUrl: `http://127.0.0.1:${apiPort}`,
    settings: {
      // The environment says where parts of `npm start` are, and these are others.
      ...readSettings(localSettings, {}),
      DATA_DIR: folder.path,
      POSTGRES_PORT: await ports.of('postgres'),
      TEMPORAL_PORT: await ports.of('temporal'),
      TEMPORAL_UI_PORT: publicPorts.ui ?? (await ports.of('temporal ui')),
      CODEC_PORT: await ports.of('codec'),
    },
  }
  const secrets = keepSecrets<ClusterSecrets>(join(folder.path, 'cluster-secrets.json'), {
    temporalPassword: makePassword(),
    secondAccountId: randomUUID(),
    secondKeyId: makeVenueKeyId(),
    secondSecretKey: makeVenueSecret(),
  })
  const nodesOf = async (kind: keyof typeof NODES, settings: readonly PortSetting[]): Promise<LocalRun[]> => {
    const nodes: LocalRun[] = []
    for (let node = 1; node <= NODES[kind]; node++) {
      const own: Partial<Record<PortSetting, number>> = {}
      for (const setting of settings) own[setting] = await ports.of(`${kind} ${node} ${setting}`)
      nodes.push({ ...shared, node, settings: { ...shared.settings, ...own } })
    }
    return nodes
  }
  const venues = await nodesOf('venue', ['VENUE_PORT'])
  return {
    shared,
    venues: venues.map((run) => (run.node === 1 ? run : atItsOwnBooks(run, secrets))),
    workers: await nodesOf('worker', ['METRICS_PORT', 'WORKER_HEALTH_PORT']),
    apis: await nodesOf('api', ['API_PORT', 'API_METRICS_PORT', 'API_WORKER_METRICS_PORT']),
    secrets,
    ports,
    apiPort,
  }
}

type PortSetting = keyof LocalSettings & `${string}_PORT`

/** Another venue is another broker: its ledger and its account are its own. */
const atItsOwnBooks = (run: LocalRun, { secondKeyId, secondSecretKey }: ClusterSecrets): LocalRun => ({
  ...run,
  folder: { ...run.folder, venueLedger: join(run.folder.path, 'venue', 'venue-2.sqlite') },
  secrets: { ...run.secrets, venueKeyId: secondKeyId, venueSecretKey: secondSecretKey },
})
