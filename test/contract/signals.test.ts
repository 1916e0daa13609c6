import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { signalBody, startApi, type ApiServer, type TestUser } from '../api/support/api-server.ts'

/** What sections 2.1, 2.2 and 4.1 of the specification say of a signal's body and is told apart nowhere else. */
describe('POST /api/v1/signals, by the letter of the specification', () => {
  let api: ApiServer
  let user: TestUser
  before(async function () {
    this.timeout(60_000)
    api = await startApi()
    user = await api.addUser()
  })
  after(() => api.stop())

  const post = (changes: Record<string, unknown>, headers: Record<string, string> = {}) =>
    api.call('POST', '/api/v1/signals', {
      token: user.token,
      body: JSON.stringify(signalBody(user.accountId, changes)),
      headers,
    })
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)
  const faultyFields = (body: { details: { field: string }[] }) => body.details.map(({ field }) => field)

  for (const action of ['openLong', 'closeLong', 'openShort', 'closeShort'])
    it(`takes action ${action}`, async () => assert.equal((await post({ action })).status, 201))

  for (const [executeMode, status, changes] of [
    ['immediate', 201, {}],
    ['scheduled', 202, { scheduledProcessAt: tomorrow, timezone: 'UTC' }],
    ['pending', 201, {}],
  ] as const)
    it(`takes executeMode ${executeMode}`, async () => {
      const answer = await post({ executeMode, ...changes })
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.equal(answer.body.signal.executeMode, executeMode)
    })

  it('asks for scheduledProcessAt, and with it for timezone, when it is scheduled', async () => {
    const without = await post({ executeMode: 'scheduled' })
    assert.deepEqual([without.status, without.body.code], [400, 'VALIDATION_ERROR'])
    assert.ok(faultyFields(without.body).includes('scheduledProcessAt'))
    const nowhere = await post({ executeMode: 'scheduled', scheduledProcessAt: tomorrow })
    assert.deepEqual(faultyFields(nowhere.body), ['timezone'])
  })

  it('asks for timezone with validUntil', async () => {
    assert.deepEqual(faultyFields((await post({ validUntil: tomorrow })).body), ['timezone'])
    assert.equal((await post({ validUntil: tomorrow, timezone: 'UTC' })).status, 201)
  })

  for (const exitTriggerType of ['minutesAfterEntry', 'minutesBeforeClose'])
    it(`asks for exitTriggerMinutes with ${exitTriggerType}`, async () => {
      assert.deepEqual(faultyFields((await post({ exitTriggerType })).body), ['exitTriggerMinutes'])
    })

  it('names the sourceId, the status and replaceExisting=true when a signal is there already', async () => {
    const sourceId = `letter-${randomUUID()}`
    await post({ sourceId, executeMode: 'pending' })
    const { status, body } = await post({ sourceId, executeMode: 'pending' })
    assert.equal(status, 200)
    for (const words of [sourceId, 'pending', 'replaceExisting=true'])
      assert.ok(body.message.includes(words), body.message)
  })

  for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain'])
    it(`takes a body of ${type}`, async () => {
      const { status, body } = await post({}, { 'Content-Type': type })
      assert.deepEqual([status, body.success, body.signal.executeMode], [201, true, 'immediate'])
    })
})
