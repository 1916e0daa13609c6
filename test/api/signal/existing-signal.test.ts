import { acknowledgeAlert } from '#db/alert/alerts.ts'
import assert from 'node:assert/strict'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck } from '#test/support/pluck.ts'

interface AlertRow {
  kind: string
  message: string
  signalId: string
  details: Record<string, unknown>
  resolvedAt: string | null
}

describe('a request whose sourceId a signal holds', () => {
  const api = useApi({ answerDeadline: 400 })
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    api.gateway.answer = async () => ({ status: 'executed', orderId: null, reason: null, detail: null })
  })

  const post = (changes: Record<string, unknown> = {}) =>
    api.call('POST', '/api/v1/signals', { token: user.token, body: signalBody(user.accountId, changes) })
  const run = (sql: string, ...values: unknown[]) =>
    api.database.em.getConnection().execute<Record<string, unknown>[]>(sql, values)
  const alerts = async (): Promise<AlertRow[]> => {
    const { body } = await api.call('GET', '/api/v1/alerts?state=all&kind=source_id_reused', {
      token: user.token,
    })
    return body.data.alerts
  }
  const acceptedAt = async (id: string): Promise<string> => {
    const { body } = await api.call('GET', `/api/v1/signals/${id}`, { token: user.token })
    return body.data.createdAt
  }

  it('a request whose sourceId a signal holds for the same trade is answered with that time, its status, and that nothing was sent', async () => {
    const first = await post({ sourceId: 'same' })
    const { status, body } = await post({ sourceId: 'same' })
    assert.equal(status, 200)
    assert.equal(
      body.message,
      `A signal with sourceId "same" exists already, with status queued; send replaceExisting=true to supersede it. The signal is of ${await acceptedAt(first.body.signal.id)}: its order has not been sent yet. Nothing was sent for this request`,
    )
    assert.deepEqual(await alerts(), [])
  })

  for (const [what, changes, words] of [
    ['symbol', { symbol: 'MSFT' }, /^Nothing was bought: /],
    ['action', { action: 'closeLong' }, /^Nothing was sold: /],
    ['side', { action: 'openShort' }, /^Nothing was sold: /],
    ['quantity', { quantity: 11 }, /^Nothing was bought: /],
    ['kind of quantity', { quantityType: 'dollarAmount' }, /^Nothing was bought: /],
  ] as const)
    it(`a request whose sourceId a signal holds for another ${what} is answered so with status 200, and its owner by an alert`, async () => {
      const first = await post({ sourceId: 'other' })
      const { status, body } = await post({ sourceId: 'other', ...changes })
      assert.deepEqual([status, body.success, body.signal.id], [200, true, first.body.signal.id])
      const of = `openLong 10 AAPL of ${await acceptedAt(body.signal.id)}, queued`
      assert.match(body.message, words)
      assert.ok(body.message.includes(`this sourceId belongs to another trade: ${of}. `), body.message)
      assert.match(body.message, /"other" exists already, with status queued; send replaceExisting=true/)
      assert.equal(body.advisories[0].code, 'source_id_payload_mismatch')
      const [alert, ...others] = await alerts()
      assert.deepEqual([alert?.signalId, alert?.resolvedAt, others], [body.signal.id, null, []])
      assert.ok(alert!.message.includes(of), alert!.message)
      assert.equal(alert!.details['sourceId'], 'other')
    })

  it('a request whose sourceId a signal holds for the same trade with other words raises no alert', async () => {
    await post({ sourceId: 'words', metadata: { price: 1 } })
    const { body } = await post({ sourceId: 'words', quantity: '10.0', metadata: { price: 2 } })
    assert.match(body.message, /^A signal with sourceId/)
    assert.equal(body.advisories[0].code, 'source_id_payload_mismatch')
    assert.deepEqual(await alerts(), [])
  })

  it('raises one alert however often it is repeated, also at once and after it was acknowledged', async () => {
    await post({ sourceId: 'often' })
    const other = () => post({ sourceId: 'often', symbol: 'MSFT' })
    await Promise.all(Array.from({ length: 8 }, other))
    const [alert, ...others] = await run('select id from alerts where user_id = ?', user.userId)
    assert.deepEqual(others, [])
    await acknowledgeAlert(api.database.em.fork(), user.userId, String(alert!['id']), 'me')
    await other()
    assert.equal((await alerts()).length, 1)
    // A further trade is lost as well.
    await post({ sourceId: 'often', symbol: 'TSLA' })
    assert.deepEqual(
      (await alerts()).map(({ details, resolvedAt }) => [details['symbol'], resolvedAt === null]),
      [
        ['TSLA', true],
        ['MSFT', false],
      ],
    )
  })

  it('says nothing of the quantity of a signal that a person let go, and may have changed', async () => {
    const { body } = await post({ sourceId: 'edited', executeMode: 'pending' })
    await run(
      "update signals set status = 'queued', quantity = 5, decided_by = 'me', decided_at = now() where id = ?",
      body.signal.id,
    )
    const again = await post({ sourceId: 'edited', executeMode: 'pending', metadata: { a: 1 } })
    assert.match(again.body.message, /^A signal with sourceId/)
    const other = await post({ sourceId: 'edited', executeMode: 'pending', symbol: 'MSFT' })
    assert.match(other.body.message, /^Nothing was bought/)
  })
})

describe('equal bodies without sourceId, by a token whose owner takes them for one', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    user.token = await user.mint({ mergesRepeats: true })
  })

  const send = (changes: Record<string, unknown> = {}, token = user.token) =>
    api.call('POST', '/api/v1/signals', { token, body: signalBody(user.accountId, changes) })
  const stored = async (): Promise<number> =>
    (await api.database.em.fork().execute('select from signals where account_id = ?', [user.accountId]))
      .length
  const change = (sql: string) =>
    api.database.em.fork().execute(`update signals set ${sql} where account_id = ?`, [user.accountId])

  it('equal bodies without sourceId, by a token whose owner takes them for one are one signal, and the second is answered 200 with it and an advisory', async () => {
    const first = await send()
    const second = await send()
    assert.deepEqual([first.status, second.status], [201, 200], JSON.stringify(second.body))
    assert.equal(second.body.signal.id, first.body.signal.id)
    assert.deepEqual(pluck(second.body.advisories, 'code'), ['repeated_body'])
    assert.match(second.body.message, /^A signal by the same body exists already/)
    assert.equal(await stored(), 1)
  })

  it('equal bodies without sourceId, by a token whose owner takes them for one are one signal when twenty of them come at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send()))
    assert.equal(new Set(answers.map(({ body }) => body.signal.id)).size, 1)
    assert.equal(answers.filter(({ status }) => status === 200).length, 19)
    assert.equal(await stored(), 1)
  })

  it('equal bodies without sourceId, by a token whose owner takes them for one are two signals where anything differs, a sourceId is sent, or another token sends', async () => {
    const other = await user.mint({ mergesRepeats: true })
    await send()
    assert.equal((await send({ quantity: 11 })).status, 201)
    assert.equal((await send({ metadata: { n: 1 } })).status, 201)
    assert.equal((await send({ sourceId: 'mine' })).status, 201)
    assert.equal((await send({}, other)).status, 201)
    assert.equal(await stored(), 5)
  })

  it('equal bodies without sourceId, by a token whose owner takes them for one are two signals 30 seconds after the first, with any repetition meanwhile', async () => {
    const first = await send()
    await change(`accepted_at = now() - interval '25 seconds'`)
    assert.equal((await send()).body.signal.id, first.body.signal.id)
    await change(`accepted_at = now() - interval '31 seconds'`)
    assert.equal((await send()).status, 201)
    assert.equal(await stored(), 2)
  })

  it('equal bodies without sourceId, by a token whose owner takes them for one are two signals when the first has come to nothing, and one while an order of it may work', async () => {
    await send()
    await change(`status = 'rejected'`)
    await change(`may_have_order = true`)
    assert.equal((await send()).status, 200)
    await change(`may_have_order = false`)
    assert.equal((await send()).status, 201)
    assert.equal(await stored(), 2)
  })

  it('equal bodies without sourceId, by a token whose owner has not chosen it, are two signals', async () => {
    const token = await user.mint()
    assert.deepEqual([(await send({}, token)).status, (await send({}, token)).status], [201, 201])
    assert.equal(await stored(), 2)
  })
})
