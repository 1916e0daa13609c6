import assert from 'node:assert/strict'
import { strategyAnswer } from '#contract/signal/strategies.ts'
import { createAccount, createSignal, createTrade } from '../../support/factories.ts'
import { signalBody, type Answer } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { addPerson, type Person } from '../support/person.ts'
import { pluck } from '#test/support/pluck.ts'

describe('strategies of the API', () => {
  const api = useApi()
  let person: Person
  let accountId: string
  beforeEach(async () => {
    person = await addPerson(api)
    accountId = (await createAccount(api.database.em, { userId: person.userId })).id
  })

  const create = async (body: Record<string, unknown>) => {
    const { status, body: answer } = await person.call('POST', '/strategies', body)
    assert.equal(status, 201, JSON.stringify(answer))
    return answer.data
  }
  const change = (id: string, body: unknown) => person.call('PATCH', `/strategies/${id}`, body)
  const list = async (query = '') => (await person.call('GET', `/strategies${query}`)).body.data
  const names = async (query = '') => pluck((await list(query)).strategies, 'name')
  const refusal = ({ status, body }: Answer) => [status, body.code]
  const signalOf = (strategyId: string, fields: object = {}) =>
    createSignal(api.database.em, { userId: person.userId, accountId, strategyId, ...fields })
  const send = (strategyId: string) => person.call('POST', '/signals', signalBody(accountId, { strategyId }))

  it('strategies of the API are created with the given fields, and shown with them', async () => {
    const made = await create({
      name: '  Opening range ',
      description: 'First line\nsecond line',
      defaultAccountId: accountId,
      metadata: { chart: '15m' },
      expects: { everySession: '10:00' },
    })
    const { id, createdAt, updatedAt, ...said } = strategyAnswer.parse(made)
    assert.deepEqual(said, {
      name: 'Opening range',
      description: 'First line\nsecond line',
      status: 'active',
      defaultAccountId: accountId,
      metadata: { chart: '15m' },
      expects: { everySession: '10:00' },
      flatByClose: null,
      archivedAt: null,
      stats: { signals: 0, trades: 0, winRate: null, realisedPnl: 0 },
    })
    assert.equal(createdAt, updatedAt)
    assert.deepEqual((await person.call('GET', `/strategies/${id}`)).body.data, made)
    const { strategies, ...paging } = await list()
    assert.deepEqual(strategies, [made])
    assert.deepEqual(paging, { total: 1, totalIsExact: true, limit: 50, offset: 0, nextCursor: null })
  })

  it('strategies of the API have names of their own, in any capitals', async () => {
    const one = await create({ name: 'Momentum' })
    const two = await create({ name: 'Reversal' })
    const again = await person.call('POST', '/strategies', { name: 'momentum' })
    for (const answer of [again, await change(two.id, { name: 'MOMENTUM' })])
      assert.deepEqual(refusal(answer), [409, 'STRATEGY_NAME_TAKEN'])
    assert.equal((await change(one.id, { name: 'MOMENTUM' })).status, 200)
    // Somebody else may have one of the same name.
    const other = await addPerson(api)
    assert.equal((await other.call('POST', '/strategies', { name: 'Momentum' })).status, 201)
  })

  it('strategies of the API of one name that are made at the same time come out as one', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, () => person.call('POST', '/strategies', { name: 'Race' })),
    )
    const statuses = pluck(made, 'status').toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409, 409, 409])
    assert.deepEqual(await names(), ['Race'])
  })

  it('strategies of the API are changed by the given fields, and cleared by null where a field may be empty', async () => {
    const { id } = await create({
      name: 'x',
      description: 'y',
      defaultAccountId: accountId,
      metadata: { a: 1 },
    })
    const changed = (await change(id, { description: null, metadata: { b: 2 } })).body.data
    assert.deepEqual(
      [changed.name, changed.description, changed.defaultAccountId, changed.metadata],
      ['x', null, accountId, { b: 2 }],
    )
    assert.ok(changed.updatedAt > changed.createdAt)
    assert.equal((await change(id, { defaultAccountId: null })).body.data.defaultAccountId, null)
    assert.equal((await change(id, {})).status, 200)
    assert.equal((await change(id, { name: null })).status, 400)
  })

  it('strategies of the API are listed newest first, by status, page by page', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name, status: name === 'b' ? 'paused' : 'active' })
    assert.deepEqual(await names(), ['c', 'b', 'a'])
    assert.deepEqual(await names('?status=paused'), ['b'])
    const first = await list('?limit=2')
    assert.equal(first.strategies.length, 2)
    assert.deepEqual(await names(`?limit=2&cursor=${first.nextCursor}`), ['a'])
  })

  it('strategies of the API are paused and activated: their new signals are refused meanwhile', async () => {
    const { id } = await create({ name: 'x' })
    assert.equal((await send(id)).status, 201)
    assert.equal((await change(id, { status: 'paused' })).body.data.status, 'paused')
    assert.deepEqual(refusal(await send(id)), [400, 'STRATEGY_PAUSED'])
    await change(id, { status: 'active' })
    assert.equal((await send(id)).status, 201)
  })

  it('leave changes that affect trading in the audit log', async () => {
    const { id } = await create({ name: 'x', metadata: { secret: 'unseen' } })
    await change(id, { status: 'paused' })
    await person.call('DELETE', `/strategies/${id}`)
    const events = (await person.call('GET', '/audit-log')).body.data.events.filter(
      ({ kind }: { kind: string }) => kind.startsWith('strategy.'),
    )
    const kinds = ['strategy.deleted', 'strategy.changed', 'strategy.created']
    assert.deepEqual(pluck(events, 'kind'), kinds)
    assert.deepEqual(events[1].data.change, { status: 'paused' })
    assert.doesNotMatch(JSON.stringify(events), /unseen/)
  })

  describe('when deleted', () => {
    it('strategies of the API when deleted are gone except from the list of deleted ones, and leave their name to others', async () => {
      const { id } = await create({ name: 'Momentum' })
      const signal = await signalOf(id, { status: 'executed' })
      const { status, body } = await person.call('DELETE', `/strategies/${id}`)
      assert.equal(status, 200)
      assert.deepEqual(body.data, { message: 'The strategy is deleted', strategyId: id })
      for (const answer of [
        await person.call('GET', `/strategies/${id}`),
        await change(id, { status: 'active' }),
        await person.call('DELETE', `/strategies/${id}`),
        await send(id),
      ])
        assert.deepEqual(refusal(answer), [404, 'STRATEGY_NOT_FOUND'])
      assert.deepEqual(await names(), [])
      const [archived] = (await list('?archived=true')).strategies
      assert.equal(archived.id, id)
      assert.equal(new Date(archived.archivedAt).toISOString(), archived.archivedAt)
      assert.equal(archived.stats.signals, 1)
      await create({ name: 'Momentum' })
      const kept = (await person.call('GET', `/signals/${signal.id}`)).body.data
      assert.equal(kept.strategyId, id)
    })

    it('strategies of the API when deleted are refused to be while a signal of theirs is under way', async () => {
      const { id } = await create({ name: 'x' })
      for (const status of ['pending', 'scheduled', 'queued', 'transmitted'] as const) {
        const signal = await signalOf(id, { status })
        const answer = await person.call('DELETE', `/strategies/${id}`)
        assert.deepEqual(refusal(answer), [409, 'STRATEGY_IN_USE'], status)
        assert.match(answer.body.error, /wait to be sent: 1/)
        await api.database.em.execute(`update signals set status = 'executed' where id = ?`, [signal.id])
      }
      assert.equal((await person.call('DELETE', `/strategies/${id}`)).status, 200)
    })
  })

  describe('the results of strategies', () => {
    it('counts signals and closed trades on accounts of the trading mode', async () => {
      const { id } = await create({ name: 'x' })
      const live = await createAccount(api.database.em, { userId: person.userId, isDemo: false })
      await signalOf(id)
      await signalOf(id, { status: 'rejected' })
      await signalOf(id, { accountId: live.id })
      const trade = (fields: object) => createTrade(api.database.em, { accountId, strategyId: id, ...fields })
      // Won 30.5 + 10 = 40.5, lost 20.25: 20.25 in all, two of three.
      await trade({ realisedPnl: '30.5' })
      await trade({ realisedPnl: '10' })
      await trade({ realisedPnl: '-20.25' })
      await trade({ realisedPnl: null, status: 'OPEN' })
      await trade({ realisedPnl: '1000', accountId: live.id })
      const { stats } = (await person.call('GET', `/strategies/${id}`)).body.data
      assert.deepEqual(stats, { signals: 2, trades: 3, winRate: 66.6667, realisedPnl: 20.25 })
      await api.database.em.execute(`update users set trading_mode = 'LIVE' where id = ?`, [person.userId])
      const [inLive] = (await list()).strategies
      assert.deepEqual(inLive.stats, { signals: 1, trades: 1, winRate: 100, realisedPnl: 1000 })
    })
  })
})
