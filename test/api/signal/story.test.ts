import assert from 'node:assert/strict'
import { decideOnce } from '#db/order/decisions.ts'
import { checkThrottle } from '#db/order/throttle.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { ORDER_CAPS } from '#domain/risk/buying-power.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { createSignal, orderReport } from '../../support/factories.ts'
import { signalBody, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck, sorted } from '#test/support/pluck.ts'

const AT = '2026-03-02T15:00:12.300Z'

describe('the story of a signal', () => {
  const api = useApi()
  let user: TestUser
  before(async () => {
    user = await api.addUser()
  })

  const ask = async (id: string, what = '') =>
    (await api.call('GET', `/api/v1/signals/${id}${what}`, { token: user.token })).body.data
  const send = async (body: unknown, token = user.token): Promise<string> =>
    (await api.call('POST', '/api/v1/signals', { token, body })).body.signal.id
  const pending = () =>
    createSignal(api.database.em, { accountId: user.accountId, status: 'pending', executeMode: 'pending' })

  it('names the token that sent it, and keeps that name when the token is called otherwise', async () => {
    const token = await user.mint({ label: 'Trading "View"' })
    const id = await send(signalBody(user.accountId), token)
    await api.database.em.execute(`update access_tokens set label = 'Other' where label = 'Trading "View"'`)
    assert.equal((await ask(id)).sentBy, 'token "Trading \\"View\\""')
  })

  it('shows when each step was, in their order, and one decision though its task is done over', async () => {
    const { em } = api.database
    const signal = await createSignal(em, { accountId: user.accountId })
    const { receivedAt: received, ...later } = (await ask(signal.id)).timings
    assert.equal(received, signal.acceptedAt.toISOString())
    assert.deepEqual(new Set(Object.values(later)), new Set([null]))
    const judge = () =>
      decideOnce(em.fork(), signal.id, 'entry', { outcome: 'ready', quantity: '10', advisories: [] })
    await judge()
    const clientOrderId = clientOrderIdFor(signal.id, 'entry', 1)
    const order = { accountId: user.accountId, clientOrderId, quantity: '10', reducing: false } as const
    await checkThrottle(em.fork(), order, ORDER_CAPS)
    await recordAccepted(em.fork(), orderReport(signal))
    const { timings } = await ask(signal.id)
    const { receivedAt, checkedAt, sentAt, acknowledgedAt, filledAt } = timings
    assert.deepEqual(
      [receivedAt, checkedAt, sentAt, acknowledgedAt],
      sorted([receivedAt, checkedAt, sentAt, acknowledgedAt]),
    )
    assert.equal(filledAt, null)
    await judge()
    assert.deepEqual((await ask(signal.id)).timings, timings)
  })

  it('the story of a signal begins with its body as it came, but for secrets, for its user alone', async () => {
    const text = `{ "symbol": "aapl", "action": "openLong", "quantity": "10", "executeMode": "pending",\n "accountId": "${user.accountId}", "metadata": { "api_key": "hunter2", "note": "by dt_0123456789abc" } }`
    const id = await send(text)
    const { body, receivedAt } = await ask(id, '/source')
    assert.equal(body, text.replace('hunter2', '[redacted]').replace('dt_0123456789abc', 'dt_[redacted]'))
    assert.ok(Date.parse(receivedAt) > 0)
    assert.equal((await ask((await pending()).id, '/source')).body, null)
    const foreign = await api.call('GET', `/api/v1/signals/${id}/source`, await api.addUser())
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'SIGNAL_NOT_FOUND'])
  })

  const list = async (path: string) => (await api.call('GET', `/api/v1${path}`, user)).body
  const store = (fields: Parameters<typeof createSignal>[1]) =>
    createSignal(api.database.em, { accountId: user.accountId, status: 'pending', ...fields })

  it('lists show signals in the order in which they expire, page by page, those that never do last', async () => {
    user = await api.addUser()
    const at = (minutes: number) => new Date(Date.parse(AT) + minutes * 60_000)
    const never = await store({})
    const late = await store({ validUntil: at(30) })
    const soon = await store({ validUntil: at(5) })
    const first = (await list('/signals?sort=validUntil&limit=2')).data
    const rest = (await list(`/signals?sort=validUntil&limit=2&cursor=${first.nextCursor}`)).data
    assert.deepEqual(pluck([...first.signals, ...rest.signals], 'id'), [soon.id, late.id, never.id])
    assert.deepEqual([first.total, rest.nextCursor], [3, null])
    // A place in one order is none in another.
    const mixed = await api.call('GET', `/api/v1/signals?limit=2&cursor=${first.nextCursor}`, user)
    assert.equal(mixed.status, 400)
  })

  it('lists find signals by the status of their exits', async () => {
    const scheduled = await store({ status: 'executed', exitStatus: 'scheduled' })
    const filled = await store({ status: 'executed', exitStatus: 'filled' })
    await store({ status: 'executed' })
    const idsOf = async (query: string): Promise<string[]> =>
      pluck((await list(`/signals?exitStatus=${query}`)).data.signals, 'id')
    assert.deepEqual(await idsOf('scheduled,waiting'), [scheduled.id])
    assert.deepEqual(new Set(await idsOf('scheduled,filled')), new Set([scheduled.id, filled.id]))
  })
})
