import { join } from 'node:path'
import type { ProcessSpec } from '#local/processes/managed-process.ts'
import { connectTo } from './balancer.ts'
import { nodeName, type RolePorts, type TemporalNode } from './temporal-config.ts'

/** How to start one node; its configuration lies in the folder. */
export function temporalNode(
  node: TemporalNode,
  {
    server,
    configFolder,
    logFolder,
    ports,
  }: { server: string; configFolder: string; logFolder: string; ports: RolePorts },
): ProcessSpec {
  const { role, number, host } = node
  const name = nodeName(node)
  const where = ['--root', configFolder, '--config', '.', '--env', name, '--allow-no-auth']
  return {
    name: `Temporal ${role} ${number}`,
    command: server,
    args: [...where, 'start', `--service=${role}`],
    logFile: join(logFolder, `temporal-${name}.log`),
    // The worker serves nobody; that it has joined the others is all that can be seen of it.
    ready: async () =>
      void (await connectTo({ host, port: role === 'worker' ? ports.membership : ports.grpc })).destroy(),
    readyTimeoutMs: 60_000,
    graceMs: 15_000,
  }
}
