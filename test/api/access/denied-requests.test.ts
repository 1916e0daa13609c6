import assert from 'node:assert/strict'
import { createRefusals } from '#api/access/denied-requests.ts'
import { listTokens } from '#db/identity/token-management.ts'
import { pino } from 'pino'
import { eventually } from '#test/support/eventually.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('refused signals of a token', () => {
  let user: TestUser
  let tokenId: string
  const api = useApi()
  beforeEach(async () => {
    user = await api.addUser()
    const [token] = await api.database.em.execute<{ id: string }[]>(
      'select id from access_tokens where user_id = ?',
      [user.userId],
    )
    tokenId = token!.id
  })

  const post = (changes: Record<string, unknown> = {}, token = user.token) =>
    api.call('POST', '/api/v1/signals', { token, body: signalBody(user.accountId, changes) })
  const alerts = async () =>
    (await api.call('GET', '/api/v1/alerts?state=all', { token: user.token })).body.data.alerts
  const stored = async () => {
    const [row] = await api.database.em.execute<{ last_refusal: { code: string; message: string } | null }[]>(
      'select last_refusal from access_tokens where id = ?',
      [tokenId],
    )
    return row!.last_refusal
  }

  it('raise one alert with the first, which names the token, and end it with the next accepted one', async () => {
    for (let n = 0; n < 5; n++) assert.equal((await post({ quantity: 'NaN' })).status, 400)
    await eventually(async () => assert.equal((await alerts()).length, 1))
    const [alert] = await alerts()
    assert.deepEqual(
      [alert.kind, alert.tokenId, alert.accountId, alert.resolvedAt],
      ['signals_refused', tokenId, null, null],
    )
    assert.match(alert.message, /refused \(VALIDATION_ERROR\): Validation failed: quantity/)
    assert.ok((await post()).status < 300)
    await eventually(async () => assert.notEqual((await alerts())[0].resolvedAt, null))
    assert.equal((await post({ action: 'hold' })).status, 400)
    await eventually(async () => assert.equal((await alerts()).length, 2))
  })

  it('refused signals of a token are reported when the body cannot be read, is of another kind or too large', async () => {
    const { status } = await post({ metadata: { note: 'x'.repeat(70_000) } })
    assert.equal(status, 413)
    await eventually(async () => assert.equal((await stored())?.code, 'PAYLOAD_TOO_LARGE'))
  })

  it('refused signals of a token are neither raised nor ended by dry runs', async () => {
    assert.equal((await post({ quantity: -1, dryRun: true })).status, 400)
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.deepEqual([await stored(), await alerts()], [null, []])
  })

  it('refused signals of a token are written once in a while however many come, the newest at the end, and changes at once', async () => {
    const statements: unknown[] = []
    const { em } = api.database
    const fork = () => {
      statements.push(1)
      return em.fork()
    }
    const counted = { em: { fork } } as never
    const refusals = createRefusals(counted, pino({ enabled: false }), 300)
    for (let n = 1; n <= 1_000; n++) refusals.refused(tokenId, 'VALIDATION_ERROR', `refusal ${n}`)
    await eventually(async () => assert.equal((await stored())?.message, 'refusal 1000'))
    assert.equal(statements.length, 2)
    refusals.accepted(tokenId, false)
    await eventually(async () => assert.notEqual((await alerts())[0].resolvedAt, null), { within: 2_000 })
    assert.equal(statements.length, 3)
  })

  it('keep no token in their words, and are bounded', async () => {
    const refusals = createRefusals(api.database, pino({ enabled: false }))
    refusals.refused(tokenId, 'VALIDATION_ERROR', `${user.token} ${'x'.repeat(1_000)}`)
    await eventually(async () => assert.ok(await stored()))
    const { message } = (await stored())!
    assert.ok(!message.includes(user.token) && message.length <= 301, message)
  })

  it('appear with their token in the list of tokens', async () => {
    await post({ quantity: 'NaN' })
    await eventually(async () => {
      const { items } = await listTokens(api.database.em.fork(), user.userId, { limit: 10, offset: 0 })
      assert.equal(items[0]!.lastRefusal?.code, 'VALIDATION_ERROR')
    })
  })
})
