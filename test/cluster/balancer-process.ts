import { fileURLToPath } from 'node:url'
import type { ProcessSpec } from '#local/processes/managed-process.ts'
import { connectTo, written, type Address } from './balancer.ts'

/** How to start a balancer before several servers that do the same, as a process of its own. */
export function balancerProcess(
  name: string,
  { at, servers, logFile }: { at: Address; servers: readonly Address[]; logFile: string },
): ProcessSpec {
  return {
    name,
    command: process.execPath,
    args: [fileURLToPath(new URL('balance.ts', import.meta.url)), ...[at, ...servers].map(written)],
    logFile,
    ready: async () => void (await connectTo(at)).destroy(),
    readyTimeoutMs: 30_000,
    graceMs: 5_000,
  }
}
