import { createHash } from 'node:crypto'

export interface Fleet {
  readonly workerId: string
  /**
   * Followers in API processes, if any: orders of requests receive their fills there. Null before the first heartbeat.
   */
  readonly followers: readonly string[] | null
}

/** Assigns connections to workers by rendezvous hashing with bounded loads: one owner, few moves. */
export function connectionsOf(
  workerId: string,
  followers: readonly string[],
  connections: readonly string[],
): Set<string> {
  const everyone = [...new Set(followers)]
  if (!everyone.includes(workerId)) return new Set()
  const loads = new Map(everyone.map((worker) => [worker, 0]))
  const least = Math.floor(connections.length / everyone.length)
  let withOneMore = connections.length % everyone.length
  const own = new Set<string>()
  for (const connection of connections.toSorted()) {
    const candidates = everyone.filter((worker) => {
      const load = loads.get(worker)!
      return load < least || (load === least && withOneMore > 0)
    })
    const owner = candidates.reduce((best, worker) =>
      preference(connection, worker) > preference(connection, best) ? worker : best,
    )
    const load = loads.get(owner)! + 1
    loads.set(owner, load)
    if (load > least) withOneMore -= 1
    if (owner === workerId) own.add(connection)
  }
  return own
}

const preference = (connection: string, worker: string): string =>
  createHash('sha256').update(`${connection} ${worker}`).digest('hex')
