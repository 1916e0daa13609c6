import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, type RunningServer } from '#api/http/server.ts'
import { eventually } from '../../support/eventually.ts'

const MEGABYTE = 1 << 20
/** Far beyond what the system takes from a process for a connection that nobody reads. */
const LARGE = 32 * MEGABYTE
const QUICK = { takesNothing: 200, takesAll: 60_000 }

describe('an unread answer', function () {
  this.timeout(60_000)
  let server: RunningServer
  let answers: ServerResponse[]
  let clients: Socket[]

  async function serve(handle: (response: ServerResponse) => void, limits = QUICK): Promise<void> {
    answers = []
    clients = []
    server = await listen(
      async (_request, response) => {
        answers.push(response as ServerResponse)
        handle(response as ServerResponse)
      },
      '127.0.0.1',
      0,
      { sending: limits },
    )
  }
  afterEach(async () => {
    for (const client of clients) client.destroy()
    await server.stop()
  })

  /** Asks, and reads nothing of the answer. */
  async function askOnly(count: number): Promise<void> {
    const port = Number(new URL(server.address).port)
    for (let n = 0; n < count; n++) {
      const client = connect(port, '127.0.0.1').on('error', () => {})
      clients.push(client.pause())
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    }
    await eventually(() => assert.equal(answers.length, count))
  }
  const waiting = () => answers.filter(({ closed }) => !closed).length
  const areAllCutOff = () => eventually(() => assert.equal(waiting(), 0), { within: 20_000 })

  for (const [what, body] of [
    ['150 lists of a megabyte', () => Buffer.alloc(MEGABYTE)],
    ['a list in one piece that is larger than any buffer', () => Buffer.alloc(LARGE)],
  ] as const)
    it(`an unread answer is let go of with its connection and its memory: ${what}`, async () => {
      await serve((response) => response.end(body()))
      await askOnly(what.startsWith('150') ? 150 : 1)
      await areAllCutOff()
      for (const { socket, writableLength } of answers)
        assert.deepEqual([socket?.destroyed ?? true, writableLength], [true, 0])
    })

  it('an unread answer is cut off at last when a few bytes are read now and then', async () => {
    await serve((response) => response.end(Buffer.alloc(LARGE)), { takesNothing: 200, takesAll: 1_500 })
    await askOnly(1)
    const reading = setInterval(() => clients[0]!.read(MEGABYTE), 50)
    await sleep(700)
    assert.equal(waiting(), 1)
    await areAllCutOff()
    clearInterval(reading)
  })

  it('an unread answer is none when it is an event stream, which has its own patience', async () => {
    await serve((response) => {
      response.setHeader('Content-Type', 'text/event-stream; charset=utf-8')
      response.write(Buffer.alloc(LARGE))
    })
    await askOnly(1)
    await sleep(1_000)
    assert.equal(waiting(), 1)
  })
})
