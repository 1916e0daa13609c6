import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { MOST_SILENT, listen, type RunningServer } from '#api/http/server.ts'
import { parseTrustedProxies } from '#contract/values/networks.ts'
import { eventually } from '#test/support/eventually.ts'
import { acceptStreams } from '#venue/server.ts'
import { REPOSITORY, repositoryFiles } from '../../architecture/source-files.ts'

const HEAD = 'POST /nowhere HTTP/1.1\r\nHost: x\r\n'

/** Connections are counted at the server: a client that closes in answer proves nothing. */
describe('a connection whose other side never closes it', function () {
  this.timeout(60_000)
  const clients: Socket[] = []
  const letGo = () => clients.splice(0).forEach((client) => client.destroy())
  afterEach(letGo)

  /** Connects, says something, and keeps its own side open whatever comes. */
  async function hold(address: string, says: string, count = 1): Promise<void> {
    const { hostname, port } = new URL(address)
    for (let n = 0; n < count; n++)
      await new Promise<void>((resolve) => {
        const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => {
          if (says !== '') client.write(says)
          resolve()
        })
        client.on('error', () => {}).resume()
        clients.push(client)
      })
  }

  /** `head`: milliseconds in which the head of a request has to come. */
  const serve = ({ proxies = '', head = 30_000 } = {}): Promise<RunningServer> =>
    listen(
      async (request, response) => {
        request
          .on('error', () => {})
          .once('end', () => response.end())
          .resume()
      },
      '127.0.0.1',
      0,
      { proxies: parseTrustedProxies(proxies), receiving: { head, whole: head + 1_000, checkedEvery: 100 } },
    )

  for (const [what, says] of [
    ['nothing', ''],
    ['half a head', HEAD],
    ['half a body', `${HEAD}Content-Length: 10\r\n\r\nhalf`],
    ['no HTTP', 'nonsense\r\n\r\n'],
  ] as const)
    it(`a silent connection is closed after the time-out where it has sent ${what}`, async () => {
      const { address, connections, stop } = await serve({ head: 1_000 })
      await hold(address, says, MOST_SILENT)
      await eventually(async () => assert.equal(await connections(), 0), { within: 10_000 })
      await stop()
    })

  it(`a silent connection is closed when ${MOST_SILENT} others of its address are silent too, and holds up no active sender`, async () => {
    const { address, connections, stop } = await serve()
    await hold(address, '', MOST_SILENT + 50)
    await eventually(async () => assert.equal(await connections(), MOST_SILENT))
    assert.equal((await fetch(address, { method: 'POST', body: 'x' })).status, 200)
    letGo()
    await stop()
  })

  it('counts for no address where it comes by a proxy of ours', async () => {
    const { address, connections, stop } = await serve({ proxies: '127.0.0.1' })
    await hold(address, '', MOST_SILENT + 50)
    await eventually(async () => assert.equal(await connections(), MOST_SILENT + 50))
    letGo()
    await stop()
  })

  it('a connection is answered last by one function, which closes it, and by no other', () => {
    const ending = repositoryFiles('.ts')
      .filter((path) => /^(api|worker|activities|brokers|venue|local|config|tracing)\//.test(path))
      .filter((path) => /\bsocket\.end\(/i.test(readFileSync(join(REPOSITORY, path), 'utf8')))
    assert.deepEqual(ending, ['config/last-answer.ts'])
  })

  it('a connection is closed by the venue that refuses to make a stream of it', async () => {
    const server: Server = createServer()
    acceptStreams(server, [], {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await hold(
      `http://127.0.0.1:${port}`,
      'GET /none HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      20,
    )
    const count = () => new Promise<number>((resolve) => server.getConnections((_, open) => resolve(open)))
    await eventually(async () => assert.equal(await count(), 0), { within: 5_000 })
    server.close()
  })
})
