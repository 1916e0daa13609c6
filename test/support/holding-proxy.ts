import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Which way bytes are held: on their way to the server, or back. */
export type Held = { questions: boolean; answers: boolean }

/** Stands between a program and a server, as a pooler or a network does, and can hold what passes: it comes later, whole. */
export interface HoldingProxy {
  /** The address given, by way of this proxy. */
  readonly url: string
  /** Holds what comes from now on. Returns what passes it all on. */
  hold(held?: Held): () => void
  close(): Promise<void>
}

/** @param target address of the server, such as that of a database */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let held: Held = { questions: false, answers: false }
  let waiting: (() => void)[] = []

  /** Passes on what one socket says to the other, after what is held of it. */
  function pass(from: Socket, to: Socket, way: keyof Held): void {
    let isHeld = false
    const inTurn = (write: () => void) => {
      if (!held[way] && !isHeld) return write()
      isHeld = true
      waiting.push(() => {
        isHeld = false
        write()
      })
    }
    sockets.add(from)
    from.on('data', (bytes) => inTurn(() => void to.write(bytes)))
    from.on('error', () => {})
    from.once('close', () => {
      sockets.delete(from)
      // A connection that is given up while it is held is closed behind what it has said.
      inTurn(() => void to.end())
    })
  }

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    pass(client, upstream, 'questions')
    pass(upstream, client, 'answers')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    hold(which = { questions: true, answers: true }) {
      held = which
      return () => {
        held = { questions: false, answers: false }
        const passed = waiting
        waiting = []
        for (const write of passed) write()
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
