import assert from 'node:assert/strict'
import { User } from '#db/entities/index.ts'
import { startApi } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson, enableSecondFactor, letProofGrowOld, PASSWORD, type Person } from '../support/person.ts'
import { storeToken } from '../support/principals.ts'

describe('the trading mode', () => {
  const api = useApi({ liveTrading: 'enabled' })
  let person: Person
  beforeEach(async () => {
    person = await addPerson(api)
  })

  const switchTo = (body: object) => person.call('POST', '/accounts/mode', body)
  const mode = async () =>
    (await api.database.em.fork().findOneOrFail(User, { id: person.userId })).tradingMode

  it('the trading mode is switched to LIVE by a person who has just signed in, and back', async () => {
    const { status, body } = await switchTo({ mode: 'LIVE' })
    assert.deepEqual([status, body.success, body.mode], [200, true, 'LIVE'])
    assert.match(body.message, /real money/)
    assert.equal(await mode(), 'LIVE')
    assert.equal((await switchTo({ mode: 'PAPER' })).body.mode, 'PAPER')
    assert.equal(await mode(), 'PAPER')
  })

  it('the trading mode to LIVE asks for a new proof when the last one is old; the password is one', async () => {
    await letProofGrowOld(api, person)
    const stale = await switchTo({ mode: 'LIVE' })
    assert.deepEqual([stale.status, stale.body.error], [403, 'VERIFICATION_REQUIRED'])
    const wrong = await switchTo({ mode: 'LIVE', password: 'not this one' })
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'WRONG_PASSWORD'])
    assert.equal(await mode(), 'PAPER')
    assert.equal((await switchTo({ mode: 'LIVE', password: PASSWORD })).status, 200)
    assert.equal(await mode(), 'LIVE')
  })

  it('the trading mode to LIVE asks for the code of those who have a second factor, with any password they send', async () => {
    const { authenticator } = await enableSecondFactor(person)
    await letProofGrowOld(api, person)
    const { status, body } = await switchTo({ mode: 'LIVE', password: PASSWORD })
    assert.deepEqual([status, body.error], [400, 'WRONG_CODE'])
    const [code] = [authenticator.code(1)]
    assert.equal((await switchTo({ mode: 'LIVE', code })).status, 200)
  })

  it('the trading mode is switched to PAPER by a token that manages accounts, and to LIVE by no token', async () => {
    const token = await storeToken(api, person.userId, {})
    const asToken = (body: object) => api.call('POST', '/api/v1/accounts/mode', { token, body })
    await switchTo({ mode: 'LIVE' })
    assert.equal((await asToken({ mode: 'PAPER' })).status, 200)
    const { status, body } = await asToken({ mode: 'LIVE', password: PASSWORD })
    assert.deepEqual([status, body.error], [403, 'INSUFFICIENT_SCOPES'])
    assert.equal(await mode(), 'PAPER')
    const reader = await storeToken(api, person.userId, { scopes: '{accounts:read}' })
    const request = { token: reader, body: { mode: 'PAPER' } }
    assert.equal((await api.call('POST', '/api/v1/accounts/mode', request)).status, 403)
  })

  it('the trading mode is in the audit log when it changes, with who changed it, and not when it does not', async () => {
    await switchTo({ mode: 'LIVE' })
    await switchTo({ mode: 'LIVE' })
    const { body } = await person.call('GET', '/audit-log')
    const changes = body.data.events.filter(({ kind }: { kind: string }) => kind === 'trading_mode.changed')
    assert.equal(changes.length, 1)
    assert.deepEqual([changes[0].data.from, changes[0].data.to], ['PAPER', 'LIVE'])
  })

  it('stays PAPER on a server without live trading, and the answer names the setting', async () => {
    const careful = await startApi()
    try {
      const somebody = await addPerson(careful)
      const { status, body } = await somebody.call('POST', '/accounts/mode', { mode: 'LIVE' })
      assert.deepEqual([status, body.error], [403, 'LIVE_TRADING_DISABLED'])
      assert.match(body.message, /LIVE_TRADING=enabled/)
    } finally {
      await careful.stop()
    }
  })
})
