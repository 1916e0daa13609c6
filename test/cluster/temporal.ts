import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection } from '@temporalio/client'
import { StartupError } from '#local/processes/startup-error.ts'
import type { Supervisor } from '#local/processes/supervisor.ts'
import { findFreePort } from '#local/start/ports.ts'
import { balancerProcess } from './balancer-process.ts'
import { written, type Address } from './balancer.ts'
import type { KeptPorts } from './kept-ports.ts'
import {
  TEMPORAL_ROLES,
  writeTemporalConfigs,
  type Role,
  type RolePorts,
  type TemporalNode,
} from './temporal-config.ts'
import { temporalNode } from './temporal-node.ts'
import { TEMPORAL_USER } from './temporal-schema.ts'

/** The addresses of this machine on which the first and the second node of a role listen. */
const HOSTS = ['127.0.0.1', '127.0.0.2'] as const

/** Every process of Temporal's server: two of each role but the worker, which only looks after Temporal itself. */
const TEMPORAL_NODES: readonly TemporalNode[] = TEMPORAL_ROLES.flatMap((role) =>
  HOSTS.slice(0, role === 'worker' ? 1 : 2).map((host, index) => ({ role, number: index + 1, host })),
)

/** Throws {@link StartupError} unless this machine has all the addresses. */
export async function requireHosts(): Promise<void> {
  for (const host of HOSTS) {
    try {
      await findFreePort(host)
    } catch (error) {
      throw new StartupError(
        `This machine does not listen on ${host} (${(error as Error).message}), and two Temporal processes of one kind need two ` +
          `addresses. Linux has all of 127.0.0.0/8; on macOS run: sudo ifconfig lo0 alias ${host}`,
        { cause: error },
      )
    }
  }
}

/** What the nodes are started with. */
interface NodesStart {
  /** Temporal's server. */
  server: string
  /** Of the user of PostgreSQL that Temporal is. */
  password: string
  postgresPort: number
  ports: KeptPorts
  configFolder: string
  logFolder: string
  supervisor: Pick<Supervisor, 'keep'>
}

const NAMESPACE = 'default'
/** How long the nodes may take to find each other, in milliseconds. */
const JOINING_MS = 60_000

/** Starts every node and the proxy before the frontends, makes the namespace, and answers that proxy; the tables have to be there. */
export async function startTemporalNodes({
  server,
  password,
  postgresPort,
  ports,
  configFolder,
  logFolder,
  supervisor,
}: NodesStart): Promise<Address> {
  const rolePorts = await portsOfRoles(ports)
  const frontends = { host: '127.0.0.1', port: await ports.of('temporal') }
  const postgres = { port: postgresPort, user: TEMPORAL_USER, password }
  writeTemporalConfigs(configFolder, { ports: rolePorts, postgres, frontends }, TEMPORAL_NODES)
  await Promise.all([
    startNodes((node) =>
      supervisor.keep(temporalNode(node, { server, configFolder, logFolder, ports: rolePorts[node.role] })),
    ),
    supervisor.keep(
      balancerProcess('Temporal proxy', {
        at: frontends,
        servers: TEMPORAL_NODES.filter(({ role }) => role === 'frontend').map(({ host }) => ({
          host,
          port: rolePorts.frontend.grpc,
        })),
        logFile: join(logFolder, 'temporal-proxy.log'),
      }),
    ),
  ])
  await makeNamespace(written(frontends), NAMESPACE)
  return frontends
}

/**
 * Starts one node before all others: the first on empty tables writes what the cluster is, and of several that do so at
 * once only one succeeds; the rest end.
 *
 * @param start resolves when the node works
 */
async function startNodes(start: (node: TemporalNode) => Promise<void>): Promise<void> {
  // A history needs none of the others to become ready.
  const first = TEMPORAL_NODES.find(({ role }) => role === 'history')!
  await start(first)
  await Promise.all(TEMPORAL_NODES.filter((node) => node !== first).map(start))
}

async function portsOfRoles(ports: KeptPorts): Promise<Record<Role, RolePorts>> {
  const all: Partial<Record<Role, RolePorts>> = {}
  for (const role of TEMPORAL_ROLES)
    all[role] = {
      grpc: await ports.of(`temporal ${role}`, HOSTS),
      membership: await ports.of(`temporal ${role} membership`, HOSTS),
    }
  return all as Record<Role, RolePorts>
}

async function makeNamespace(address: string, namespace: string): Promise<void> {
  const deadline = Date.now() + JOINING_MS
  for (;;) {
    try {
      return await ensureNamespace(address, namespace)
    } catch (error) {
      if (Date.now() > deadline)
        throw new StartupError(`Temporal's processes do not work together: ${(error as Error).message}`, {
          cause: error,
        })
    }
    await sleep(250)
  }
}

const RETENTION_DAY_SECONDS = 86_400
/** gRPC's code for what is there already. */
const ALREADY_EXISTS = 6

/**
 * Makes a namespace that forgets ended workflows after a day, as the development server does, unless it is there. Throws
 * when no server answers.
 */
async function ensureNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 3_000 })
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      // Numbers are taken too; the types know only of longer ones.
      workflowExecutionRetentionPeriod: { seconds: RETENTION_DAY_SECONDS as never },
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === ALREADY_EXISTS)) throw error
  } finally {
    await connection.close()
  }
}
