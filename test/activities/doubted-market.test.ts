import assert from 'node:assert/strict'
import type { Activities, PreparedEntry } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import { AssetLookupUnsupported, BrokerOutcomeUnknown, BrokerPricesUnavailable } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { termsOf } from '#db/signals/terms.ts'
import { nyseSessions } from '#domain/calendar/nyse.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'

const AUGUST = '2025-08-03T15:00:00.000Z'
const DAY = 86_400_000
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString()

describe('preparing an entry from facts that cannot be right', () => {
  let em: EntityManager
  useDatabase((opened) => {
    em = opened.em
  })

  let account: Account
  let broker: ScriptedBroker
  let activities: Activities
  beforeEach(async () => {
    account = await createAccount(em)
    broker = new ScriptedBroker()
    broker.lastPrice = '40'
    broker.sessions = nyseSessions(daysAgo(10).slice(0, 10), daysAgo(-10).slice(0, 10))
    activities = createActivities({
      em,
      secretKeys,
      connectBroker: () => broker,
      requestTimeoutMs: 4_000,
      liveTrading: true,
    })
  })

  const prepare = async (fields: Partial<Signal> = {}): Promise<PreparedEntry> =>
    activities.prepareEntry(termsOf(await createSignal(em, { accountId: account.id, ...fields })))
  const codeOf = (prepared: PreparedEntry): string =>
    prepared.outcome === 'denied' ? prepared.code : prepared.outcome
  const tenThousand = { quantityType: 'dollarAmount', quantity: '10000' } as const
  const oldPrice = () => Object.assign(broker, { lastPrice: '10', pricedAt: AUGUST })
  const market = (bid: string, ask: string, quotedAt = new Date().toISOString()) =>
    (broker.quote = { bid, ask, quotedAt })

  describe('the last price', () => {
    it('of August, in a market at 40: dollars buy at the ask, with an advisory', async () => {
      oldPrice()
      market('39.99', '40')
      const prepared = await prepare(tenThousand)
      assert.ok(prepared.outcome === 'ready')
      assert.equal(prepared.quantity, '250')
      assert.deepEqual(
        prepared.advisories.map(({ code }) => code),
        ['price_from_quote'],
      )
      assert.match(prepared.advisories[0]!.message, /\$10, is of 2025-08-03.*the ask of \$40 counts/)
    })

    it('of August, without a market: denied as PRICE_STALE, with the instant', async () => {
      oldPrice()
      market('9', '10', AUGUST)
      const prepared = await prepare(tenThousand)
      assert.ok(prepared.outcome === 'denied')
      assert.equal(prepared.code, 'PRICE_STALE')
      assert.match(prepared.detail, /\$10, is of 2025-08-03/)
    })

    it('of August, for so many shares: the limit in dollars is held to the ask', async () => {
      oldPrice()
      market('39', '40')
      assert.equal(codeOf(await prepare({ quantity: '30000' })), 'ORDER_TOO_LARGE')
    })

    it('of this moment, a quarter of the market: a short sale is sized by the bid', async () => {
      broker.lastPrice = '10'
      market('40', '40.02')
      const prepared = await prepare({ ...tenThousand, action: 'openShort' })
      assert.ok(prepared.outcome === 'ready')
      assert.equal(prepared.quantity, '250')
    })

    it('of August: what is held is closed all the same', async () => {
      oldPrice()
      market('9', '10', AUGUST)
      broker.positions = [held('10', 'LONG')]
      const closing = { action: 'closeLong', orderType: 'limit', limitPrice: '41' } as const
      assert.equal(codeOf(await prepare(closing)), 'ready')
    })

    it('of Friday, on the days after it: believed', async () => {
      const last = broker.sessions.findLast(({ closesAt }) => Date.parse(closesAt) < Date.now())!
      broker.pricedAt = new Date(Date.parse(last.closesAt) - 60_000).toISOString()
      const prepared = await prepare(tenThousand)
      assert.ok(prepared.outcome === 'ready')
      assert.deepEqual(prepared.advisories, [])
    })

    it('that the data plan lacks: denied as PRICE_UNAVAILABLE, and not as wrong keys', async () => {
      broker.priceTrouble = new BrokerPricesUnavailable('the data plan lacks prices')
      const prepared = await prepare(tenThousand)
      assert.ok(prepared.outcome === 'denied')
      assert.deepEqual([prepared.code, prepared.detail], ['PRICE_UNAVAILABLE', 'the data plan lacks prices'])
    })

    it('that the data plan lacks: what is held is closed all the same', async () => {
      broker.priceTrouble = new BrokerPricesUnavailable('the data plan lacks prices')
      broker.positions = [held('10', 'LONG')]
      const closing = { action: 'closeLong', orderType: 'limit', limitPrice: '41' } as const
      assert.equal(codeOf(await prepare(closing)), 'ready')
    })

    it('without a market, because bid and ask are not told at the moment: judged by its instant', async () => {
      broker.getQuotes = () => Promise.reject(new BrokerOutcomeUnknown('no answer in time'))
      assert.equal(codeOf(await prepare(tenThousand)), 'ready')
      oldPrice()
      assert.equal(codeOf(await prepare(tenThousand)), 'PRICE_STALE')
    })
  })

  describe('what is not a share', () => {
    const coin = () => (broker.asset = { ...broker.asset!, assetClass: 'crypto' })

    for (const order of [{ quantity: '100' }, { quantity: '0.5' }, tenThousand])
      it(`a coin, for ${JSON.stringify(order)}: denied as SYMBOL_NOT_ALLOWED, in words`, async () => {
        coin()
        const prepared = await prepare({ ...order, symbol: 'DOGEUSD', timeInForce: 'gtc' })
        assert.ok(prepared.outcome === 'denied')
        assert.equal(prepared.code, 'SYMBOL_NOT_ALLOWED')
        assert.match(prepared.detail, /Durable Trader trades shares and ETFs, and DOGEUSD is a coin/)
      })

    it('a coin that is held: closed', async () => {
      coin()
      broker.positions = [{ ...held('10', 'LONG'), symbol: 'DOGEUSD' }]
      assert.equal(codeOf(await prepare({ symbol: 'DOGEUSD', action: 'closeLong' })), 'ready')
    })

    it('is told by the spelling where the broker has no look-up of assets', async () => {
      broker.getAsset = () => Promise.reject(new AssetLookupUnsupported('no look-up'))
      assert.equal(codeOf(await prepare({ symbol: 'BTC/USD' })), 'SYMBOL_NOT_ALLOWED')
      assert.equal(codeOf(await prepare({ symbol: 'AAPL' })), 'ready')
    })

    it('while the look-up of assets is away: what is spelled like a share is one, and the rest is asked again', async () => {
      broker.getAsset = () => Promise.reject(new BrokerOutcomeUnknown('no answer in time'))
      assert.equal(codeOf(await prepare({ symbol: 'AAPL' })), 'ready')
      await assert.rejects(prepare({ symbol: 'DOGEUSD' }), BrokerOutcomeUnknown)
    })

    it('a share is asked for once, and not before every entry', async () => {
      for (let entries = 0; entries < 3; entries += 1) await prepare()
      assert.equal(broker.requests.get('getAsset'), 1)
    })

    it('an asset that the broker does not have: denied before it is sent', async () => {
      broker.asset = null
      const limit = { orderType: 'limit', limitPrice: '40' } as const
      assert.equal(codeOf(await prepare({ ...limit, symbol: 'NONE' })), 'INVALID_ORDER')
    })
  })
})
