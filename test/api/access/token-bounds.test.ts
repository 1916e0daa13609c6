import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { scoped, requireOpenToBounds } from '#api/access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { ACCESS_POLICY } from '#test/api/support/access-policy.ts'
import { TOKEN_BOUNDS, type TokenBound, type TokenBounds } from '#domain/risk/token-bounds.ts'
import { createAccount, createSignal } from '../../support/factories.ts'
import { signalBody, type Answer, type TestUser } from '../support/api-server.ts'
import { addPerson } from '../support/person.ts'
import { useApi } from '../support/use-api.ts'

const ALL: TokenBounds = {
  pendingOnly: true,
  accountIds: [randomUUID()],
  symbols: ['MSFT'],
  maxOrderValue: '1',
  ownSignalsOnly: true,
  demoOnly: true,
}

/** Routes that take tokens, and change something. */
const CHANGING = Object.entries(ACCESS_POLICY).filter(
  ([name, { credentials }]) => credentials.includes('access') && !name.startsWith('GET '),
)

describe('how the bounds of tokens apply to routes', () => {
  it('the effect of the bounds of tokens on routes is said by every route that takes tokens and changes something, for every bound', () => {
    assert.ok(CHANGING.length > 10)
    for (const [name, { bounds }] of CHANGING) {
      assert.ok(bounds !== null && bounds !== 'reading', name)
      assert.deepEqual(Object.keys(bounds).toSorted(), TOKEN_BOUNDS.toSorted(), name)
    }
  })

  it('the effect of the bounds of tokens on routes is closed to every bound token where a route does not say it, as a route added tomorrow', () => {
    // As JavaScript lets it be written, where no type is looked at.
    const untyped = scoped as (scope: string, options?: object) => { bounds: null }
    const { bounds: undeclared } = untyped('orders:write')
    for (const bound of TOKEN_BOUNDS)
      assert.throws(
        () => requireOpenToBounds({ bounds: { [bound]: ALL[bound] } }, undeclared),
        (error) => error instanceof ApiError && error.code === 'TOKEN_BOUNDS_EXCEEDED',
      )
    requireOpenToBounds({ bounds: {} }, undeclared)
  })
})

describe('a bound token', () => {
  let user: TestUser
  let other: string
  const api = useApi()
  beforeEach(async () => {
    user = await api.addUser()
    other = (await createAccount(api.database.em.fork(), { userId: user.userId })).id
  })

  const mint = (bounds: TokenBounds) => user.mint({ bounds })
  const send = (token: string, changes: Record<string, unknown> = {}, accountId = user.accountId) =>
    api.call('POST', '/api/v1/signals', { token, body: signalBody(accountId, changes) })
  const order = (token: string, changes: Record<string, unknown> = {}) =>
    api.call('POST', '/api/v1/orders', {
      token,
      body: {
        accountId: user.accountId,
        symbol: 'AAPL',
        side: 'BUY',
        orderType: 'LIMIT',
        quantity: 10,
        limitPrice: 100,
        ...changes,
      },
    })
  const refused = ({ status, body }: Answer, ...bounds: TokenBound[]) => {
    assert.equal(status, 403, JSON.stringify(body))
    assert.equal(body.code ?? body.error, 'TOKEN_BOUNDS_EXCEEDED', JSON.stringify(body))
    assert.deepEqual(
      body.details.map(({ field }: { field: string }) => field),
      bounds,
    )
  }
  const passed = ({ status, body }: Answer) =>
    assert.ok(status < 300 || body.code === 'TEMPORAL_UNAVAILABLE', `${status} ${JSON.stringify(body)}`)
  const stored = async () => {
    const [row] = await api.database.em.execute<{ n: number }[]>(
      `select count(*)::int as n from signals where user_id = ?`,
      [user.userId],
    )
    return row!.n
  }

  it('a bound token is refused by every route that a bound of it closes, and by no other for that', async () => {
    const fill = (name: string) => name.split(' ')[1]!.replaceAll(/:\w+/g, randomUUID())
    for (const bound of TOKEN_BOUNDS) {
      const token = await mint({ [bound]: ALL[bound] })
      for (const [name, { bounds }] of CHANGING) {
        const answer = await api.call(name.split(' ')[0]!, fill(name), { token, body: {} })
        if ((bounds as Record<TokenBound, string>)[bound] === 'refused') refused(answer, bound)
        else if ((bounds as Record<TokenBound, string>)[bound] === 'free')
          assert.notEqual(answer.body.code, 'TOKEN_BOUNDS_EXCEEDED', `${name} ${bound}`)
      }
      assert.equal((await api.call('GET', '/api/v1/signals', { token })).status, 200)
    }
  })

  it('a bound token of demo accounts alone opens nothing on a live one, not by a pending signal either, and may close there', async () => {
    user = await api.addUser({ tradingMode: 'LIVE', isDemo: false })
    const token = await mint({ demoOnly: true })
    refused(await send(token), 'demoOnly')
    refused(await send(token, { executeMode: 'pending' }), 'demoOnly')
    assert.equal(await stored(), 0)
    passed(await send(token, { action: 'closeLong' }))
  })

  it('a bound token to pending signals stores no other one, by no dry run, repetition or replacement', async () => {
    const token = await mint({ pendingOnly: true })
    const sourceId = randomUUID()
    passed(await send(token, { executeMode: 'pending', sourceId }))
    const before = await stored()
    for (const changes of [
      {},
      { dryRun: true },
      { sourceId },
      { sourceId, replaceExisting: true },
      {
        executeMode: 'scheduled',
        scheduledProcessAt: new Date(Date.now() + 3_600_000).toISOString().slice(0, 19),
        timezone: 'UTC',
      },
    ])
      refused(await send(token, changes), 'pendingOnly')
    refused(await order(token), 'pendingOnly')
    for (const path of ['/positions/flatten', `/positions/${user.accountId}/AAPL/close`])
      refused(await api.call('POST', `/api/v1${path}`, { token }), 'pendingOnly')
    assert.equal(await stored(), before)
  })

  it('a bound token to an account reaches no other one, and does nothing that concerns all', async () => {
    const token = await mint({ accountIds: [user.accountId] })
    passed(await send(token, { executeMode: 'pending' }))
    const signal = await createSignal(api.database.em.fork(), { accountId: other, status: 'pending' })
    const before = await stored()
    for (const accountId of [other, randomUUID()]) {
      refused(await send(token, {}, accountId), 'accountIds')
      refused(await send(token, { action: 'closeLong' }, accountId), 'accountIds')
      refused(await send(token, { dryRun: true }, accountId), 'accountIds')
      refused(await order(token, { accountId }), 'accountIds')
      refused(await api.call('POST', `/api/v1/positions/${accountId}/AAPL/close`, { token }), 'accountIds')
      refused(await api.call('POST', `/api/v1/accounts/${accountId}/sync`, { token }), 'accountIds')
      const halt = { level: 'fullStop', reason: 'drill' }
      refused(
        await api.call('PUT', `/api/v1/settings/halt/${accountId}`, { token, body: halt }),
        'accountIds',
      )
    }
    for (const path of ['', '/exit'])
      refused(
        await api.call('DELETE', `/api/v1/signals/${signal.id}${path}`, { token }),
        'accountIds',
        ...(path === '' ? [] : ['ownSignalsOnly' as const]),
      )
    assert.equal(await stored(), before)
  })

  it('a bound token to symbols opens nothing in another one, and closes anything held', async () => {
    const token = await mint({ symbols: ['MSFT'] })
    const before = await stored()
    refused(await send(token), 'symbols')
    refused(await send(token, { action: 'openShort', executeMode: 'pending' }), 'symbols')
    refused(await send(token, { dryRun: true }), 'symbols')
    refused(await order(token), 'symbols')
    assert.equal(await stored(), before)
    passed(await send(token, { action: 'closeLong' }))
    passed(await send(token, { symbol: 'msft', executeMode: 'pending' }))
  })

  it('a bound token to what it has sent changes nothing that another sender sent; of another user it sees nothing', async () => {
    const token = await mint({ ownSignalsOnly: true })
    const sourceId = randomUUID()
    const foreign = await send(user.token, { sourceId, executeMode: 'pending' })
    const { id } = foreign.body.signal
    refused(await api.call('DELETE', `/api/v1/signals/${id}`, { token }), 'ownSignalsOnly')
    refused(await send(token, { sourceId, replaceExisting: true, executeMode: 'pending' }), 'ownSignalsOnly')
    refused(await send(token, { sourceId, replaceExisting: true, dryRun: true }), 'ownSignalsOnly')
    const placed = await order(user.token)
    const cancel = (orderId: string) => api.call('DELETE', `/api/v1/orders/${orderId}`, { token })
    refused(await cancel(placed.body.order.id), 'ownSignalsOnly')
    const own = await order(token)
    const cancelAll = async (by: string) => {
      const { body } = await api.call('POST', '/api/v1/orders/cancel-all', { token: by, body: {} })
      return [body.orders.map(({ orderId }: { orderId: string }) => orderId), body.left]
    }
    assert.deepEqual(await cancelAll(await mint({ accountIds: [other] })), [[], 0])
    assert.deepEqual(await cancelAll(token), [[own.body.order.id], 0])
    const answer = await cancel(own.body.order.id)
    assert.notEqual(answer.body.code ?? answer.body.error, 'TOKEN_BOUNDS_EXCEEDED')
    const stranger = await createSignal(api.database.em.fork(), { status: 'pending' })
    const absent = await api.call('DELETE', `/api/v1/signals/${stranger.id}`, { token })
    assert.deepEqual([absent.status, absent.body.code], [404, 'SIGNAL_NOT_FOUND'])
  })

  it('a bound token is not the only one that leaves exits of others alone: no token calls them off', async () => {
    const { id } = (await send(user.token, { executeMode: 'pending' })).body.signal
    const token = await user.mint()
    refused(await api.call('DELETE', `/api/v1/signals/${id}/exit`, { token }), 'ownSignalsOnly')
    const own = await api.call('DELETE', `/api/v1/signals/${id}/exit`, { token: user.token })
    assert.equal(own.body.code, 'EXIT_NOT_CANCELLABLE')
    const plan = { token, body: { stop: null } }
    refused(await api.call('PATCH', `/api/v1/signals/${id}/protection`, plan), 'ownSignalsOnly')
  })

  it('a bound token is made with its bounds, which its owner sees', async () => {
    const person = await addPerson(api, { plan: 'PRO' })
    const { id } = await createAccount(api.database.em.fork(), { userId: person.userId })
    const bounds = {
      pendingOnly: true,
      accountIds: [id],
      symbols: ['aapl'],
      maxOrderValue: 5000.5,
      ownSignalsOnly: true,
    }
    const asked = { label: 'alerts', scopes: ['signals:write'] }
    const made = await person.call('POST', '/tokens', { ...asked, bounds })
    const shown = { ...bounds, symbols: ['AAPL'] }
    assert.deepEqual([made.status, made.body.data.bounds], [201, shown])
    assert.deepEqual((await person.call('GET', '/tokens')).body.data.tokens[0].bounds, shown)
    const [event] = await api.database.em.execute<{ data: { bounds: unknown } }[]>(
      `select data from audit_events where user_id = ? and kind = 'token.created'`,
      [person.userId],
    )
    assert.deepEqual(event!.data.bounds, { ...shown, maxOrderValue: '5000.5' })
    const without = await person.call('POST', '/tokens', { ...asked, bounds: { pendingOnly: false } })
    assert.deepEqual([without.status, without.body.data.bounds], [201, {}])
    for (const [wrong, field] of [
      [{ pendingOnly: 'yes' }, 'bounds.pendingOnly'],
      [{ accountIds: [] }, 'bounds.accountIds'],
      [{ accountIds: [user.accountId] }, 'bounds.accountIds.0'],
      [{ accountIds: [id, id] }, 'bounds.accountIds'],
      [{ symbols: ['A A'] }, 'bounds.symbols.0'],
      [{ symbols: Array.from({ length: 201 }, (_, index) => `S${index}`) }, 'bounds.symbols'],
      [{ maxOrderValue: 0 }, 'bounds.maxOrderValue'],
      [{ maxOrderValue: null }, 'bounds.maxOrderValue'],
      [[], 'bounds'],
    ] as const) {
      const { status, body } = await person.call('POST', '/tokens', { ...asked, bounds: wrong })
      assert.deepEqual([status, body.details?.[0]?.field], [400, field], JSON.stringify(wrong))
    }
    const unknown = await person.call('POST', '/tokens', { ...asked, bounds: { maxOrderValeu: 1 } })
    assert.equal(unknown.status, 400)
  })
})
