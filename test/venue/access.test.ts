import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { CONTROL_SECRET } from '#test/support/venue-desk.ts'
import { startVenue, type RunningVenue } from '#venue/server.ts'
import { WebSocket } from 'ws'

const CONTROL = { authorization: `Bearer ${CONTROL_SECRET}` }
const KEYS = { 'apca-api-key-id': 'PAPER-DEMO-KEY', 'apca-api-secret-key': 'paper-demo-secret' }
const CONTROLS = [
  ['POST', '/venue/accounts'],
  ['GET', '/venue/ledger?account=PAPER-DEMO-KEY'],
  ['GET', '/venue/prices/AAPL'],
  ['PUT', '/venue/prices/AAPL'],
  ['DELETE', '/venue/prices/AAPL'],
  ['GET', '/venue/faults'],
  ['PUT', '/venue/faults'],
  ['DELETE', '/venue/faults'],
] as const

const FOR_ACCOUNTS = [
  'account/configurations',
  'account/portfolio/history',
  'assets',
  'options/contracts',
  'calendar',
  'watchlists',
  'corporate_actions/announcements',
  'stocks/bars',
  'stocks/trades/latest',
  'stocks/AAPL/snapshot',
].map((path) => `/v2/${path}`)

describe('access to the venue', () => {
  let venue: RunningVenue
  before(async () => {
    venue = await startVenue({ VENUE_CONTROL_SECRET: CONTROL_SECRET, VENUE_HOST_NAMES: ['venue'] })
  })
  after(() => venue.close())

  /** fetch sets Host and Origin itself. */
  async function call(
    path: string,
    headers: Record<string, string>,
    { method = 'GET', url = venue.url } = {},
  ): Promise<number> {
    const sent = request(`${url}${path}`, { method, headers, agent: false })
    sent.end()
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }]
    response.resume()
    return response.statusCode
  }

  it('access to the venue to its control API needs the secret', async () => {
    for (const [method, path] of CONTROLS)
      for (const wrong of [{}, { authorization: 'Bearer x' }, { authorization: CONTROL_SECRET }, KEYS])
        assert.equal(await call(path, wrong, { method }), 401, `${method} ${path}`)
    assert.equal(await call('/venue/faults', CONTROL), 200)
  })

  it('access to the venue to what is for accounts needs the keys of one', async () => {
    for (const path of [...FOR_ACCOUNTS, '/v3/clock', '/v3/calendar/NYSE', '/v1/corporate-actions'])
      for (const wrong of [{}, CONTROL, { ...KEYS, 'apca-api-secret-key': 'x' }])
        assert.equal(await call(path, wrong), 401, path)
  })

  it('access to the venue to its control API is closed where no secret is set', async () => {
    const closed = await startVenue()
    try {
      for (const [method, path] of CONTROLS)
        for (const headers of [{}, CONTROL, { authorization: 'Bearer undefined' }])
          assert.equal(await call(path, headers, { method, url: closed.url }), 403, `${method} ${path}`)
    } finally {
      await closed.close()
    }
  })

  it('access to the venue by a name that leads here and is not its own is refused', async () => {
    const { port } = new URL(venue.url)
    for (const path of ['/', '/v2/account', '/venue/faults', '/nothing']) {
      for (const host of [
        `attacker.example:${port}`,
        'attacker.example',
        'localhost.attacker.example',
        'venue.x',
      ])
        assert.equal(await call(path, { ...KEYS, ...CONTROL, host }), 403, `${host} ${path}`)
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '[::1]', `venue:${port}`, 'LOCALHOST'])
      assert.equal(await call('/v2/account', { ...KEYS, host }), 200, host)
  })

  it('access to the venue from pages of other sites is refused', async () => {
    const own = new URL(venue.url).host
    for (const origin of ['https://attacker.example', 'null', 'http://127.0.0.1:1', `http://${own}.x`])
      assert.equal(await call('/venue/faults', { ...CONTROL, origin }), 403, origin)
    assert.equal(await call('/venue/faults', { ...CONTROL, origin: venue.url }), 200)
  })

  it('access to the venue to its stream of trade updates is refused alike', async () => {
    for (const headers of [{ host: 'attacker.example' }, { origin: 'https://attacker.example' }]) {
      const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/stream`, { headers })
      const [error] = (await once(socket, 'error')) as [Error]
      assert.match(error.message, /403/)
    }
  })

  it('access to the venue to its page and its health needs nothing on this machine', async () => {
    assert.equal(await call('/', {}), 200)
    assert.equal(await call('/venue/health', {}), 200)
    assert.equal(await call('/venue/health', { host: 'attacker.example' }), 200)
  })
})
