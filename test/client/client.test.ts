import assert from 'node:assert/strict'
import { createClient } from '#client/client.ts'
import { startApi, type ApiServer, type TestUser } from '../api/support/api-server.ts'

describe('the typed client', () => {
  let api: ApiServer
  let user: TestUser
  before(async function () {
    this.timeout(60_000)
    api = await startApi()
    user = await api.addUser()
  })
  after(() => api.stop())

  it('sends a body, and types the answer by its status', async () => {
    const ask = createClient(api.address, user.token)
    const sent = await ask('POST /api/v1/signals', {
      body: {
        symbol: 'AAPL',
        action: 'openLong',
        accountId: user.accountId,
        quantity: 10,
        executeMode: 'pending',
      },
    })
    assert.ok(sent.status === 201)
    const { id, status } = sent.body.signal
    assert.equal(status, 'pending')
    const shown = await ask('GET /api/v1/signals/{id}', { path: { id } })
    assert.ok(shown.status === 200)
    assert.equal(shown.body.data.quantity, 10)
    const listed = await ask('GET /api/v1/signals', { query: { status: ['pending', 'queued'], limit: 1 } })
    assert.ok(listed.status === 200)
    assert.deepEqual(
      listed.body.data.signals.map((signal) => signal.id),
      [id],
    )
  })
})
