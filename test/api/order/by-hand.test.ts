import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { AnswerOverdue, GatewayUnavailable, UpdateRejected, WorkflowOver } from '#api/temporal/calls.ts'
import { Order } from '#db/entities/index.ts'
import { recordAccepted, recordNotPlaced } from '#db/signal/ledger.ts'
import { showDecided } from '#db/order/by-hand.ts'
import { decideOnce } from '#db/order/decisions.ts'
import { applyOrderReport, mergeOrderReport } from '#db/order/reports.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import type { ByHandTerms } from '#domain/signal/by-hand.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { createSignal, orderReport, withFill } from '../../support/factories.ts'
import { acceptanceOf } from '../../support/placed-by-hand.ts'
import { held } from '../../support/sample-position.ts'
import { untilJudged, type Answer, type TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { pluck, rowsOf, sorted } from '#test/support/pluck.ts'

describe('manual orders through the API', () => {
  const api = useApi({ answerDeadline: 1_500 })
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    api.gateway.onPlaceOrder = accepts
    api.gateway.onCancelOrder = async () => ({ status: 'CANCELLED', filledQuantity: '0' })
    api.broker.positions = []
    api.broker.outage = null
  })

  /** What the workflow does: decide, send, record. */
  const accepts = async (terms: ByHandTerms) => {
    const { em } = api.database
    const { signalId, quantity } = terms
    await decideOnce(em.fork(), signalId, 'entry', { outcome: 'ready', quantity, advisories: [] })
    await showDecided(em.fork(), signalId, terms)
    await applyOrderReport(em.fork(), terms.accountId, acceptanceOf(terms))
  }
  const refuses = (code: DenialCode) => async (terms: ByHandTerms) => {
    const refusal = { outcome: 'rejected', code, detail: 'no' } as const
    await recordNotPlaced(api.database.em.fork(), terms.signalId, terms.acceptedAt, refusal)
  }
  const down = () => Promise.reject(new GatewayUnavailable('down'))
  const body = (changes: object = {}) => ({
    accountId: user.accountId,
    symbol: 'AAPL',
    side: 'BUY',
    orderType: 'MARKET',
    quantity: 10,
    ...changes,
  })
  const place = (changes: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    api.call('POST', '/api/v1/orders', { token: user.token, body: body(changes), headers })
  const get = (path: string) => api.call('GET', `/api/v1${path}`, { token: user.token })
  const remove = (id: string) => api.call('DELETE', `/api/v1/orders/${id}`, { token: user.token })
  const count = async (): Promise<number> => (await get('/orders?source=manual')).body.total

  describe('POST /orders', () => {
    it('takes words in any case, and keeps every field', async () => {
      const prices = { orderType: 'stop_limit', limitPrice: '187.5', stopPrice: 188 }
      const wish = { symbol: 'brk.b', side: 'Sell', ...prices, timeInForce: 'gtc', extendedHours: true }
      const { status, body } = await place(wish)
      assert.equal(status, 201, JSON.stringify(body))
      const order = (await get(`/orders/${body.order.id}`)).body
      assert.deepEqual(
        [order.symbol, order.orderType, order.limitPrice, order.stopPrice, order.timeInForce],
        ['BRK.B', 'STOP_LIMIT', 187.5, 188, 'GTC'],
      )
      const terms = api.gateway.placed.at(-1)!
      assert.deepEqual([terms.orderType, terms.extendedHours, terms.ask.side], ['stopLimit', true, 'SELL'])
    })

    const faults: [what: string, changes: object, fields: string[]][] = [
      ['without a limit price', { orderType: 'LIMIT' }, ['limitPrice']],
      ['without prices', { orderType: 'STOP_LIMIT' }, ['limitPrice', 'stopPrice']],
      ['with a price that it has no use for', { limitPrice: 3 }, ['limitPrice']],
      [
        'that says nothing',
        { side: 'HOLD', quantity: -1, orderType: 'X' },
        ['side', 'quantity', 'orderType'],
      ],
      ['good till a date', { timeInForce: 'GTD' }, ['timeInForce']],
      ['with an unknown field', { price: 3 }, ['price']],
    ]
    for (const [what, changes, fields] of faults)
      it(`answers 400 INVALID_ORDER to an order ${what}, naming every fault`, async () => {
        const { status, body } = await place(changes)
        assert.deepEqual([status, body.error], [400, 'INVALID_ORDER'])
        assert.deepEqual(sorted(pluck(body.details, 'field')), fields.toSorted())
        assert.equal(await count(), 0)
      })

    it('answers 404 to an account that is not the caller’s, and 409 to one of the other mode', async () => {
      const stranger = await api.addUser()
      const { status, body } = await place({ accountId: stranger.accountId })
      assert.deepEqual([status, body.error], [404, 'ACCOUNT_NOT_FOUND'])
      user = await api.addUser({ isDemo: false })
      const other = await place()
      assert.deepEqual([other.status, other.body.error], [409, 'MODE_MISMATCH'])
      assert.equal(await count(), 0)
    })

    const REFUSALS =
      'INSUFFICIENT_FUNDS 422, BROKER_ERROR 422, INVALID_ORDER 400, MODE_MISMATCH 409, BROKER_CREDENTIALS_INVALID 409, ' +
      'REDUCE_ONLY 422, STALE 502 BROKER_ERROR'
    for (const [code, expected, error = code] of REFUSALS.split(', ').map((row) => row.split(' ')))
      it(`answers ${expected} ${error} to an order that ends ${code}, which stays on record`, async () => {
        api.gateway.onPlaceOrder = refuses(code as DenialCode)
        const key = { 'Idempotency-Key': randomUUID() }
        const { status, body } = await place({}, key)
        assert.deepEqual([`${status}`, body.error, body.message], [expected, error, 'no'])
        const { status: standing } = (await get(`/orders/${body.order.id}/status`)).body
        assert.equal(standing, 'REJECTED')
        const again = await place({}, key)
        assert.deepEqual([again.status, again.body.order.id], [status, body.order.id])
      })

    for (const [what, error] of [
      ['cannot be reached', new GatewayUnavailable('down')],
      ['does not answer in time', new AnswerOverdue('late')],
    ] as const)
      it(`answers 202 with status PENDING when Temporal ${what}, and the order is on record`, async () => {
        api.gateway.onPlaceOrder = () => Promise.reject(error)
        const { status, body } = await place()
        assert.deepEqual([status, body.success, body.order.status], [202, true, 'PENDING'])
        assert.match(body.order.message, /is stored and is sent as soon as possible, but not after/)
        assert.equal((await get(`/orders/${body.order.id}`)).body.brokerOrderId, null)
      })
  })

  describe('an Idempotency-Key', () => {
    const keyed = (key: string, changes: object = {}) => place(changes, { 'Idempotency-Key': key })

    it('makes the same order of the same request, with its present state', async () => {
      const key = randomUUID()
      const first = await keyed(key)
      const again = await keyed(key, { quantity: '10.0', orderType: 'market' })
      assert.deepEqual([first.status, again.status], [201, 200])
      assert.deepEqual(again.body.order, first.body.order)
      assert.equal(await count(), 1)
    })

    it('an Idempotency-Key with another request is refused with 422, and nothing is placed', async () => {
      const key = randomUUID()
      await keyed(key)
      const { status, body } = await keyed(key, { quantity: 11 })
      assert.deepEqual([status, body.error], [422, 'IDEMPOTENCY_KEY_REUSED'])
      assert.equal(await count(), 1)
    })

    it('sent thirty times at once makes one order, and all receive it', async () => {
      const key = randomUUID()
      // A server that is too busy says so, names no order, and is asked again.
      const answers = await Promise.all(Array.from({ length: 30 }, () => untilJudged(() => keyed(key))))
      const said = answers
        .map(({ status, body }) => `${status} ${body.order?.id ?? JSON.stringify(body)}`)
        .join('\n')
      assert.equal(new Set(answers.map(({ body }) => body.order?.id)).size, 1, said)
      const placed = pluck(answers, 'status').filter((status) => status !== 200)
      assert.ok(placed.length <= 1 && placed.every((status) => status === 201 || status === 202), said)
      assert.equal(await count(), 1)
    })

    it('finds the order although it would be refused today', async () => {
      const key = randomUUID()
      const first = await keyed(key)
      await api.database.em.execute(`update users set trading_mode = 'LIVE' where id = ?`, [user.userId])
      const again = await keyed(key)
      assert.deepEqual([again.status, again.body.order.id], [200, first.body.order.id])
    })

    it('an Idempotency-Key of one token is not accepted from another token of its user, for any earlier use', async () => {
      const key = randomUUID()
      const [strong, weak] = [user.token, await user.mint()]
      const by = (token: string, changes: object = {}) => {
        const request = { token, body: body(changes), headers: { 'Idempotency-Key': key } }
        return api.call('POST', '/api/v1/orders', request)
      }
      const [first, own, again] = [await by(weak, { quantity: 1 }), await by(strong), await by(strong)]
      assert.deepEqual([first.status, own.status, again.status], [201, 201, 200])
      assert.equal(again.body.order.id, own.body.order.id)
      const other = await api.addUser()
      assert.equal((await by(other.token, { accountId: other.accountId })).status, 201, 'nor by another user')
    })

    it('an Idempotency-Key that distinguishes no requests is answered 400', async () => {
      const names =
        'null|undefined|NaN|[object-Object]|---|{{$json.id}}|${id}|order-{{id}}|with space||' +
        'x'.repeat(256)
      for (const key of names.split('|')) {
        const { status, body } = await keyed(key)
        assert.deepEqual([status, body.details[0].field], [400, 'Idempotency-Key'], key)
      }
    })
  })

  describe('DELETE /orders/:orderId', () => {
    it('DELETE /orders/:orderId of a manual order asks its own workflow, in the caller’s name', async () => {
      const { body } = await place({ orderType: 'LIMIT', limitPrice: 5 })
      const answer = await remove(body.order.id)
      assert.deepEqual([answer.status, answer.body.success, answer.body.orderId], [200, true, body.order.id])
      const { to, clientOrderId, by } = api.gateway.cancels.at(-1)!
      const { signalId } = api.gateway.placed.at(-1)!
      assert.deepEqual([to.signalId, clientOrderId], [signalId, `${signalId}-e1`])
      assert.ok(by.length > 0)
    })

    it('DELETE /orders/:orderId of a signal’s order asks the signal', async () => {
      const { em } = api.database
      const signal = await createSignal(em, { userId: user.userId, accountId: user.accountId })
      const { orderId } = await recordAccepted(em, orderReport(signal))
      assert.equal((await remove(orderId)).status, 200)
      const { to, clientOrderId } = api.gateway.cancels.at(-1)!
      assert.deepEqual([to.signalId, clientOrderId], [signal.id, `${signal.id}-e1`])
    })

    it('answers 202 when the broker has not confirmed it, or its state is not known yet', async () => {
      const { body } = await place({ orderType: 'LIMIT', limitPrice: 5 })
      api.gateway.onCancelOrder = async () => ({ status: 'OPEN', filledQuantity: '0' })
      assert.equal((await remove(body.order.id)).status, 202)
      api.gateway.onCancelOrder = async () => null
      const { status, body: told } = await remove(body.order.id)
      assert.equal(status, 202)
      assert.match(told.message, /not confirmed it yet, and until then it may fill/)
    })

    it('answers 409 naming the status of an order that has ended, as books, workflow or broker know', async () => {
      const { body } = await place()
      const { id } = body.order
      api.gateway.onCancelOrder = async () => ({ status: 'FILLED', filledQuantity: '10' })
      const overtaken = await remove(id)
      assert.deepEqual([overtaken.status, overtaken.body.error], [409, 'ORDER_NOT_CANCELLABLE'])
      assert.match(overtaken.body.message, /FILLED/)
      api.gateway.onCancelOrder = () =>
        Promise.reject(new UpdateRejected('ORDER_NOT_CANCELLABLE', 'The order is FILLED'))
      assert.equal((await remove(id)).status, 409)
      const terms = api.gateway.placed.at(-1)!
      await mergeOrderReport(api.database.em.fork(), user.accountId, withFill(acceptanceOf(terms), '10'))
      const asked = api.gateway.cancels.length
      assert.match((await remove(id)).body.message, /FILLED/)
      assert.equal(api.gateway.cancels.length, asked, 'nobody is asked about an order that has ended')
    })

    it('answers 503 when no workflow is known to have accepted it, and 409 when its workflow has ended', async () => {
      const { body } = await place({ orderType: 'LIMIT', limitPrice: 5 })
      api.gateway.onCancelOrder = down
      const unreached = await remove(body.order.id)
      assert.deepEqual([unreached.status, unreached.body.error], [503, 'TEMPORAL_UNAVAILABLE'])
      api.gateway.onCancelOrder = () => Promise.reject(new WorkflowOver('over'))
      assert.equal((await remove(body.order.id)).status, 409)
    })

    it('cancels in the ledger what Temporal could not begin, unless it is decided that it is sent', async () => {
      const { em } = api.database
      api.gateway.onPlaceOrder = down
      api.gateway.onCancelOrder = down
      const [{ id }, { id: decided }] = [(await place()).body.order, (await place()).body.order]
      const signalOf = async (order: string) => (await em.fork().findOneOrFail(Order, { id: order })).signalId
      const decide = async (order: string) =>
        decideOnce(em.fork(), await signalOf(order), 'entry', {
          outcome: 'ready',
          quantity: '10',
          advisories: [],
        })
      await decide(decided)
      assert.deepEqual([(await remove(id)).status, (await remove(decided)).status], [200, 503])
      const { status, reason } = (await get(`/orders/${id}`)).body
      assert.deepEqual([status, reason], ['CANCELLED', 'Cancelled by token "test" before it was sent'])
      await assert.rejects(decide(id), { name: 'SignalAlreadyStopped' })
    })

    it('answers 404 to an order that is not there, or not the caller’s', async () => {
      const { body } = await place()
      user = await api.addUser()
      assert.equal((await remove(body.order.id)).status, 404)
      assert.equal((await remove(randomUUID())).body.error, 'ORDER_NOT_FOUND')
    })
  })

  describe('POST /orders/cancel-all', () => {
    const cancelAll = (body: object = {}) =>
      api.call('POST', '/api/v1/orders/cancel-all', { token: user.token, body })
    const outcomes = ({ body }: Answer) => rowsOf(body.orders, 'orderId', 'outcome')

    it('cancelling all orders cancels each that works, reports each, and repeated finds none', async () => {
      const { body: limit } = await place({ orderType: 'LIMIT', limitPrice: 5 })
      const { body: other } = await place({ symbol: 'MSFT', orderType: 'LIMIT', limitPrice: 5 })
      const signal = await createSignal(api.database.em, { userId: user.userId, accountId: user.accountId })
      const { orderId: exit } = await recordAccepted(api.database.em, {
        ...orderReport(signal),
        clientOrderId: clientOrderIdFor(signal.id, 'timed', 1),
        side: 'SELL',
      })
      api.gateway.onCancelOrder = down
      const failed = await cancelAll({ symbol: 'MSFT' })
      assert.equal(failed.status, 202)
      assert.deepEqual([failed.body.success, outcomes(failed)], [false, [[other.order.id, 'failed']]])
      assert.equal(failed.body.orders[0].error, 'TEMPORAL_UNAVAILABLE')
      api.gateway.onCancelOrder = () => Promise.reject(new AnswerOverdue('late'))
      const late = await cancelAll({ symbol: 'MSFT' })
      assert.deepEqual([late.body.success, outcomes(late)], [false, outcomes(failed)])

      api.gateway.onCancelOrder = async (_, { clientOrderId }) => {
        const sql = `update orders set status = 'CANCELLED' where client_order_id = ?`
        await api.database.em.fork().execute(sql, [clientOrderId])
        return { status: 'CANCELLED', filledQuantity: '0' }
      }
      const kept = await cancelAll({ keepExits: true, accountId: user.accountId })
      assert.equal(kept.status, 200, JSON.stringify(kept.body))
      assert.deepEqual(outcomes(kept), [
        [other.order.id, 'cancelled'],
        [limit.order.id, 'cancelled'],
      ])
      assert.deepEqual(outcomes(await cancelAll()), [[exit, 'cancelled']])
      const { status, body } = await cancelAll()
      assert.deepEqual([status, body.success, body.orders, body.left], [200, true, [], 0])
    })
  })

  describe('reading', () => {
    it('distinguishes orders of signals from manual ones, and finds those of one signal', async () => {
      const { em } = api.database
      const signal = await createSignal(em, { userId: user.userId, accountId: user.accountId })
      const { orderId } = await recordAccepted(em, orderReport(signal))
      const { body } = await place()
      const ids = async (query: string) => pluck((await get(`/orders?${query}`)).body.orders, 'id')
      assert.deepEqual(await ids('source=manual'), [body.order.id])
      assert.deepEqual(await ids('source=signal'), [orderId])
      assert.deepEqual(await ids(`signalId=${signal.id}`), [orderId])
    })

    it('a manual order is a signal in the list where its origin is asked for, and is changed by its order alone', async () => {
      const { em } = api.database
      const sent = await createSignal(em, { userId: user.userId, accountId: user.accountId })
      const { body } = await place()
      const { signalId } = api.gateway.placed.at(-1)!
      const listed = async (query: string) => pluck((await get(`/signals${query}`)).body.data.signals, 'id')
      assert.deepEqual(await listed(''), [sent.id])
      assert.deepEqual(await listed('?origin=person'), [signalId])
      assert.deepEqual(sorted(await listed('?origin=person,sender')), sorted([sent.id, signalId]))
      assert.equal((await get(`/signals/${signalId}`)).body.data.status, 'queued')
      const withdrawn = await api.call('DELETE', `/api/v1/signals/${signalId}`, { token: user.token })
      assert.equal(withdrawn.status, 404)
      assert.ok(withdrawn.body.error.includes(body.order.id))
    })

    it('shows how far an order has come, and its life', async () => {
      const { body } = await place()
      const terms = api.gateway.placed.at(-1)!
      await mergeOrderReport(api.database.em.fork(), user.accountId, withFill(acceptanceOf(terms), '4'))
      const { updatedAt, requestId, ...standing } = (await get(`/orders/${body.order.id}/status`)).body
      assert.ok(updatedAt && requestId)
      assert.deepEqual(standing, {
        orderId: body.order.id,
        status: 'PARTIALLY_FILLED',
        filledQuantity: 4,
        remainingQuantity: 6,
        avgFillPrice: 100,
      })
      const { events, total } = (await get(`/orders/${body.order.id}/events`)).body
      assert.deepEqual(sorted(pluck(events, 'kind')), ['acknowledged', 'order_progress', 'placed'])
      assert.equal(total, 3)
      const placed = events.find(({ kind }: { kind: string }) => kind === 'placed')
      assert.match(placed.message, /^Placed by .*: Buy 10 AAPL at market$/)
    })
  })

  describe('closing a position', () => {
    const close = (path: string, body?: object, headers: Record<string, string> = {}) =>
      api.call('POST', `/api/v1/positions/${user.accountId}${path}/close`, {
        token: user.token,
        body,
        headers,
      })

    it('closing a position places an order for all held shares, also those that orders hold, or for no more than was asked for', async () => {
      for (const [position, path, wish, order] of [
        [held('10', 'LONG', { availableQuantity: '0' }), '/AAPL', undefined, ['SELL', '10', 'market', true]],
        [held('10', 'SHORT'), '/aapl', { quantity: 4 }, ['BUY', '4', 'market', true]],
      ] as const) {
        api.broker.positions = [position]
        const { status, body } = await close(path, wish)
        assert.deepEqual([status, pluck(body.orders, 'symbol')], [201, ['AAPL']], JSON.stringify(body))
        const { ask, quantity, orderType } = api.gateway.placed.at(-1)!
        assert.deepEqual([ask.side, quantity, orderType, ask.reducesOnly], order)
      }
    })

    it('closing a position is answered 404 where nothing is held, 503 when the broker cannot say, 409 when it refuses the keys, and by the code of a refusal', async () => {
      assert.deepEqual((await close('/AAPL')).body.error, 'POSITION_NOT_FOUND')
      api.broker.outage = new BrokerOutcomeUnknown('no answer')
      const { status, body } = await close('/AAPL')
      assert.deepEqual([status, body.error], [503, 'POSITIONS_UNAVAILABLE'])
      api.broker.outage = new BrokerCredentialsError('forbidden')
      assert.equal((await close('/AAPL')).body.error, 'BROKER_CREDENTIALS_INVALID')
      api.broker.outage = null
      api.broker.positions = [held('10', 'LONG')]
      api.gateway.onPlaceOrder = refuses('TRADING_STOPPED')
      const refused = await close('/AAPL')
      assert.deepEqual([refused.status, refused.body.error], [422, 'TRADING_STOPPED'])
    })
  })
})
