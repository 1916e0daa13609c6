import assert from 'node:assert/strict'
import { auth, errors, marketData, OrdersApi, streaming, trading } from '@alpacahq/alpaca-trade-api'
import { eventually } from '#test/support/eventually.ts'
import { venueForSuite, type Json } from './venue-client.ts'

const KEYS = { keyId: 'PAPER-DEMO-KEY', secret: 'paper-demo-secret' }
const SYMBOL = 'ZTJS'
/** Nothing is bought of it but what is sold: a sale beside a purchase that works is a wash trade. */
const HELD = 'ZTJSH'
/** Of rows that wait for order classes, trailing stops, changes of orders and the closing of everything; true with them. */
const HAS_ORDER_CLASSES: boolean = false

/** The status of a refusal, or a condition of the answer. */
type Expectation = number | ((answer: Json) => boolean)
type Row = [name: string, call: () => Promise<unknown>, expected: Expectation]

describe("Alpaca's own client for JavaScript at the venue", () => {
  let now = Date.parse('2026-03-02T11:00:00-05:00')
  const venue = venueForSuite({ VENUE_HOURS: 'nyse' }, { now: () => now })
  const basePath = () => venue.client.url

  /** The rows in their order; each sees the answers of those before. */
  function* rows(got: Record<string, Json>): Generator<Row> {
    const config = new trading.Configuration({ basePath: basePath(), apiKey: auth.apiKeyAuth(KEYS) })
    const account = new trading.AccountsApi(config)
    const settings = new trading.AccountConfigurationsApi(config)
    const order = new OrdersApi(config)
    const positions = new trading.PositionsApi(config)
    const assets = new trading.AssetsApi(config)
    const clock = new trading.ClockApi(config)
    const calendar = new trading.CalendarApi(config)
    const watchlists = new trading.WatchlistsApi(config)
    const announcements = async (request: trading.GetV2CorporateActionsAnnouncementsRequest) =>
      // oxlint-disable-next-line typescript/no-deprecated -- clients that are older than its successor use it
      new trading.CorporateActionsApi(config).getV2CorporateActionsAnnouncements(request)
    const stocks = new marketData.StockApi(
      new marketData.Configuration({ basePath: basePath(), apiKey: auth.apiKeyAuth(KEYS) }),
    )
    const buy = { symbol: SYMBOL, side: 'buy', qty: 1 } as const
    const resting = { ...buy, limitPrice: 50 }
    const filled = (name: string) =>
      eventually(async () => {
        const found = await order.getOrderByOrderID({ orderId: got[name].id })
        assert.equal(found.status, 'filled')
        return found
      })

    yield ['account', () => account.getAccount(), (found) => found.status === 'ACTIVE']
    yield ['settings', () => settings.getAccountConfig(), (found) => found.noShorting === false]
    yield [
      'changed settings',
      () => settings.patchAccountConfig({ accountConfigurations: { noShorting: true } }),
      (found) => found.noShorting === true && found.fractionalTrading === true,
    ]
    yield ['short sale', () => order.market({ ...buy, side: 'sell' }), 403]
    yield [
      'market',
      () => order.market({ ...buy, qty: 6, clientOrderId: 'js-market' }),
      (placed) => placed.symbol === SYMBOL,
    ]
    yield ['market filled', () => filled('market'), (found) => found.filledAvgPrice === '100']
    yield [
      'dollars',
      () => order.market({ symbol: SYMBOL, side: 'buy', notional: 100 }),
      (placed) => placed.notional === '100',
    ]
    yield ['dollars filled', () => filled('dollars'), (found) => found.filledQty === '1']
    yield ['limit', () => order.limit(resting), (placed) => placed.limitPrice === '50']
    yield ['stop', () => order.stop({ ...buy, stopPrice: 150 }), (placed) => placed.stopPrice === '150']
    yield [
      'stop limit',
      () => order.stopLimit({ ...buy, stopPrice: 150, limitPrice: 151 }),
      (placed) => placed.type === 'stop_limit',
    ]
    yield ['coins', () => order.market({ ...buy, symbol: 'BTC/USD' }), 422]
    yield ['option', () => order.market({ ...buy, symbol: 'AAPL270115C00250000' }), 403]
    if (HAS_ORDER_CLASSES)
      yield [
        'bracket',
        () => order.bracket({ ...resting, takeProfit: { limitPrice: 120 }, stopLoss: { stopPrice: 40 } }),
        (placed) => placed.orderClass === 'bracket' && placed.legs.length === 2,
      ]
    yield ['held', () => order.market({ ...buy, symbol: HELD }), (placed) => placed.symbol === HELD]
    yield ['held, filled', () => filled('held'), (found) => found.filledQty === '1']
    if (HAS_ORDER_CLASSES)
      yield [
        'trailing stop',
        () => order.trailingStop({ ...buy, symbol: HELD, side: 'sell', trailPercent: 5 }),
        (placed) => placed.trailPercent === '5',
      ]
    if (HAS_ORDER_CLASSES)
      yield [
        'changed order',
        () =>
          order.patchOrderByOrderId({ orderId: got['limit'].id, patchOrderRequest: { limitPrice: '51' } }),
        (found) => found.limitPrice === '51',
      ]
    yield [
      'orders',
      () => order.getAllOrders({ status: 'all', limit: 10, symbols: [SYMBOL], nested: true }),
      (found) => found.length >= 5,
    ]
    yield [
      'order by client id',
      () => order.getOrderByClientOrderId({ clientOrderId: 'js-market' }),
      (found) => found.id === got['market'].id,
    ]
    yield [
      'cancel',
      () => order.deleteOrderByOrderID({ orderId: got['stop'].id }),
      (answer) => answer === undefined,
    ]
    yield ['cancel all', () => order.deleteAllOrders(), (answers) => answers.length >= 2]
    yield ['positions', () => positions.getAllOpenPositions(), (found) => found[0].qty === '7']
    yield [
      'position by asset',
      () => positions.getOpenPosition({ symbolOrAssetId: got['positions'][0].assetId }),
      (found) => found.symbol === SYMBOL,
    ]
    yield [
      'closed position',
      () => positions.deleteOpenPosition({ symbolOrAssetId: SYMBOL, percentage: 100 }),
      (placed) => placed.side === 'sell' && placed.qty === '7',
    ]
    yield ['closed position, filled', () => filled('closed position'), (found) => found.filledQty === '7']
    if (HAS_ORDER_CLASSES)
      yield [
        'everything closed',
        () => positions.deleteAllOpenPositions({ cancelOrders: true }),
        (answers) => Array.isArray(answers),
      ]
    yield [
      'activities',
      () => new trading.AccountActivitiesApi(config).getAccountActivities({ activityTypes: ['FILL'] }),
      (found) => found.length >= 4,
    ]
    yield [
      'portfolio history',
      () =>
        new trading.PortfolioHistoryApi(config).getAccountPortfolioHistory({
          period: '1W',
          timeframe: '1H',
          extendedHours: 'true',
        }),
      (found) => found.equity.length === found.timestamp.length && found.equity.at(-1) === 1_000_000,
    ]
    yield [
      'assets',
      () => assets.getV2Assets({ status: 'active', assetClass: 'us_equity', exchange: 'ARCA' }),
      (found) => found.length > 5,
    ]
    yield [
      'assets with options',
      () => assets.getV2Assets({ attributes: ['has_options', 'overnight_tradable'] }),
      (found) => found.length === 0,
    ]
    yield [
      'asset by id',
      () => assets.getV2AssetsSymbolOrAssetId({ symbolOrAssetId: got['assets'][0].id }),
      (found) => found.symbol === got['assets'][0].symbol,
    ]
    yield [
      'option contracts',
      () => assets.getOptionsContracts({ underlyingSymbols: 'AAPL' }),
      (found) => found.optionContracts.length === 0,
    ]
    yield ['option contract', () => assets.getOptionContractSymbolOrId({ symbolOrId: 'AAPL1' }), 404]
    yield ['clock', () => clock.legacyClock(), (found) => found.isOpen === true]
    yield [
      'clocks',
      () => clock.clock({ markets: 'NYSE,NASDAQ' }),
      ({ clocks }) => clocks.length === 2 && clocks[0].phase === 'core' && clocks[0].isMarketDay === true,
    ]
    yield [
      'clock of an evening',
      () => clock.clock({ time: new Date('2026-11-27T14:00:00-05:00') }),
      ({ clocks: [found] }) =>
        found.phase === 'post' && found.phaseUntil.getTime() === Date.parse('2026-11-27T17:00:00-05:00'),
    ]
    yield ['clock of London', () => clock.clock({ markets: 'LSE' }), 422]
    yield [
      'calendar of instants',
      () =>
        calendar.legacyCalendar({
          start: new Date('2026-11-26T00:00:00Z'),
          end: new Date('2026-11-30T00:00:00Z'),
          dateType: 'TRADING',
        }),
      (days) => days.length === 2 && days[0].close === '13:00',
    ]
    yield [
      'calendar',
      () => calendar.calendar({ market: 'NYSE', start: new Date('2026-11-27'), end: new Date('2026-11-27') }),
      ({ calendar: [day] }) =>
        day.coreEnd.getTime() === Date.parse('2026-11-27T13:00:00-05:00') && day.preStart !== undefined,
    ]
    yield ['calendar of London', () => calendar.calendar({ market: 'LSE' }), 404]
    yield [
      'watchlist',
      () => watchlists.postWatchlist({ createWatchlistRequest: { name: 'js', symbols: ['AAPL'] } }),
      (made) => made.assets[0].symbol === 'AAPL',
    ]
    yield [
      'watchlist by name',
      () => watchlists.getWatchlistByName({ name: 'js' }),
      (found) => found.id === got['watchlist'].id,
    ]
    yield [
      'symbol added by name',
      () =>
        watchlists.addAssetToWatchlistByName({ name: 'js', addAssetToWatchlistRequest: { symbol: 'SPY' } }),
      (found) => found.assets.length === 2,
    ]
    yield ['watchlists', () => watchlists.getWatchlists(), (found) => found.length === 1]
    yield [
      'watchlist deleted',
      () => watchlists.deleteWatchlistByName({ name: 'js' }),
      (answer) => answer === undefined,
    ]
    yield [
      'announcements',
      () =>
        announcements({
          caTypes: 'dividend,split',
          since: '2026-01-01',
          until: '2026-02-01',
        }),
      (found) => found.length === 0,
    ]
    yield [
      'announcements of a year',
      () =>
        announcements({
          caTypes: 'split',
          since: '2025-01-01',
          until: '2026-01-01',
        }),
      422,
    ]
    yield [
      'bars',
      () =>
        stocks.stockBars({
          symbols: 'AAPL,SPY',
          timeframe: '15Min',
          start: new Date('2026-02-27'),
          limit: 40,
        }),
      (found) => found.bars.AAPL.length + found.bars.SPY.length === 40 && found.nextPageToken !== null,
    ]
    yield [
      'bars of one share',
      () => stocks.stockBarSingle({ symbol: 'AAPL', timeframe: '1Day', start: new Date('2026-02-01') }),
      (found) => found.bars.length === 20,
    ]
    yield [
      'latest quotes',
      () => stocks.stockLatestQuotes({ symbols: 'AAPL,SPY' }),
      (found) => found.quotes.AAPL.bp < found.quotes.AAPL.ap,
    ]
    yield [
      'snapshots',
      () => stocks.stockSnapshots({ symbols: 'AAPL' }),
      (found) => found.AAPL.dailyBar.o > 0,
    ]
  }

  it("Alpaca's own client for JavaScript at the venue is answered as by Alpaca, call by call", async () => {
    for (const symbol of [SYMBOL, HELD]) await venue.client.pin(symbol, '100')
    const got: Record<string, Json> = {}
    const faults: string[] = []
    for (const [name, call, expected] of rows(got)) {
      try {
        got[name] = await call()
        if (typeof expected === 'number' || !expected(got[name]))
          faults.push(`${name}: ${JSON.stringify(got[name])}`)
      } catch (error) {
        const status = error instanceof errors.ResponseError ? error.response.status : null
        if (status !== expected) faults.push(`${name}: ${String(error)} ${status}`)
      }
    }
    assert.deepEqual(faults, [])
  })

  it("Alpaca's own client for JavaScript at the venue receives an order that waits for the session, and then its fill", async () => {
    await venue.client.pin(SYMBOL, '100')
    now = Date.parse('2026-03-02T17:00:00-05:00')
    const told: string[] = []
    const stream = new streaming.TradingStream({
      credentials: KEYS,
      url: `${basePath().replace('http', 'ws')}/stream`,
    })
    stream.onTradeUpdate(({ event }) => told.push(event))
    const isListening = new Promise((resolve) => stream.on('subscription', resolve))
    stream.subscribeTradeUpdates()
    stream.connect()
    try {
      await isListening
      await venue.client.submit({ symbol: SYMBOL })
      await eventually(() => assert.deepEqual(told, ['accepted']))
      now = Date.parse('2026-03-03T10:00:00-05:00')
      await eventually(() => assert.deepEqual(told, ['accepted', 'new', 'fill']))
    } finally {
      stream.disconnect()
    }
  })
})
