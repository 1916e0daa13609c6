import assert from 'node:assert/strict'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { venueForSuite } from './venue-client.ts'

describe('the order stream of the venue', () => {
  const venue = venueForSuite()
  const url = () => `${venue.client.url.replace('http', 'ws')}/stream`
  const next = async (socket: WebSocket) => {
    const [data] = (await once(socket, 'message')) as [Buffer]
    return JSON.parse(data.toString('utf8')) as unknown
  }

  it('takes the older form of authentication', async () => {
    const socket = new WebSocket(url())
    await once(socket, 'open')
    const data = { key_id: 'PAPER-DEMO-KEY', secret_key: 'paper-demo-secret' }
    socket.send(JSON.stringify({ action: 'authenticate', data }))
    assert.deepEqual(await next(socket), {
      stream: 'authorization',
      data: { action: 'authenticate', status: 'authorized' },
    })
    socket.close()
  })

  it('answers unauthorized to wrong keys and to listening without keys, and an error to nonsense', async () => {
    const socket = new WebSocket(url())
    await once(socket, 'open')
    socket.send(JSON.stringify({ action: 'auth', key: 'PAPER-DEMO-KEY', secret: 'wrong' }))
    assert.deepEqual(await next(socket), {
      stream: 'authorization',
      data: { action: 'authenticate', status: 'unauthorized' },
    })
    socket.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates'] } }))
    assert.deepEqual(await next(socket), {
      stream: 'authorization',
      data: { action: 'listen', status: 'unauthorized' },
    })
    socket.send('nonsense')
    assert.deepEqual(await next(socket), { stream: 'error', data: { code: 400, error: 'invalid syntax' } })
    socket.close()
  })

  it('shows an account nothing of another one', async () => {
    const other = await venue.otherAccount('stream-other')
    const { socket, messages } = await other.listen()
    await venue.client.submitAndAwait({ symbol: 'ZTSTRM' })
    await other.submitAndAwait({ symbol: 'ZTSTRM', client_order_id: 'mine' })
    const told = messages.slice(2).map(({ data }) => data.order.client_order_id)
    assert.deepEqual([...new Set(told)], ['mine'])
    socket.close()
  })

  it('answers 404 to an upgrade elsewhere', async () => {
    const socket = new WebSocket(url().replace('/stream', '/elsewhere'))
    const [error] = (await once(socket, 'error')) as [Error]
    assert.match(error.message, /404/)
  })
})
