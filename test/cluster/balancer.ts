import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'

/** A TCP address. */
export type Address = { host: string; port: number }

/** As people write it. */
export const written = ({ host, port }: Address): string => `${host}:${port}`

/** How long a server may take to accept a connection before the next one is tried, in milliseconds. */
const CONNECT_LIMIT_MS = 1_000

/**
 * Listens at one address for several servers that do the same: each connection goes to the next of them, and to the one after
 * it when that does not accept it. A connection whose server dies ends, and its client connects anew. Resolves when it listens.
 */
export async function balance(at: Address, servers: readonly Address[]): Promise<Server> {
  let turn = 0
  const balancer = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const first = turn++ % servers.length
    const inTurn = [...servers.slice(first), ...servers.slice(0, first)]
    // A client that leaves meanwhile is no fault of ours.
    client.on('error', () => client.destroy())
    void connectToOne(inTurn).then(
      (server) => join(client, server),
      () => client.resetAndDestroy(),
    )
  })
  balancer.listen(at.port, at.host)
  await once(balancer, 'listening')
  return balancer
}

/** Connects to the address within a second. Rejects when nothing listens there. */
export async function connectTo({ host, port }: Address): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true, allowHalfOpen: true })
  // Reported by the rejection, or after the connection by its end.
  socket.on('error', () => {})
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function connectToOne(servers: readonly Address[]): Promise<Socket> {
  const faults: unknown[] = []
  for (const server of servers) {
    try {
      return await connectTo(server)
    } catch (error) {
      faults.push(error)
    }
  }
  throw new AggregateError(faults, 'none of the servers accepts a connection')
}

function join(client: Socket, server: Socket): void {
  if (client.destroyed) {
    server.destroy()
    return
  }
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.pipe(to)
    from.on('error', () => to.resetAndDestroy())
    // What one has said before its end still arrives at the other.
    from.on('close', () => to.destroySoon())
  }
}
