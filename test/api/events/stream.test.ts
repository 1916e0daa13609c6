import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTradingMode } from '#db/identity/users.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import { raiseAlert } from '#db/alert/alerts.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { eventually } from '../../support/eventually.ts'
import {
  copySignal,
  createAccount,
  createPosition,
  createSignal,
  orderReport,
  withFill,
} from '../../support/factories.ts'
import type { TestUser } from '../support/api-server.ts'
import { EventClient } from '../support/event-client.ts'
import { useApi } from '../support/use-api.ts'

describe('GET /events', () => {
  let user: TestUser
  const clients: EventClient[] = []
  const api = useApi()
  beforeEach(async () => {
    user = await api.addUser()
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })

  const open = async (query = '', options: { token?: string; lastEventId?: string } = {}) => {
    const client = await EventClient.open(`${api.address}/api/v1/events${query}`, {
      token: user.token,
      ...options,
    })
    clients.push(client)
    return client
  }
  /** One that follows already. */
  const follow = async (...args: Parameters<typeof open>) => {
    const client = await open(...args)
    await client.first('ready')
    return client
  }
  const rename = (name: string, accountId = user.accountId) =>
    api.database.em.execute('update accounts set name = ? where id = ?', [name, accountId])
  const listed = async (path: string) => (await api.call('GET', `/api/v1${path}`, { token: user.token })).body

  it('answers at once, in a form that no proxy keeps back or changes, and says what it follows', async () => {
    const client = await open()
    assert.equal(client.status, 200)
    assert.deepEqual(
      ['content-type', 'cache-control', 'x-accel-buffering', 'content-encoding'].map((name) =>
        client.headers.get(name),
      ),
      ['text/event-stream', 'no-store, no-transform', 'no', null],
    )
    const { data, id } = await client.first('ready')
    assert.deepEqual(
      { ...data, at: null },
      {
        topics: [
          'signals',
          'groups',
          'orders',
          'positions',
          'accounts',
          'alerts',
          'trades',
          'halts',
          'brokers',
          'user',
        ],
        accountId: null,
        isResumed: false,
        at: null,
      },
    )
    assert.match(id, /^\d+$/)
    assert.ok(client.retry !== null && client.retry >= 1_000 && client.retry <= 3_000)
  })

  it('reports halts of the account, the user and every user, set and lifted, for any account followed', async () => {
    const client = await follow(`?accountId=${user.accountId}`)
    const { em } = api.database
    const { userId, accountId } = user
    const halt = { level: 'reduceOnly', by: 'test' } as const
    for (const target of [
      { scope: 'account', userId, accountId },
      { scope: 'user', userId },
      { scope: 'global' },
    ] as const) {
      const reason = `for the ${target.scope}`
      await setHalt(em.fork(), target, { ...halt, reason })
      const { data } = await client.until(
        ({ event, data: told }) => event === 'halt' && told.reason === reason,
      )
      assert.deepEqual([data.scope, data.level, data.liftedAt], [target.scope, 'reduceOnly', null])
      await liftHalt(em.fork(), target, 'test')
      const lifted = await client.until(
        ({ event, data: told }) => event === 'halt' && told.reason === reason && told.liftedAt !== null,
      )
      assert.equal(lifted.data.id, data.id)
    }
    const { body } = await api.call('GET', '/api/v1/settings/halts', { token: user.token })
    const shown = client.events.filter(({ event }) => event === 'halt').at(-1)!
    const { at: _, ...record } = shown.data
    assert.deepEqual(
      record,
      body.data.halts.find(({ id }: { id: string }) => id === record.id),
    )
  })

  it('reports a broker that fails and a change of mode, and not each look at a broker', async () => {
    const client = await follow()
    const { em } = api.database
    await em.execute('update broker_connections set last_checked_at = now() where user_id = ?', [user.userId])
    await em.execute(
      `update broker_connections set status = 'error', status_detail = 'silent' where user_id = ?`,
      [user.userId],
    )
    const { data } = await client.first('broker')
    const listed = await api.call('GET', '/api/v1/brokers', { token: user.token })
    const { at: _, ...record } = data
    assert.deepEqual(record, listed.body.data.brokers[0])
    assert.equal(record.status, 'error')
    await setTradingMode(em.fork(), user.userId, 'LIVE')
    const { id, tradingMode } = (await client.first('user')).data
    assert.deepEqual([id, tradingMode], [user.userId, 'LIVE'])
    assert.equal(client.events.filter(({ event }) => event === 'broker').length, 1)
  })

  it('shows no user the halts, brokers and mode of others', async () => {
    const other = await api.addUser()
    const client = await follow()
    const { em } = api.database
    const target = { scope: 'user', userId: other.userId } as const
    await setHalt(em.fork(), target, { level: 'fullStop', reason: 'theirs', by: 'test' })
    await setTradingMode(em.fork(), other.userId, 'LIVE')
    await setTradingMode(em.fork(), user.userId, 'LIVE')
    await client.first('user')
    assert.deepEqual(
      client.events.filter(({ event }) => event !== 'ready').map(({ event }) => event),
      ['user'],
    )
  })

  it('reports a signal, its order and its fill, with the records that the lists show', async () => {
    const client = await follow()
    const signal = await createSignal(api.database.em, { accountId: user.accountId })
    assert.equal((await client.first('signal')).data.status, 'queued')
    const report = orderReport(signal)
    await recordAccepted(api.database.em, report)
    await applyOrderReport(api.database.em, user.accountId, withFill(report, '10'))
    const order = await client.until(({ event, data }) => event === 'order' && data.status === 'FILLED')
    const told = await client.until(({ event, data }) => event === 'signal' && data.filledQuantity === 10)

    const { at: orderAt, ...orderRecord } = order.data
    assert.deepEqual(orderRecord, (await listed('/orders')).orders[0])
    const { at: signalAt, ...signalRecord } = told.data
    assert.deepEqual(signalRecord, (await listed('/signals')).data.signals[0])
    for (const at of [orderAt, signalAt]) assert.match(at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  })

  it('reports a position, and its end; an account; an alert', async () => {
    const client = await follow()
    const { id } = await createPosition(api.database.em, { userId: user.userId, accountId: user.accountId })
    const { at: openedAt, ...position } = (await client.first('position')).data
    assert.deepEqual(position, (await listed('/positions')).positions[0])
    assert.ok(openedAt)
    await api.database.em.execute('delete from positions where id = ?', [id])
    const { data } = await client.until((one) => one.event === 'position' && one.data.isRemoved)
    assert.deepEqual({ ...data, at: null }, { id, accountId: user.accountId, isRemoved: true, at: null })

    await rename('Another name')
    const { at: renamedAt, ...account } = (await client.first('account')).data
    assert.deepEqual(account, (await listed('/accounts')).accounts[0])
    assert.ok(renamedAt)

    const notice = { kind: 'credentials', message: 'rejected', data: {} } as const
    await raiseAlert(api.database.em, { accountId: user.accountId, signalId: null }, notice)
    const { at: raisedAt, ...alert } = (await client.first('alert')).data
    assert.deepEqual(alert, (await listed('/alerts')).data.alerts[0])
    assert.ok(raisedAt)
  })

  it('reports a trade that is opened and closed', async () => {
    const client = await follow()
    const id = randomUUID()
    const { userId, accountId } = user
    await api.database.em.execute(
      `insert into trades (id, user_id, account_id, symbol, side, status, quantity, entry_price, entry_at, fees,
         entry_order_ids, exit_order_ids)
       values (?, ?, ?, 'AAPL', 'LONG', 'OPEN', 10, 100, now(), 0, '{}', '{}')`,
      [id, userId, accountId],
    )
    assert.equal((await client.first('trade')).data.status, 'OPEN')
    await api.database.em.execute(
      `update trades set status = 'CLOSED', exit_price = 101, exit_at = now(), realised_pnl = 10,
         realised_pnl_percent = 1 where id = ?`,
      [id],
    )
    const { data } = await client.until((one) => one.event === 'trade' && one.data.status === 'CLOSED')
    const { at, ...trade } = data
    assert.deepEqual(trade, (await listed('/trades')).data.trades[0])
    assert.ok(at)
  })

  it('goes on after the last event of a client, with the missed events alone', async () => {
    const first = await follow()
    await rename('one')
    await first.until(({ data }) => data.name === 'one')
    first.close()
    const signal = await createSignal(api.database.em, { accountId: user.accountId })
    await rename('two')

    const second = await open('', { lastEventId: first.lastEventId })
    assert.equal((await second.first('ready')).data.isResumed, true)
    assert.equal((await second.first('signal')).data.id, signal.id)
    assert.equal((await second.first('account')).data.name, 'two')
    const third = await follow(`?lastEventId=${second.lastEventId}`)
    await rename('three')
    await third.until(({ data }) => data.name === 'three')
    assert.ok(!third.events.some(({ event }) => event === 'signal' || event === 'reset'))
  })

  it('resets a client that was away for too long, or names an invalid last event', async () => {
    const { lastEventId } = await follow().then(async (client) => {
      await rename('kept')
      await client.first('account')
      client.close()
      return client
    })
    await api.database.em.execute('update live_events_removed set up_to = ?::xid8', [lastEventId])
    for (const id of [lastEventId, '99999999999', 'x', '-1', '1'.repeat(30)]) {
      const client = await follow('', { lastEventId: id })
      const reset = await client.first('reset')
      assert.match(reset.id, /^\d+$/)
      // From here on it is a client like any other.
      await rename(`after ${id}`)
      await client.until(({ data }) => data.name === `after ${id}`)
      client.close()
    }
    await api.database.em.execute(`update live_events_removed set up_to = '0'`)
  })

  it('begins a client again that has missed more records than it is worth to send', async () => {
    const { lastEventId } = await follow()
    const { id } = await createSignal(api.database.em, { accountId: user.accountId })
    await copySignal(api.database.em, id, 1_100)
    const client = await open('', { lastEventId })
    await client.first('reset')
    assert.ok(!client.events.some(({ event }) => event === 'signal'))
  })

  it('follows the lists and the account that were asked for', async () => {
    const other = await createAccount(api.database.em, { userId: user.userId })
    const orders = await follow('?topics=orders,alerts')
    const account = await follow(`?accountId=${user.accountId}`)
    await createSignal(api.database.em, { accountId: user.accountId })
    await rename('other', other.id)
    await rename('mine')
    await account.until(({ data }) => data.name === 'mine')
    await raiseAlert(
      api.database.em,
      { accountId: other.id, signalId: null },
      { kind: 'credentials', message: 'x', data: {} },
    )
    await orders.first('alert')
    assert.deepEqual(
      orders.events.map(({ event }) => event),
      ['ready', 'alert'],
    )
    assert.deepEqual(
      account.events.map(({ event }) => event),
      ['ready', 'signal', 'account'],
    )
    assert.deepEqual(orders.events[0]!.data.topics, ['orders', 'alerts'])
  })

  it('names every fault of the question', async () => {
    const ask = (query: string) => api.call('GET', `/api/v1/events${query}`, { token: user.token })
    for (const [query, fields] of [
      ['?topics=signals,fills&accountId=x', ['topics.1', 'accountId']],
      ['?topics=', ['topics.0']],
      ['?topics=orders&topics=signals', ['topics']],
      ['?symbol=AAPL', ['symbol']],
    ] as const) {
      const { status, body } = await ask(query)
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'], query)
      assert.deepEqual(
        body.details.map(({ field }: { field: string }) => field),
        fields,
        query,
      )
    }
    const { status, body } = await ask(`?accountId=${randomUUID()}`)
    assert.deepEqual([status, body.code], [404, 'ACCOUNT_NOT_FOUND'])
  })

  it('shows no user another user’s records', async () => {
    const stranger = await api.addUser()
    const watching = await follow('', { token: stranger.token })
    await rename('not for strangers')
    await rename('for the stranger', stranger.accountId)
    await watching.first('account')
    assert.deepEqual(
      watching.events.slice(1).map(({ data }) => data.name),
      ['for the stranger'],
    )
    const resumed = await follow('', { token: stranger.token, lastEventId: watching.events[0]!.id })
    await resumed.first('account')
    assert.ok(!JSON.stringify(resumed.events).includes('not for strangers'))
    assert.equal(
      (await api.call('GET', `/api/v1/events?accountId=${user.accountId}`, { token: stranger.token })).status,
      404,
    )
  })

  it('reports the prices of what is held, waits and is looked at, and the sums, to those who ask for them', async () => {
    const plain = await follow()
    const client = await follow('?topics=quotes,figures,signals&symbols=MSFT')
    const { data } = await client.until(({ event }) => event === 'quotes')
    assert.deepEqual(data.accountIds, [user.accountId])
    const { asOf, at, ...quote } = data.quotes[0]
    assert.ok([asOf, at].every((instant) => Math.abs(Date.parse(instant) - Date.now()) < 5_000))
    assert.deepEqual(quote, {
      symbol: 'MSFT',
      bid: 100,
      ask: 100,
      last: 100,
      previousClose: 96,
      dayChange: 4,
      dayChangePercent: 4.17,
      isStreamed: false,
    })
    await createSignal(api.database.em, { accountId: user.accountId, symbol: 'AAPL', status: 'pending' })
    const isOfApple = ({ symbol }: { symbol: string }) => symbol === 'AAPL'
    await client.until(({ event, data: { quotes } }) => event === 'quotes' && quotes.some(isOfApple))
    const told = await client.until(
      ({ event, data: { summary } }) => event === 'figures' && summary.pendingSignals === 1,
    )
    assert.deepEqual(told.data.summary, (await listed('/dashboard/summary')).data)
    assert.deepEqual(
      told.data.accounts.map(({ accountId }: { accountId: string }) => accountId),
      [user.accountId],
    )
    assert.ok(plain.events.every(({ event }) => event !== 'quotes' && event !== 'figures'))
  })

  it('leaves a line in the log when a stream ends, and nothing of it in memory', async () => {
    const client = await follow()
    await rename('once')
    await client.first('account')
    client.close()
    await eventually(() => {
      const line = api.log.find(
        ({ msg, userId }) => msg === 'an event stream has ended' && userId === user.userId,
      )
      assert.equal(line?.['events'], 1)
    })
  })
})
