import { randomInt } from 'node:crypto'
import { localSettings } from '#config/env.ts'
import { isFree } from '#local/start/ports.ts'

/** Below the ports that Linux (from 32768), macOS and Windows (from 49152) give to outgoing connections. */
const LASTING = { from: 20_000, to: 32_000 }

/** Those that this process has asked for: nothing may listen yet on one that it was given. */
const asked = new Set<number>()

/**
 * A free port that stays free while its server is down: outside the range that outgoing connections take their
 * own ports from, where a client that keeps trying to reach the dead server would sooner or later sit on it. A process
 * is given no port twice, until it has asked for half of all.
 */
export async function findLastingPort(hosts: readonly string[] = ['127.0.0.1']): Promise<number> {
  if (asked.size > (LASTING.to - LASTING.from) / 2) asked.clear()
  for (;;) {
    const port = randomInt(LASTING.from, LASTING.to)
    if (asked.has(port)) continue
    asked.add(port)
    if (await isFreeOnAll(port, hosts)) return port
  }
}

/** Whether nothing listens on that port of any of these addresses. */
export async function isFreeOnAll(port: number, hosts: readonly string[]): Promise<boolean> {
  for (const host of hosts) if (!(await isFree(port, host))) return false
  return true
}

/** For the environment of processes: a port of its own for each setting that names one, so that a started service may run beside. */
export async function ownPorts(): Promise<Record<string, string>> {
  const ports: Record<string, string> = {}
  for (const name of Object.keys(localSettings.shape))
    if (name.endsWith('_PORT')) ports[name] = String(await findLastingPort())
  return ports
}
