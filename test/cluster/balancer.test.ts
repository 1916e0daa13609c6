import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { balance, connectTo, type Address } from '#test/cluster/balancer.ts'
import { findFreePort } from '#local/start/ports.ts'

const HOST = '127.0.0.1'

describe('the balancer before several servers', () => {
  const opened: Server[] = []
  const connections = new Set<Socket>()
  let balancer: Address
  let first: Address
  let second: Address

  /** A server that says its name, and then says everything back. */
  async function serve(at: Address, name: string): Promise<Server> {
    const server = createServer((socket) => {
      connections.add(socket)
      socket.on('error', () => socket.destroy())
      socket.write(name)
      socket.pipe(socket)
    })
    server.listen(at.port, at.host)
    await once(server, 'listening')
    opened.push(server)
    return server
  }

  /** Whichever way it ends. */
  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

  async function nextServer(): Promise<string> {
    const client = await connectTo(balancer)
    const [name] = (await once(client, 'data')) as [Buffer]
    client.destroy()
    return name.toString()
  }

  beforeEach(async () => {
    ;[balancer, first, second] = (await Promise.all(
      [0, 1, 2].map(async () => ({ host: HOST, port: await findFreePort() })),
    )) as [Address, Address, Address]
    opened.push(await balance(balancer, [first, second]))
  })
  afterEach(() => {
    for (const connection of connections) connection.destroy()
    for (const server of opened.splice(0)) server.close()
  })

  it('gives each the next connection in turn', async () => {
    await serve(first, 'first')
    await serve(second, 'second')
    assert.deepEqual(
      [await nextServer(), await nextServer(), await nextServer()],
      ['first', 'second', 'first'],
    )
  })

  it('sends every connection to the one that is left, and to both again when the other is back', async () => {
    await serve(second, 'second')
    assert.deepEqual([await nextServer(), await nextServer()], ['second', 'second'])
    await serve(first, 'first')
    assert.deepEqual(new Set([await nextServer(), await nextServer()]), new Set(['first', 'second']))
  })

  it('ends a connection whose server dies, so that the client connects anew', async () => {
    await serve(first, 'first')
    const client = await connectTo(balancer)
    await once(client, 'data')
    const ended = closed(client)
    for (const connection of connections) connection.resetAndDestroy()
    await ended
  })

  it('refuses a client as long as no server is there', async () => {
    await closed(await connectTo(balancer))
  })

  it('passes on everything that a server has said before it ends, and lets a client end first', async () => {
    const bytes = 5_000_000
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.resume()
      socket.on('end', () => socket.end(Buffer.alloc(bytes)))
    })
    server.listen(first.port, first.host)
    await once(server, 'listening')
    opened.push(server)
    const client = await connectTo(balancer)
    client.write('a question')
    client.end()
    let heard = 0
    client.on('data', (chunk: Buffer) => (heard += chunk.length))
    await closed(client)
    assert.equal(heard, bytes)
  })
})
