import { createHash } from 'node:crypto'

/** The living workers of the task queue, as one of them knows them. */
export interface Fleet {
  /** The id of this worker. */
  readonly workerId: string
  /**
   * Ids of the living workers that follow connections, as of the last heartbeat of this one; null before its first: those
   * in the process of an API if there are any, and else all. An order that is sent in answer to a request then hears of
   * its fill in its own process. While this worker cannot beat the answer stays as it was, and the others take its
   * connections over.
   */
  readonly followers: readonly string[] | null
}

/**
 * The connections that one worker follows, of all that there are; none if it is not among those that do. Every worker works this out by itself, from the same
 * two lists: each connection has one owner, the numbers of two workers differ by one at most, and a worker that comes or
 * goes moves few connections besides its own (rendezvous hashing with bounded loads).
 */
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
