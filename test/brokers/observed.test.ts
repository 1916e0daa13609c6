import assert from 'node:assert/strict'
import { observedBroker, type BrokerRequest } from '#brokers/observed.ts'
import { connectBroker } from '#brokers/registry.ts'
import { json, startScriptedServer, type ScriptedServer } from './scripted-server.ts'

describe('requests to brokers', () => {
  let server: ScriptedServer
  before(async () => {
    server = await startScriptedServer()
  })
  after(() => server.close())

  const lookUp = (observe: (request: BrokerRequest) => void) =>
    observedBroker(
      connectBroker,
      observe,
    )({
      brokerType: 'alpaca',
      baseUrl: server.url,
      credentials: { keyId: 'KEY', secretKey: 'SECRET' },
    }).findOrder('any')
  const observed = async (): Promise<BrokerRequest> => {
    let heard: BrokerRequest | undefined
    await lookUp((request) => (heard = request)).catch(() => {})
    return heard!
  }
  const answering = (headers: Record<string, string>) =>
    server.answerWith(json(404, { code: 40410000, message: 'order not found' }, headers))
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString()

  it('report how much of the requests of its minute a connection has used', async () => {
    answering({ 'x-ratelimit-limit': '200', 'x-ratelimit-remaining': '50' })
    const { brokerType, outcome, budgetUsed } = await observed()
    assert.deepEqual([brokerType, outcome, budgetUsed], ['alpaca', '404', 0.75])
  })

  it('report nothing of requests a minute where the broker does not, or says nonsense', async () => {
    for (const headers of [
      {},
      { 'x-ratelimit-limit': '200' },
      { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' },
      { 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '1' },
    ] as Record<string, string>[]) {
      answering(headers)
      assert.equal((await observed()).budgetUsed, null, JSON.stringify(headers))
    }
  })

  for (const [what, seconds] of [
    ['ahead', 30],
    ['behind', -30],
  ] as const)
    it(`report by how much the clock of a broker is ${what}, to half a second`, async () => {
      answering({ date: inSeconds(seconds) })
      const { clockDifference } = await observed()
      assert.ok(Math.abs(clockDifference! - 30) < 1, String(clockDifference))
    })

  it('report no clock and no budget where no answer came', async () => {
    server.answerWith((_, __, socket) => socket.destroy())
    const { outcome, budgetUsed, clockDifference } = await observed()
    assert.deepEqual([outcome, budgetUsed, clockDifference], ['none', null, null])
  })

  it('come to what the broker answered although their report fails, which is warned of', async () => {
    answering({})
    const warned = new Promise((resolve) => process.once('warning', resolve))
    const fault = new Error('the observer fails')
    const order = await lookUp(() => {
      throw fault
    })
    assert.equal(order, null)
    assert.equal(await warned, fault)
  })
})
