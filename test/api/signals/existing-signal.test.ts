import { acknowledgeAlert } from '#db/risk/alerts.ts'
import assert from 'node:assert/strict'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

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

  it('a request whose sourceId a signal holds for the same trade is told when that was, how it stands, and that nothing was sent', async () => {
    const first = await post({ sourceId: 'same' })
    const { status, body } = await post({ sourceId: 'same' })
    assert.equal(status, 200)
    assert.equal(
      body.message,
      `A signal with sourceId "same" exists already, with status queued; send replaceExisting=true to supersede it. The signal is of ${await acceptedAt(first.body.signal.id)}: its order has not been sent yet. Nothing was sent for this request`,
    )
    assert.deepEqual(await alerts(), [])
  })

  it('a request whose sourceId a signal holds is told that a new sourceId is needed when the order has filled', async () => {
    const first = await post({ sourceId: 'filled' })
    await run(
      "update signals set status = 'executed', filled_quantity = 10 where id = ?",
      first.body.signal.id,
    )
    const { body } = await post({ sourceId: 'filled' })
    assert.match(
      body.message,
      /"filled" exists already, with status executed; send replaceExisting=true to supersede it\..* 10 shares of its order filled\. Nothing was sent for this request\. It cannot be superseded any more: send a new sourceId/,
    )
  })

  for (const [what, changes, words] of [
    ['symbol', { symbol: 'MSFT' }, /^Nothing was bought: /],
    ['action', { action: 'closeLong' }, /^Nothing was sold: /],
    ['side', { action: 'openShort' }, /^Nothing was sold: /],
    ['quantity', { quantity: 11 }, /^Nothing was bought: /],
    ['kind of quantity', { quantityType: 'dollarAmount' }, /^Nothing was bought: /],
  ] as const)
    it(`a request whose sourceId a signal holds for another ${what} is told so with status 200, and its owner by an alert`, async () => {
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
