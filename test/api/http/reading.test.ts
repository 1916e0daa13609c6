import { Order, type Position } from '#db/entities/index.ts'
import { ORDER_STATUSES } from '#domain/order/order.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createAccount, createPosition, createSignal } from '../../support/factories.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'

describe('reading signals, orders, accounts and positions', () => {
  let user: TestUser
  let other: TestUser
  const api = useApi()
  before(async () => {
    other = await api.addUser()
  })
  beforeEach(async () => {
    user = await api.addUser()
  })

  const get = (path: string, token = user.token) => api.call('GET', `/api/v1${path}`, { token })
  const em = () => api.database.em.fork()
  const byHand = { origin: 'person', ask: { side: 'BUY', reducesOnly: false } } as const
  const minutesAgo = (minutes: number) => new Date(Date.UTC(2026, 2, 2, 15) - minutes * 60_000)

  const addOrder = async (owner: TestUser, fields: Partial<Order> = {}) => {
    const { userId, accountId } = owner
    const signal = await createSignal(em(), { userId, accountId, ...byHand })
    const order = {
      id: randomUUID(),
      userId: owner.userId,
      accountId: owner.accountId,
      signalId: signal.id,
      role: 'manual',
      clientOrderId: randomUUID(),
      brokerOrderId: randomUUID(),
      symbol: 'AAPL',
      side: 'BUY',
      orderType: 'stopLimit',
      quantity: '10.5',
      limitPrice: '187.25',
      stopPrice: '187',
      timeInForce: 'gtc',
      extendedHours: false,
      status: 'OPEN',
      filledQuantity: '0',
      avgFillPrice: null,
      reason: null,
      submittedAt: minutesAgo(0),
      filledAt: null,
      endAcknowledgedAt: null,
      revision: 1,
      createdAt: minutesAgo(0),
      updatedAt: minutesAgo(0),
      ...fields,
    } as const
    await em().insert(Order, order)
    return order
  }
  const addPosition = ({ userId, accountId }: TestUser, fields: Partial<Position> = {}) =>
    createPosition(em(), {
      userId,
      accountId,
      avgCost: '100.1',
      marketValue: '1012',
      unrealisedPnl: '11.1',
      ...fields,
    })

  describe('signals', () => {
    it('signals are listed newest first, a page at a time, with how many there are', async () => {
      for (const minutes of [2, 0, 1]) {
        await createSignal(em(), { accountId: user.accountId, acceptedAt: minutesAgo(minutes) })
      }
      const { status, body, headers } = await get('/signals?limit=2&offset=1')
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body), ['data', 'requestId'])
      assert.equal(body.requestId, headers.get('x-request-id'))
      const { signals, total, limit, offset } = body.data
      assert.deepEqual([total, limit, offset], [3, 2, 1])
      assert.deepEqual(
        signals.map(({ createdAt }: { createdAt: string }) => createdAt),
        [minutesAgo(1).toISOString(), minutesAgo(2).toISOString()],
      )
    })

    it('signals are filtered by account, symbol, status, strategy and source', async () => {
      const { strategyId, accountId } = user
      await createSignal(em(), { accountId, symbol: 'MSFT', status: 'executed', strategyId, sourceId: 'a' })
      await createSignal(em(), { accountId })
      const source = [`strategyId=${strategyId}`, 'sourceId=a']
      for (const filter of ['symbol=msft', 'symbol=ms*', 'status=executed', ...source]) {
        assert.equal((await get(`/signals?${filter}&accountId=${accountId}`)).body.data.total, 1, filter)
      }
      assert.equal((await get('/signals?symbol=ms')).body.data.total, 0)
      assert.equal((await get(`/signals?accountId=${other.accountId}`)).body.data.total, 0)
    })

    it('signals are shown whole, with numbers as numbers and instants in UTC', async () => {
      const exitOrderId = randomUUID()
      const signal = await createSignal(em(), {
        accountId: user.accountId,
        quantity: '12.5',
        orderType: 'limit',
        limitPrice: '187.25',
        filledQuantity: '12.5',
        avgFillPrice: '187.2',
        status: 'executed',
        exitRule: {
          trigger: 'minutesAfterEntry',
          minutes: 5,
          clockTime: null,
          orderType: 'limit',
          limitPrice: '190.5',
          stopPrice: null,
          timeInForce: 'day',
        },
        exitStatus: 'submitted',
        exitSubmitAt: minutesAgo(0),
        exitOrderId,
        exitReason: 'exit_rolled_to_next_session',
        metadata: { note: 'x' },
      })
      const { data } = (await get(`/signals/${signal.id.toUpperCase()}`)).body
      assert.deepEqual([data.quantity, data.limitPrice, data.stopPrice], [12.5, 187.25, null])
      assert.deepEqual([data.filledQuantity, data.avgFillPrice], [12.5, 187.2])
      assert.deepEqual(data.exitRule.limitPrice, 190.5)
      assert.deepEqual(data.exit, {
        status: 'submitted',
        submitAt: '2026-03-02T15:00:00.000Z',
        orderId: exitOrderId,
        reason: 'exit_rolled_to_next_session',
      })
      assert.deepEqual(data.metadata, { note: 'x' })
      assert.equal('userId' in data || 'payloadHash' in data, false)
    })

    it('signals with an exit rule show an exit that waits, unless they came to nothing', async () => {
      const exitRule = {
        trigger: 'immediate' as const,
        minutes: null,
        clockTime: null,
        orderType: 'market' as const,
        limitPrice: null,
        stopPrice: null,
        timeInForce: 'day' as const,
      }
      const { accountId } = user
      const waiting = await createSignal(em(), { accountId, exitRule })
      const rejected = await createSignal(em(), { accountId, exitRule, status: 'rejected' })
      const plain = await createSignal(em(), { accountId })
      const exitOf = async ({ id }: { id: string }) => (await get(`/signals/${id}`)).body.data.exit
      assert.equal((await exitOf(waiting)).status, 'waiting')
      assert.equal(await exitOf(rejected), null)
      assert.equal(await exitOf(plain), null)
    })
  })

  describe('orders', () => {
    it('orders are listed bare, newest first', async () => {
      await addOrder(user, { createdAt: minutesAgo(1) })
      const newest = await addOrder(user, { filledQuantity: '4', avgFillPrice: '187.1' })
      const { body } = await get('/orders')
      assert.deepEqual([body.total, body.limit, body.offset], [2, 50, 0])
      assert.deepEqual(body.orders[0], {
        id: newest.id,
        accountId: user.accountId,
        signalId: null,
        role: 'manual',
        brokerOrderId: newest.brokerOrderId,
        symbol: 'AAPL',
        side: 'BUY',
        orderType: 'STOP_LIMIT',
        quantity: 10.5,
        filledQuantity: 4,
        limitPrice: 187.25,
        stopPrice: 187,
        stopLimitPrice: null,
        trail: null,
        avgFillPrice: 187.1,
        status: 'OPEN',
        timeInForce: 'GTC',
        expiresAt: null,
        createdAt: '2026-03-02T15:00:00.000Z',
        filledAt: null,
      })
    })

    it('orders are found by status, where OPEN means every order that still works', async () => {
      for (const status of ORDER_STATUSES) await addOrder(user, { status })
      const found = async (status: string) =>
        (await get(`/orders?status=${status}`)).body.orders.map((order: Order) => order.status).toSorted()
      assert.deepEqual(await found('OPEN'), ['OPEN', 'PARTIALLY_FILLED', 'PENDING'])
      for (const status of ORDER_STATUSES.filter((each) => each !== 'OPEN'))
        assert.deepEqual(await found(status), [status])
      assert.equal((await get('/orders?status=GONE')).status, 400)
      assert.equal((await get('/orders?symbol=aa*')).body.total, ORDER_STATUSES.length)
      assert.equal((await get('/orders?symbol=aa')).body.total, 0)
    })

    it('show stop price, duration and account in detail', async () => {
      const { id } = await addOrder(user)
      const { body } = await get(`/orders/${id}`)
      assert.deepEqual(
        [body.stopPrice, body.duration, body.updatedAt],
        [187, 'GTC', '2026-03-02T15:00:00.000Z'],
      )
      assert.deepEqual(body.account, { id: user.accountId, name: 'Paper account' })
    })

    it('name a faulty filter in their own envelope', async () => {
      const { status, body } = await get('/orders?limit=0&colour=red')
      assert.deepEqual([status, body.error], [400, 'VALIDATION_ERROR'])
      assert.deepEqual(
        body.details.map(({ field }: { field: string }) => field),
        ['limit', 'colour'],
      )
    })
  })

  describe('accounts', () => {
    it('accounts are listed bare, the primary one first', async () => {
      await createAccount(em(), { userId: user.userId, isPrimary: true, name: 'Zulu' })
      const { body } = await get('/accounts')
      assert.deepEqual(Object.keys(body), ['accounts'])
      assert.deepEqual(
        body.accounts.map(({ name }: { name: string }) => name),
        ['Zulu', 'Paper account'],
      )
    })

    it('accounts that were removed are listed only where they are asked for', async () => {
      const removed = await createAccount(em(), { userId: user.userId, isActive: false })
      const ids = async (query: string) =>
        (await get(`/accounts${query}`)).body.accounts.map(({ id }: { id: string }) => id)
      assert.equal((await ids('')).includes(removed.id), false)
      assert.ok((await ids('?include=removed')).includes(removed.id))
      assert.equal((await get('/accounts?include=all')).status, 400)
    })

    it('show the state of the connection and nothing of the credentials in detail', async () => {
      const { body } = await get(`/accounts/${user.accountId}`)
      assert.deepEqual([body.equity, body.dayTradingBuyingPower, body.isDemo], [1000.5, null, true])
      assert.deepEqual(Object.keys(body.broker), ['id', 'brokerType', 'status'])
      assert.doesNotMatch(JSON.stringify(body), /SECRET|userId/)
    })
  })

  describe('positions', () => {
    it('positions are listed with their totals', async () => {
      await addPosition(user)
      await addPosition(user, { symbol: 'TSLA', side: 'SHORT', marketValue: '-0.1', unrealisedPnl: '0.2' })
      const { body } = await get('/positions')
      assert.deepEqual(body.summary, {
        totalMarketValue: 1011.9,
        totalUnrealisedPnl: 11.3,
        totalDayChange: null,
        positionCount: 2,
      })
      assert.deepEqual([body.positions[0].dayChange, body.positions[0].accountId], [null, user.accountId])
      assert.equal((await get('/positions?symbol=tsla')).body.positions.length, 1)
    })

    it('positions of one account leave out fields that are the same for all', async () => {
      await addPosition(user)
      const { body } = await get(`/positions/${user.accountId}`)
      assert.equal(body.accountId, user.accountId)
      const [position] = body.positions
      assert.equal(
        'accountId' in position || 'dayChange' in position || 'dayChangePercent' in position,
        false,
      )
    })
  })
})
