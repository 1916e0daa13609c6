import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import {
  BrokerBusy,
  BrokerCredentialsError,
  BrokerOutcomeUnknown,
  BrokerRejection,
  DuplicateClientOrderId,
  type Broker,
  type OrderStreamEvent,
} from '#brokers/port.ts'
import { add, compare, isPositive, multiply, subtract, type Decimal } from '#domain/money/decimal.ts'
import { byExecution, type Execution } from '#domain/order/fill.ts'
import { isTerminal, type OrderReport } from '#domain/order/order.ts'
import { orderRequest } from './order-requests.ts'
import { describeProtectiveOrders } from './protective-contract.ts'
import { pluck } from '#test/support/pluck.ts'

/** A broker under test: a connection to an account of its own, and the means to bring situations about. */
export interface BrokerUnderTest {
  broker: Broker
  /** A symbol that can be traded at any time, at the price that is set. */
  symbol: string
  /** Whatever the market does, the symbol trades at this price from now on, in dollars. */
  setPrice(price: Decimal): Promise<void>
  /** The same account with keys that are not accepted. */
  withWrongKeys(): Broker
  /**
   * The next submission goes wrong. before: it is lost on its way. after: it takes effect and its answer is
   * lost. busy: it is told to come back after two seconds.
   */
  spoilNextSubmission(how: 'before' | 'after' | 'busy'): Promise<void>
  close(): Promise<void>
}

/** How long a broker may take until something shows, in milliseconds. */
const PATIENCE_MS = 5_000

async function eventually<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (seen) return seen
    if (Date.now() > end) assert.fail(`${what} did not come about within ${PATIENCE_MS} ms`)
    await pause(20)
  }
}

/**
 * What the workflows rely on, whichever broker is behind the port. Every adapter passes this suite, against
 * the real thing or against something that behaves like it.
 */
export function describeBrokerContract(name: string, makeBroker: () => Promise<BrokerUnderTest>): void {
  describe(`Broker contract: ${name}`, () => {
    let test: BrokerUnderTest
    let broker: Broker
    beforeEach(async () => {
      test = await makeBroker()
      broker = test.broker
      await test.setPrice('100')
    })
    afterEach(() => test.close())

    const order = (fields: Parameters<typeof orderRequest>[0] = {}) =>
      orderRequest({ symbol: test.symbol, ...fields })
    /** Far below the market: it rests. */
    const restingBuy = (fields: Parameters<typeof orderRequest>[0] = {}) =>
      order({ orderType: 'limit', limitPrice: '50', ...fields })
    const ended = (clientOrderId: string): Promise<OrderReport> =>
      eventually('the end of the order', async () => {
        const report = await broker.findOrder(clientOrderId)
        return report && isTerminal(report.status) && report
      })
    const buy = async (quantity: Decimal): Promise<OrderReport> =>
      ended((await broker.submitOrder(order({ quantity }))).clientOrderId)

    describe('submitting', () => {
      it('a market order fills it', async () => {
        const request = order({ quantity: '3' })
        const accepted = await broker.submitOrder(request)
        assert.equal(accepted.clientOrderId, request.clientOrderId)
        assert.equal(accepted.quantity, '3')
        assert.notEqual(accepted.brokerOrderId, '')
        const filled = await ended(request.clientOrderId)
        assert.equal(filled.brokerOrderId, accepted.brokerOrderId)
        assert.equal(filled.status, 'FILLED')
        assert.equal(filled.filledQuantity, '3')
        assert.ok(filled.avgFillPrice !== null && isPositive(filled.avgFillPrice))
        assert.ok(filled.filledAt !== null)
      })

      it('a limit order away from the market leaves it open, as it was asked for', async () => {
        const request = restingBuy({ quantity: '2', timeInForce: 'gtc' })
        await broker.submitOrder(request)
        const report = await eventually('the open order', async () => {
          const found = await broker.findOrder(request.clientOrderId)
          return found?.status === 'OPEN' && found
        })
        const { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours } =
          report
        assert.deepEqual(
          { symbol, side, quantity, orderType, limitPrice, stopPrice, timeInForce, extendedHours },
          {
            symbol: test.symbol,
            side: 'BUY',
            quantity: '2',
            orderType: 'limit',
            limitPrice: '50',
            stopPrice: null,
            timeInForce: 'gtc',
            extendedHours: false,
          },
        )
        assert.deepEqual([report.filledQuantity, report.avgFillPrice, report.filledAt], ['0', null, null])
      })

      it('a limit order fills it at its price or better once the market gets there', async () => {
        const request = restingBuy()
        await broker.submitOrder(request)
        await test.setPrice('40')
        const filled = await ended(request.clientOrderId)
        assert.equal(filled.status, 'FILLED')
        assert.ok(compare(filled.avgFillPrice!, '50') <= 0)
      })

      it('an immediate-or-cancel order that cannot trade ends it as cancelled', async () => {
        const request = restingBuy({ timeInForce: 'ioc' })
        await broker.submitOrder(request)
        assert.equal((await ended(request.clientOrderId)).status, 'CANCELLED')
      })

      it('a short sale opens a short position, and a buy to cover closes it', async () => {
        const sale = await broker.submitOrder(order({ side: 'SELL_SHORT', quantity: '2' }))
        assert.equal((await ended(sale.clientOrderId)).side, 'SELL_SHORT')
        const short = (await broker.getPosition(test.symbol))!
        assert.deepEqual([short.side, short.quantity], ['SHORT', '2'])
        const cover = await broker.submitOrder(order({ side: 'BUY_TO_COVER', quantity: '2' }))
        assert.equal((await ended(cover.clientOrderId)).side, 'BUY_TO_COVER')
        assert.equal(await broker.getPosition(test.symbol), null)
      })
    })

    describe('a client order id', () => {
      it('a client order id is taken while its order is open', async () => {
        const request = restingBuy()
        await broker.submitOrder(request)
        await assert.rejects(broker.submitOrder(request), DuplicateClientOrderId)
      })

      it('a client order id is taken for ever once its order is dead', async () => {
        const request = restingBuy({ timeInForce: 'ioc' })
        await broker.submitOrder(request)
        await ended(request.clientOrderId)
        await assert.rejects(broker.submitOrder(request), DuplicateClientOrderId)
      })

      it('finds its order, the same as the broker id does', async () => {
        const accepted = await broker.submitOrder(restingBuy())
        const found = await broker.findOrder(accepted.clientOrderId)
        assert.equal(found?.brokerOrderId, accepted.brokerOrderId)
        assert.equal((await broker.getOrder(accepted.brokerOrderId))?.clientOrderId, accepted.clientOrderId)
      })

      it('finds nothing when it was never used', async () => {
        assert.equal(await broker.findOrder(order().clientOrderId), null)
      })

      it('a client order id is free after a refusal', async () => {
        const request = order({ quantity: '1000000000' })
        await assert.rejects(broker.submitOrder(request), BrokerRejection)
        assert.equal(await broker.findOrder(request.clientOrderId), null)
      })
    })

    describe('cancelling', () => {
      it('an open order ends it as cancelled', async () => {
        const { brokerOrderId, clientOrderId } = await broker.submitOrder(restingBuy())
        assert.equal(await broker.cancelOrder(brokerOrderId), 'requested')
        assert.equal((await ended(clientOrderId)).status, 'CANCELLED')
      })

      it('a filled or cancelled order is too late', async () => {
        const filled = await buy('1')
        assert.equal(await broker.cancelOrder(filled.brokerOrderId), 'too_late')
        const resting = await broker.submitOrder(restingBuy())
        await broker.cancelOrder(resting.brokerOrderId)
        await ended(resting.clientOrderId)
        assert.equal(await broker.cancelOrder(resting.brokerOrderId), 'too_late')
      })

      it('an order that does not exist finds none', async () => {
        const id = '00000000-0000-4000-8000-000000000000'
        assert.equal(await broker.cancelOrder(id), 'not_found')
        assert.equal(await broker.getOrder(id), null)
      })
    })

    describeProtectiveOrders({
      broker: () => broker,
      setPrice: (price) => test.setPrice(price),
      order,
      buy,
      ended,
      eventually,
    })

    describe('listing', () => {
      it('distinguishes open orders from ended ones, newest first', async () => {
        const first = await broker.submitOrder(restingBuy())
        await pause(5)
        const second = await broker.submitOrder(restingBuy())
        await pause(5)
        const dead = await broker.submitOrder(restingBuy({ timeInForce: 'ioc' }))
        await ended(dead.clientOrderId)
        const ids = async (status: 'open' | 'closed' | 'all', limit?: number) =>
          (await broker.listOrders({ status, ...(limit && { limit }) })).map((report) => report.brokerOrderId)
        assert.deepEqual(await ids('open'), [second.brokerOrderId, first.brokerOrderId])
        assert.deepEqual(await ids('closed'), [dead.brokerOrderId])
        assert.deepEqual(await ids('all'), [dead.brokerOrderId, second.brokerOrderId, first.brokerOrderId])
        assert.deepEqual(await ids('all', 1), [dead.brokerOrderId])
      })

      it('listing since an instant leaves out orders that had ended before it', async () => {
        const old = await buy('1')
        const resting = await broker.submitOrder(restingBuy())
        await pause(10)
        const after = (await broker.getClock()).now
        await pause(10)
        const young = await broker.submitOrder(restingBuy())
        const listed = await broker.listOrders({ status: 'all', after })
        const ids = listed.map((report) => report.brokerOrderId)
        assert.deepEqual(ids, [young.brokerOrderId, resting.brokerOrderId])
        assert.ok(!ids.includes(old.brokerOrderId))
      })
    })

    describe('refusing', () => {
      const refusal = async (fields: Parameters<typeof orderRequest>[0]): Promise<BrokerRejection> => {
        const error: unknown = await broker.submitOrder(order(fields)).then(
          () => null,
          (reason: unknown) => reason,
        )
        assert.ok(error instanceof BrokerRejection, String(error))
        assert.notEqual(error.brokerMessage, '')
        return error
      }

      it('more than the account can pay says that funds are missing', async () => {
        assert.equal((await refusal({ quantity: '1000000000' })).code, 'INSUFFICIENT_FUNDS')
      })
      it('a symbol that does not exist says that the order is invalid', async () => {
        assert.equal((await refusal({ symbol: 'XXNONE' })).code, 'INVALID_ORDER')
      })
      it('fractions of a cent say that the order is invalid', async () => {
        const fields = { orderType: 'limit', limitPrice: '50.123' } as const
        assert.equal((await refusal(fields)).code, 'INVALID_ORDER')
      })
      it('shares that another order holds says that the order is invalid', async () => {
        await buy('2')
        const target = { side: 'SELL', quantity: '2', orderType: 'limit', limitPrice: '150' } as const
        await broker.submitOrder(order(target))
        assert.equal((await refusal(target)).code, 'INVALID_ORDER')
      })
      it('an order against an open one of the same account is no fault of the order', async () => {
        await buy('2')
        await broker.submitOrder(restingBuy())
        assert.equal((await refusal({ side: 'SELL', quantity: '1' })).code, 'OPPOSITE_ORDER')
      })
    })

    describe('keys that are not accepted', () => {
      it('keys that are not accepted are a credentials error everywhere', async () => {
        const stranger = test.withWrongKeys()
        await assert.rejects(stranger.submitOrder(order()), BrokerCredentialsError)
        await assert.rejects(stranger.findOrder('any'), BrokerCredentialsError)
        await assert.rejects(stranger.getAccount(), BrokerCredentialsError)
        const never = new AbortController().signal
        const handlers = { onReady: () => assert.fail('it was let in'), onReport: () => {} }
        await assert.rejects(stranger.streamOrders(handlers, never), BrokerCredentialsError)
      })
    })

    describe('a submission that goes wrong', () => {
      it('a submission that goes wrong and took effect has an unknown outcome, and is found', async () => {
        const request = order()
        await test.spoilNextSubmission('after')
        await assert.rejects(broker.submitOrder(request), BrokerOutcomeUnknown)
        assert.ok(await broker.findOrder(request.clientOrderId))
        await assert.rejects(broker.submitOrder(request), DuplicateClientOrderId)
      })

      it('a submission that goes wrong and was lost has an unknown outcome, is not found, and is repeated with the same id', async () => {
        const request = order()
        await test.spoilNextSubmission('before')
        await assert.rejects(broker.submitOrder(request), BrokerOutcomeUnknown)
        assert.equal(await broker.findOrder(request.clientOrderId), null)
        assert.equal((await broker.submitOrder(request)).clientOrderId, request.clientOrderId)
      })

      it('a submission that goes wrong because the broker is busy placed nothing, and says how long to wait', async () => {
        const request = order()
        await test.spoilNextSubmission('busy')
        await assert.rejects(
          broker.submitOrder(request),
          (error) => error instanceof BrokerBusy && error.retryAfterMs === 2_000,
        )
        assert.equal(await broker.findOrder(request.clientOrderId), null)
      })
    })

    describe('fills', () => {
      const filledSince = async (after: string, count: number): Promise<Execution[]> =>
        eventually(`the list of ${count} fills`, async () => {
          const { fills } = await broker.listFills(after)
          return fills.length >= count && fills
        })

      it('fills are listed oldest first, with their orders, prices and the filled total of the order by then', async () => {
        const before = (await broker.getClock()).now
        const bought = await buy('3')
        await test.setPrice('120')
        const sale = await ended(
          (await broker.submitOrder(order({ side: 'SELL', quantity: '2' }))).clientOrderId,
        )
        const fills = await filledSince(before, 2)
        const soldQuantity = fills.filter(({ side }) => side === 'SELL').map(({ quantity }) => quantity)
        assert.equal(soldQuantity.reduce(add, '0'), '2')
        assert.deepEqual(fills.toSorted(byExecution), fills)
        const [first, last] = [fills[0]!, fills.at(-1)!]
        assert.deepEqual(
          [first.brokerOrderId, first.symbol, first.side],
          [bought.brokerOrderId, test.symbol, 'BUY'],
        )
        assert.deepEqual([last.brokerOrderId, last.side], [sale.brokerOrderId, 'SELL'])
        assert.equal(last.orderFilled, '2')
        assert.match(first.at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
        const paid = fills
          .filter(({ side }) => side === 'BUY')
          .map(({ quantity, price }) => multiply(quantity, price))
        assert.equal(paid.reduce(add, '0'), multiply(bought.avgFillPrice!, '3'))
      })

      it('fills have the same id in every list', async () => {
        const before = (await broker.getClock()).now
        await buy('1')
        const [once] = await filledSince(before, 1)
        const [again] = await filledSince(once!.at, 1)
        assert.deepEqual(again, once)
      })

      it('fills are listed from the instant asked for, which is given with the list', async () => {
        const before = (await broker.getClock()).now
        await buy('1')
        const [once] = await filledSince(before, 1)
        const listing = await broker.listFills(before)
        assert.deepEqual([listing.until, listing.hasMore], [once!.at, false])
        const later = new Date(Date.parse(once!.at) + 3_600_000).toISOString()
        assert.deepEqual((await broker.listFills(later)).fills, [])
      })
    })

    describe('an account', () => {
      it('an account has the worth of its cash and its positions', async () => {
        const before = await broker.getAccount()
        assert.equal(before.marketValue, '0')
        assert.equal(before.equity, before.cashBalance)
        assert.deepEqual(before.permissions.blocks, [])
        const { avgFillPrice } = await buy('4')
        const after = await broker.getAccount()
        assert.equal(after.brokerAccountId, before.brokerAccountId)
        assert.equal(subtract(before.cashBalance, after.cashBalance), multiply(avgFillPrice!, '4'))
        assert.equal(add(after.cashBalance, after.marketValue), after.equity)
      })
    })

    describe('a position', () => {
      it('follows the fills and holds back shares that are being sold', async () => {
        assert.equal(await broker.getPosition(test.symbol), null)
        assert.deepEqual(await broker.listPositions(), [])
        const { avgFillPrice } = await buy('5')
        const sale = order({ side: 'SELL', quantity: '2', orderType: 'limit', limitPrice: '150' })
        await broker.submitOrder(sale)
        await test.setPrice('120')
        const position = (await broker.getPosition(test.symbol))!
        assert.deepEqual(
          [position.symbol, position.side, position.quantity, position.availableQuantity, position.avgCost],
          [test.symbol, 'LONG', '5', '3', avgFillPrice],
        )
        assert.equal(position.marketValue, multiply(position.currentPrice, '5'))
        assert.ok(isPositive(position.unrealisedPnl))
        assert.deepEqual(pluck(await broker.listPositions(), 'symbol'), [test.symbol])
      })

      it('a position is gone once it is sold', async () => {
        await buy('1')
        const sale = await broker.submitOrder(order({ side: 'SELL' }))
        assert.equal((await ended(sale.clientOrderId)).status, 'FILLED')
        assert.equal(await broker.getPosition(test.symbol), null)
      })
    })

    describe('an asset', () => {
      it('an asset is described when it exists', async () => {
        const asset = await broker.getAsset(test.symbol)
        assert.deepEqual([asset?.symbol, asset?.tradable], [test.symbol, true])
      })
      it('an asset is null when it does not exist', async () => {
        assert.equal(await broker.getAsset('XXNONE'), null)
      })
      it('an asset is on the list of assets, of a broker that has one', async () => {
        const listed = await broker.listAssets?.()
        assert.ok(listed?.some(({ symbol, name }) => symbol === test.symbol && name !== '') ?? true)
      })
    })

    describe('the last price', () => {
      it('the last price is dollars a share, above zero', async () => {
        const price = await broker.getLastPrice(test.symbol)
        assert.ok(price !== null && Number(price.price) > 0)
        assert.equal(new Date(price.at!).toISOString(), price.at)
      })
      it('the last price is null when there is no such symbol', async () => {
        assert.equal(await broker.getLastPrice('XXNONE'), null)
      })
    })

    describe('quotes', () => {
      it('give bid, ask and last trade of each symbol that the broker knows', async () => {
        const quotes = await broker.getQuotes([test.symbol, 'XXNONE'])
        assert.deepEqual(pluck(quotes, 'symbol'), [test.symbol])
        const { bid, ask, last, previousClose, at } = quotes[0]!
        assert.ok(Number(bid) > 0 && Number(ask) >= Number(bid) && Number(last) > 0)
        assert.ok(Number(previousClose) > 0)
        assert.equal(new Date(at!).toISOString(), at)
      })
    })

    describe('bars', () => {
      const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString()
      for (const timeframe of ['1m', '1h', '1d'] as const)
        it(`bars of ${timeframe} are in order and hold the trades within them`, async () => {
          const query = { symbol: test.symbol, timeframe, from: days(10), to: days(0), limit: 50 }
          const { bars } = await broker.listBars(query)
          assert.ok(bars.length >= 5 && bars.length <= 50, `${bars.length} bars`)
          for (const [index, { at, open, high, low, close, volume }] of bars.entries()) {
            assert.ok(at >= query.from && at <= query.to)
            assert.ok(index === 0 || bars[index - 1]!.at < at)
            for (const price of [open, close])
              assert.ok(Number(low) <= Number(price) && Number(price) <= Number(high))
            assert.ok(Number(volume) > 0)
          }
        })
      it('bars that are too many are the newest ones', async () => {
        const query = { symbol: test.symbol, timeframe: '1m', from: days(10), to: days(0) } as const
        const few = await broker.listBars({ ...query, limit: 5 })
        const more = await broker.listBars({ ...query, limit: 20 })
        assert.deepEqual([few.isComplete, few.bars.length], [false, 5])
        assert.deepEqual(
          pluck(few.bars.slice(0, -1), 'at'),
          more.bars.slice(-5, -1).map(({ at }) => at),
        )
      })
      it('bars of no such symbol are none', async () => {
        const query = { symbol: 'XXNONE', timeframe: '1d', from: days(10), to: days(0), limit: 5 } as const
        assert.deepEqual(await broker.listBars(query), { bars: [], isComplete: true })
      })
    })

    describe('the calendar', () => {
      it('lists sessions in order, within the dates asked for', async () => {
        const sessions = await broker.listSessions('2026-11-23', '2026-11-27')
        assert.ok(sessions.length >= 4)
        for (const [index, { date, opensAt, closesAt }] of sessions.entries()) {
          assert.ok(date >= '2026-11-23' && date <= '2026-11-27')
          assert.ok(opensAt < closesAt)
          assert.ok(index === 0 || sessions[index - 1]!.closesAt <= opensAt)
        }
      })
      it('agrees with the clock', async () => {
        const clock = await broker.getClock()
        assert.ok(Math.abs(Date.parse(clock.now) - Date.now()) < 60_000)
        assert.ok(clock.now < clock.nextClose && clock.now < clock.nextOpen)
        // Where one session follows on the other, the close is the next opening too.
        assert.equal(clock.isOpen, clock.nextClose <= clock.nextOpen)
      })
    })

    describe('the order stream', () => {
      it('reports a new order, its executions and a cancel, and ends when it is aborted', async () => {
        const stop = new AbortController()
        const heard: { report: OrderReport; event: OrderStreamEvent }[] = []
        const isReady = Promise.withResolvers<void>()
        const streamed = broker.streamOrders(
          {
            onReady: () => isReady.resolve(),
            onReport: (report, event) => heard.push({ report, event }),
          },
          stop.signal,
        )
        await Promise.race([isReady.promise, streamed])
        const market = await broker.submitOrder(order({ quantity: '2' }))
        const resting = await broker.submitOrder(restingBuy())
        const last = (clientOrderId: string) =>
          heard.findLast(({ report }) => report.clientOrderId === clientOrderId)?.report.status
        await eventually('the fill', async () => last(market.clientOrderId) === 'FILLED')
        await eventually('the open order', async () => last(resting.clientOrderId) === 'OPEN')
        await broker.cancelOrder(resting.brokerOrderId)
        await eventually('the cancel', async () => last(resting.clientOrderId) === 'CANCELLED')
        const executions = heard.flatMap(({ report, event }) =>
          report.clientOrderId === market.clientOrderId && event.execution ? [event.execution] : [],
        )
        assert.equal(executions.map(({ quantity }) => quantity).reduce(add, '0'), '2')
        stop.abort()
        await streamed
      })
    })
  })
}
