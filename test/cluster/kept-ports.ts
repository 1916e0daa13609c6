import { findLastingPort, isFreeOnAll } from '#test/support/lasting-port.ts'
import { readJson, writePrivateJson } from '#local/start/secrets.ts'

/**
 * Ports by name, the same at every start: the nodes of the last one are still on record as members of the cluster. One that
 * another program has taken meanwhile is replaced.
 */
export class KeptPorts {
  readonly #file: string
  readonly #ports: Partial<Record<string, number>>

  /** @param file where they are kept; made when missing */
  constructor(file: string) {
    this.#file = file
    this.#ports = { ...readJson<Record<string, number>>(file) }
  }

  /** The port of that name, free now on all of these addresses. */
  async of(name: string, hosts: readonly string[] = ['127.0.0.1']): Promise<number> {
    const kept = this.#ports[name]
    if (kept !== undefined && (await isFreeOnAll(kept, hosts))) return kept
    let port: number
    do port = await findLastingPort(hosts)
    while (Object.values(this.#ports).includes(port))
    this.#ports[name] = port
    writePrivateJson(this.#file, this.#ports)
    return port
  }
}
