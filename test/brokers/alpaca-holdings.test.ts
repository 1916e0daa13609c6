import assert from 'node:assert/strict'
import { AssetLookupUnsupported, BrokerOutcomeUnknown, type Broker } from '#brokers/port.ts'
import { alpacaAccount, alpacaAsset, alpacaCalendar, alpacaClock, alpacaPosition } from './alpaca-answers.ts'
import { connectAlpaca, json, useScriptedServer, type ScriptedServer } from './scripted-server.ts'

describe('Alpaca adapter: account, positions, assets and sessions', () => {
  let server: ScriptedServer
  let broker: Broker
  useScriptedServer((given) => {
    server = given
    broker = connectAlpaca(server.url)
  })
  const answer = (body: unknown) => server.answerWith(json(200, body))

  it('reads an account', async () => {
    answer(alpacaAccount())
    assert.deepEqual(await broker.getAccount(), {
      brokerAccountId: 'PA2XQ7M41KZB',
      type: 'MARGIN',
      currency: 'USD',
      equity: '103600.25',
      cashBalance: '92100.25',
      buyingPower: '183200.5',
      nonMarginableBuyingPower: '84210.25',
      dayTradingBuyingPower: null,
      marketValue: '11500',
      permissions: { blocks: [], sellsShort: true, settledCash: null },
    })
  })

  it('reads the figures of accounts that still have day trading buying power or have no margin', async () => {
    answer(alpacaAccount({ daytrading_buying_power: '4000', multiplier: '1' }))
    const account = await broker.getAccount()
    assert.equal(account.dayTradingBuyingPower, '4000')
    assert.equal(account.type, 'CASH')
  })

  for (const block of [
    [{ status: 'ACCOUNT_UPDATED' }, 'its status is ACCOUNT_UPDATED'],
    [{ trading_blocked: true }, 'trading is blocked'],
    [{ account_blocked: true }, 'the account is blocked'],
    [{ trade_suspended_by_user: true }, 'trading was suspended by the owner of the account'],
  ] as const) {
    const [fields, words] = block
    it(`sees that an account is blocked by ${JSON.stringify(fields)}`, async () => {
      answer(alpacaAccount(fields))
      assert.deepEqual((await broker.getAccount()).permissions.blocks, [words])
    })
  }

  it('takes what an account does not say of its permissions for unknown, and reads the account', async () => {
    const absent = {
      trading_blocked: undefined,
      account_blocked: undefined,
      trade_suspended_by_user: undefined,
    }
    answer(alpacaAccount({ ...absent, shorting_enabled: undefined }))
    const { permissions } = await broker.getAccount()
    assert.deepEqual(permissions, { blocks: [], sellsShort: null, settledCash: null })
  })

  it('reads that an account sells nothing short, and the settled cash of one without margin', async () => {
    answer(alpacaAccount({ shorting_enabled: false }))
    assert.equal((await broker.getAccount()).permissions.sellsShort, false)
    const cash = { multiplier: '1', non_marginable_buying_power: '3000' }
    answer(alpacaAccount({ ...cash, cash_withdrawable: '2000' }))
    assert.deepEqual((await broker.getAccount()).permissions, {
      blocks: [],
      sellsShort: false,
      settledCash: '2000',
    })
    answer(alpacaAccount(cash))
    assert.equal((await broker.getAccount()).permissions.settledCash, '3000')
  })

  it('Alpaca adapter: account, positions, assets and sessions does not read an account without its equity', async () => {
    answer(alpacaAccount({ equity: undefined }))
    await assert.rejects(broker.getAccount(), BrokerOutcomeUnknown)
  })

  it('reads a long position', async () => {
    answer(alpacaPosition())
    assert.deepEqual(await broker.getPosition('AAPL'), {
      symbol: 'AAPL',
      side: 'LONG',
      quantity: '5',
      availableQuantity: '4',
      avgCost: '100',
      currentPrice: '120',
      marketValue: '600',
      unrealisedPnl: '100',
      unrealisedPnlPercent: '20',
      dayChange: '1',
      dayChangePercent: '0.84',
    })
  })

  it('reads a short position, which gains when the price falls', async () => {
    answer([
      alpacaPosition({
        side: 'short',
        qty: '-5',
        qty_available: '-5',
        current_price: '90',
        market_value: '-450',
      }),
    ])
    const [position] = await broker.listPositions()
    assert.equal(position?.side, 'SHORT')
    assert.equal(position?.quantity, '5')
    assert.equal(position?.availableQuantity, '5')
    assert.equal(position?.marketValue, '-450')
    assert.equal(position?.unrealisedPnl, '50')
    assert.equal(position?.unrealisedPnlPercent, '10')
  })

  it('values a position at the last close, then at its cost, when it has no price', async () => {
    const unpriced = { current_price: null, market_value: null, unrealized_pl: null, change_today: null }
    answer([alpacaPosition(unpriced), alpacaPosition({ ...unpriced, lastday_price: null })])
    const positions = await broker.listPositions()
    assert.deepEqual(
      positions.map(({ currentPrice, dayChange, dayChangePercent }) => [
        currentPrice,
        dayChange,
        dayChangePercent,
      ]),
      [
        ['119', null, null],
        ['100', null, null],
      ],
    )
  })

  it('reads an asset, whether its margins are numbers or strings', async () => {
    answer(alpacaAsset())
    const asset = await broker.getAsset('AAPL')
    assert.equal(asset?.maintenanceMarginRequirement, '30')
    assert.equal(asset?.marginRequirementShort, '30')
    assert.equal(asset?.fractionable, true)
    assert.equal(asset?.assetClass, 'us_equity')
  })

  it('asks for a symbol with a slash as one part of the path', async () => {
    answer(alpacaAsset({ symbol: 'BTC/USD' }))
    await broker.getAsset('BTC/USD')
    assert.equal(server.received.at(-1)?.path, '/v2/assets/BTC%2FUSD')
  })

  it('lists the assets that can be traded, without those that cannot be read, in an answer of megabytes', async () => {
    const rows = [
      alpacaAsset({ symbol: 'BRK.B', name: 'Berkshire Hathaway Inc. New', exchange: 'NYSE' }),
      // Names, exchanges and margins that are not documented are no reason to leave an asset out.
      alpacaAsset({ symbol: 'ZTA', name: null, exchange: 'ASCX', maintenance_margin_requirement: {} }),
      alpacaAsset({ symbol: 'ZTB', tradable: false }),
      alpacaAsset({ symbol: 'ZTC', status: 'inactive' }),
      alpacaAsset({ symbol: 'ZTD', class: 'crypto_perp' }),
      alpacaAsset({ symbol: 'zt e' }),
      alpacaAsset({ symbol: undefined }),
      null,
      'ZTF',
    ]
    const filler = alpacaAsset({ symbol: 'ZTG', tradable: false, name: 'x'.repeat(2_000) })
    answer([...rows, ...Array.from({ length: 1_000 }, () => filler)])
    assert.deepEqual(await broker.listAssets!(), [
      { symbol: 'BRK.B', name: 'Berkshire Hathaway Inc. New', exchange: 'NYSE' },
      { symbol: 'ZTA', name: '', exchange: 'ASCX' },
    ])
    assert.equal(server.received.at(-1)?.path, '/v2/assets?status=active&asset_class=us_equity')
  })

  it('a list of assets that cannot be read is not mistaken for an empty one', async () => {
    answer([{ ticker: 'AAPL' }])
    await assert.rejects(broker.listAssets!(), BrokerOutcomeUnknown)
    answer({ assets: [] })
    await assert.rejects(broker.listAssets!(), BrokerOutcomeUnknown)
    server.answerWith(json(501, { message: 'not implemented' }))
    await assert.rejects(broker.listAssets!(), AssetLookupUnsupported)
  })

  it('reads the clock as UTC', async () => {
    answer(alpacaClock)
    assert.deepEqual(await broker.getClock(), {
      now: '2026-03-16T18:41:57.654Z',
      isOpen: true,
      nextOpen: '2026-03-17T13:30:00.000Z',
      nextClose: '2026-03-16T20:00:00.000Z',
    })
  })

  it('reads sessions with half days, in UTC', async () => {
    answer(alpacaCalendar)
    assert.deepEqual(await broker.listSessions('2026-11-25', '2026-11-27'), [
      { date: '2026-11-25', opensAt: '2026-11-25T14:30:00.000Z', closesAt: '2026-11-25T21:00:00.000Z' },
      { date: '2026-11-27', opensAt: '2026-11-27T14:30:00.000Z', closesAt: '2026-11-27T18:00:00.000Z' },
    ])
    assert.equal(server.received.at(-1)?.path, '/v2/calendar?start=2026-11-25&end=2026-11-27')
  })

  it('reads a session that lasts all day', async () => {
    answer([{ date: '2026-07-01', open: '00:00', close: '24:00' }])
    assert.deepEqual(await broker.listSessions('2026-07-01', '2026-07-01'), [
      { date: '2026-07-01', opensAt: '2026-07-01T04:00:00.000Z', closesAt: '2026-07-02T04:00:00.000Z' },
    ])
  })
})
