import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/activity'
import type { PreparedEntry } from '#activities/contract.ts'
import { AssetLookupUnsupported, BrokerOutcomeUnknown, BrokerPricesUnavailable } from '#brokers/port.ts'
import type { Signal } from '#db/entities/index.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { WAITS_FOR_SESSION } from '#domain/signal/advisory.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { held } from '#test/support/sample-position.ts'
import { codeOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const AUGUST = '2025-08-03T15:00:00.000Z'
const DAY = 86_400_000
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString()

describe('preparing an entry from facts that cannot be right', () => {
  let { desk, em, broker, accepted, owner } = {} as ActivityDesk
  useDesk((opened) => {
    ;({ desk, em, broker, accepted, owner } = opened)
    broker.lastPrice = '40'
    broker.sessions = nyseSessions(daysAgo(10).slice(0, 10), daysAgo(-10).slice(0, 10))
  })

  const prepare = async (fields: Partial<Signal> = {}): Promise<PreparedEntry> =>
    desk.prepare(await accepted(fields))
  /** Without that of an order which waits for the next session: the test runs at any hour of the day. */
  const adviceOf = ({ advisories }: Pick<Extract<PreparedEntry, { outcome: 'ready' }>, 'advisories'>) =>
    advisories.filter(({ code }) => code !== WAITS_FOR_SESSION)
  const tenThousand = { quantityType: 'dollarAmount', quantity: '10000' } as const
  const oldPrice = () => Object.assign(broker, { lastPrice: '10', pricedAt: AUGUST })
  const market = (bid: Decimal, ask: Decimal, quotedAt = new Date().toISOString()) =>
    (broker.quote = { bid, ask, quotedAt })

  describe('the last price', () => {
    it('the last price of August, in a market at 40: dollars buy at the ask, with an advisory', async () => {
      oldPrice()
      market('39.99', '40')
      const prepared = await prepare(tenThousand)
      assert.ok(prepared.outcome === 'ready')
      assert.equal(prepared.quantity, '250')
      assert.deepEqual(
        adviceOf(prepared).map(({ code }) => code),
        ['price_from_quote'],
      )
      assert.match(prepared.advisories[0]!.message, /\$10, is of 2025-08-03.*the ask of \$40 counts/)
    })

    it('the last price of August, without a market: denied as PRICE_STALE, with the instant', async () => {
      oldPrice()
      market('9', '10', AUGUST)
      const prepared = await prepare(tenThousand)
      assert.ok(prepared.outcome === 'denied')
      assert.equal(prepared.code, 'PRICE_STALE')
      assert.match(prepared.detail, /\$10, is of 2025-08-03/)
    })

    it('the last price of August, for a number of shares: the limit in dollars is held to the ask', async () => {
      oldPrice()
      market('39', '40')
      assert.equal(codeOf(await prepare({ quantity: '30000' })), 'ORDER_TOO_LARGE')
    })

    it('the last price of this moment, a quarter of the market: a short sale is sized by the bid', async () => {
      broker.lastPrice = '10'
      market('40', '40.02')
      const prepared = await prepare({ ...tenThousand, action: 'openShort' })
      assert.ok(prepared.outcome === 'ready')
      assert.equal(prepared.quantity, '250')
    })

    it('the last price of August: what is held is closed all the same', async () => {
      oldPrice()
      market('9', '10', AUGUST)
      broker.positions = [held('10', 'LONG')]
      const closing = { action: 'closeLong', orderType: 'limit', limitPrice: '41' } as const
      assert.equal(codeOf(await prepare(closing)), 'ready')
    })

    it('the last price of Friday, on the days after it: believed', async () => {
      const last = broker.sessions.findLast(({ closesAt }) => Date.parse(closesAt) < Date.now())!
      broker.pricedAt = new Date(Date.parse(last.closesAt) - 60_000).toISOString()
      const prepared = await prepare(tenThousand)
      assert.ok(prepared.outcome === 'ready')
      assert.deepEqual(adviceOf(prepared), [])
    })

    it('the last price that the data plan lacks: denied as PRICE_UNAVAILABLE, and not as wrong keys', async () => {
      broker.priceTrouble = new BrokerPricesUnavailable('the data plan lacks prices')
      const prepared = await prepare(tenThousand)
      assert.ok(prepared.outcome === 'denied')
      assert.deepEqual([prepared.code, prepared.detail], ['PRICE_UNAVAILABLE', 'the data plan lacks prices'])
    })

    it('the last price without a market, because bid and ask are missing at the moment: checked by its instant', async () => {
      broker.getQuotes = () => Promise.reject(new BrokerOutcomeUnknown('no answer in time'))
      assert.equal(codeOf(await prepare(tenThousand)), 'ready')
      oldPrice()
      assert.equal(codeOf(await prepare(tenThousand)), 'PRICE_STALE')
    })
  })

  describe('what is not a share', () => {
    const coin = () => (broker.asset = { ...broker.asset!, assetClass: 'crypto' })

    for (const order of [{ quantity: '100' }, { quantity: '0.5' }, tenThousand] as const)
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

    it('what is not a share is recognized by the spelling where the broker has no look-up of assets', async () => {
      broker.getAsset = () => Promise.reject(new AssetLookupUnsupported('no look-up'))
      assert.equal(codeOf(await prepare({ symbol: 'BTC/USD' })), 'SYMBOL_NOT_ALLOWED')
      assert.equal(codeOf(await prepare({ symbol: 'AAPL' })), 'ready')
    })

    it('what is not a share while the look-up of assets is away: what is spelled like a share is one, and the rest is asked again', async () => {
      broker.getAsset = () => Promise.reject(new BrokerOutcomeUnknown('no answer in time'))
      assert.equal(codeOf(await prepare({ symbol: 'AAPL' })), 'ready')
      await assert.rejects(prepare({ symbol: 'DOGEUSD' }), BrokerOutcomeUnknown)
    })

    it('a look-up of assets that does not answer keeps what is spelled like a share waiting for a moment only', async () => {
      broker.getAsset = () => new Promise(() => {})
      assert.equal(codeOf(await prepare({ symbol: 'AAPL' })), 'ready')
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

  describe('the equity', () => {
    const tenPercent = { quantityType: 'percentEquity', quantity: '10' } as const
    const shows = (equity: Decimal) => (broker.balances = { ...broker.balances, equity })
    const sync = (equity: Decimal) =>
      saveAccountSnapshot(em.fork(), owner, { ...shows(equity), positions: [] })
    /** The doubt began so long ago. */
    const passed = (seconds: number) =>
      em.fork().execute(
        `update accounts set equity_record = jsonb_set(equity_record, '{doubtBeganAt}', to_jsonb(now() - make_interval(secs => ?)))
         where id = ?`,
        [seconds, owner.accountId],
        'run',
      )
    const inTime = (seconds: number) => ({ sendBefore: new Date(Date.now() + seconds * 1_000) })
    const isAskedAgain = (prepared: Promise<PreparedEntry>) =>
      assert.rejects(
        prepared,
        (error) => error instanceof ApplicationFailure && error.nextRetryDelay !== undefined,
      )

    beforeEach(() => void (broker.lastPrice = '100'))

    it('fourfold for a moment: asked again, and sized by the one before', async () => {
      await sync('28000')
      const signal = await accepted({ ...tenPercent, ...inTime(60) })
      shows('109092.32')
      await isAskedAgain(desk.prepare(signal))
      shows('28000')
      const prepared = await desk.prepare(signal)
      assert.ok(prepared.outcome === 'ready')
      assert.equal(prepared.quantity, '28')
      assert.deepEqual(adviceOf(prepared), [])
    })

    it('fourfold for as long as the signal lasts: denied as EQUITY_IMPLAUSIBLE, with both figures', async () => {
      await sync('28000')
      await sync('109092.32')
      const prepared = await prepare({ ...tenPercent, ...inTime(4) })
      assert.ok(prepared.outcome === 'denied')
      assert.equal(prepared.code, 'EQUITY_IMPLAUSIBLE')
      assert.match(prepared.detail, /\$109,092.32 where it showed \$28,000/)
    })

    it('fourfold, and a sync between that shows it too: not believed for that', async () => {
      await sync('28000')
      const signal = await accepted({ ...tenPercent, ...inTime(60) })
      shows('109092.32')
      await isAskedAgain(desk.prepare(signal))
      await passed(20)
      await sync('109092.32')
      await isAskedAgain(desk.prepare(signal))
    })

    it('a half more, and still so some seconds later: believed, with an advisory', async () => {
      await sync('20000')
      const signal = await accepted({ ...tenPercent, ...inTime(60) })
      shows('30000')
      await isAskedAgain(desk.prepare(signal))
      await passed(5)
      const prepared = await desk.prepare(signal)
      assert.ok(prepared.outcome === 'ready')
      assert.equal(prepared.quantity, '30')
      assert.deepEqual(
        adviceOf(prepared).map(({ code }) => code),
        ['equity_moved'],
      )
    })

    it('none for a moment is reported as that, and not as the loss of everything', async () => {
      await sync('1000000')
      await sync('0')
      await isAskedAgain(prepare(inTime(60)))
      const prepared = await prepare(inTime(4))
      assert.ok(prepared.outcome === 'denied')
      assert.equal(prepared.code, 'EQUITY_IMPLAUSIBLE')
      assert.match(prepared.detail, /\$0 where it showed \$1,000,000/)
      await sync('1000000')
      assert.equal(codeOf(await prepare()), 'ready')
    })

    it('a third less in truth: the loss of the day is reported once it is believed', async () => {
      await sync('30000')
      await sync('20000')
      assert.equal(codeOf(await prepare(inTime(4))), 'EQUITY_IMPLAUSIBLE')
      await passed(5)
      await sync('20000')
      assert.equal(codeOf(await prepare()), 'DAILY_LOSS_REACHED')
    })

    it('fourfold at the first sync of a day does not begin the day', async () => {
      await sync('28000')
      await em.fork().execute(`delete from account_day_starts where account_id = ?`, [owner.accountId], 'run')
      await sync('109092.32')
      await sync('28000')
      const [start] = await em
        .fork()
        .execute<{ equity: Decimal }[]>(
          `select trim_scale(equity)::text as equity from account_day_starts where account_id = ?`,
          [owner.accountId],
        )
      assert.equal(start?.equity, '28000')
    })
  })
})
