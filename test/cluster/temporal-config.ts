import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateJson } from '#local/start/secrets.ts'
import { written, type Address } from './balancer.ts'

/** What a process of Temporal's server does. */
export const TEMPORAL_ROLES = ['frontend', 'history', 'matching', 'worker'] as const
export type Role = (typeof TEMPORAL_ROLES)[number]

/** One process of Temporal's server. */
export type TemporalNode = {
  role: Role
  number: number
  /** Members of a role find each other at its port, so that each has an address of its own. */
  host: string
}

/** The ports of a role, on the address of each of its nodes. */
export type RolePorts = { grpc: number; membership: number }

/** What the nodes of a cluster have in common. */
export type TemporalCluster = {
  ports: Record<Role, RolePorts>
  postgres: { port: number; user: string; password: string }
  /** Where clients reach the frontends. */
  frontends: Address
}

/**
 * Each history node owns an equal part of them. Their number is fixed for ever when the cluster is made (docs/operate/capacity.md
 * says how many a rate needs).
 */
const HISTORY_SHARDS = 128
/** The databases of the cluster, and the folders of their schemas in the SQL tool. */
export const DATABASES = { temporal: 'temporal', temporal_visibility: 'visibility' } as const

/** Connections of one node to one of its databases; seven nodes leave the service enough of PostgreSQL's 400. */
const CONNECTIONS: Record<Role, number> = { frontend: 8, history: 24, matching: 12, worker: 4 }

/**
 * As the development server is tuned: queues are looked at as soon as something comes in. A task queue has one partition,
 * because a few hundred tasks a second are no load for one, and several make a task wait for the poller of another.
 */
const CLUSTER_DYNAMIC_CONFIG = {
  'history.transferProcessorMaxPollRPS': [{ value: 500 }],
  'history.timerProcessorMaxPollRPS': [{ value: 500 }],
  'matching.numTaskqueueReadPartitions': [{ value: 1 }],
  'matching.numTaskqueueWritePartitions': [{ value: 1 }],
  'system.enableActivityEagerExecution': [{ value: true }],
}

/** What the configuration of a node is called. */
export const nodeName = ({ role, number }: TemporalNode): string => `${role}-${number}`

/** The configuration of one node as Temporal's server reads it. */
export function temporalConfig(cluster: TemporalCluster, node: TemporalNode, dynamicConfig: string): object {
  const { ports, postgres, frontends } = cluster
  const store = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${postgres.port}`,
      connectProtocol: 'tcp',
      user: postgres.user,
      password: postgres.password,
      maxConns: CONNECTIONS[node.role],
      maxIdleConns: CONNECTIONS[node.role],
      maxConnLifetime: '1h',
    },
  })
  const rpc = ({ grpc, membership }: RolePorts) => ({
    rpc: { grpcPort: grpc, membershipPort: membership, bindOnIP: node.host },
  })
  return {
    log: { stdout: true, level: 'warn', format: 'json' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: HISTORY_SHARDS,
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: node.host },
    },
    services: Object.fromEntries(TEMPORAL_ROLES.map((role) => [role, rpc(ports[role])])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: written(frontends),
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    publicClient: { hostPort: written(frontends) },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '1m' },
  }
}

/** Writes the configuration of every node into the folder, for its owner only: the database's password is in it. */
export function writeTemporalConfigs(
  folder: string,
  cluster: TemporalCluster,
  nodes: readonly TemporalNode[],
): void {
  mkdirSync(folder, { recursive: true })
  const dynamicConfig = join(folder, 'dynamic.yaml')
  // JSON is YAML too.
  writePrivateJson(dynamicConfig, CLUSTER_DYNAMIC_CONFIG)
  for (const node of nodes)
    writePrivateJson(join(folder, `${nodeName(node)}.yaml`), temporalConfig(cluster, node, dynamicConfig))
}
