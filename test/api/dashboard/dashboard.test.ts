import { standardAnswer } from '#contract/envelopes.ts'
import assert from 'node:assert/strict'
import {
  accountPerformanceAnswer,
  balanceHistoryAnswer,
  dashboardSummaryAnswer,
  equityTodayAnswer,
} from '#contract/account/dashboard.ts'
import { tradeStatisticsAnswer } from '#contract/position/statistics.ts'
import { RECORD_EQUITY_POINT } from '#db/account/equity-points.ts'
import { exchangeDaySql, exchangeMidnightSql } from '#db/engine/day-starts.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { recordBalanceSnapshot } from '#db/account/balance-snapshots.ts'
import type { Account } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { addDays, addMonths, instantToLocal, localToInstant } from '#domain/time/wall-time.ts'
import { createAccount, createSignal, createTrade, orderReport, withFill } from '../../support/factories.ts'
import { held } from '../../support/sample-position.ts'
import type { TestUser } from '../support/api-server.ts'
import { useApi } from '../support/use-api.ts'
import { UNRESTRICTED } from '#test/support/permissions.ts'
import { pluck, rowsOf } from '#test/support/pluck.ts'

/** Of an account with 100 dollars, without its positions. */
const BALANCES = {
  type: 'MARGIN',
  currency: 'USD',
  equity: '100',
  cashBalance: '100',
  buyingPower: '100',
  dayTradingBuyingPower: null,
  marketValue: '0',
  permissions: UNRESTRICTED,
} as const

describe('the dashboard', () => {
  const api = useApi()
  let user: TestUser
  beforeEach(async () => {
    user = await api.addUser()
    await api.database.em.execute('delete from accounts where user_id = ?', [user.userId])
  })

  const get = async (path: string, token = user.token) => {
    const { status, body } = await api.call('GET', `/api/v1/dashboard/${path}`, { token })
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const shows = (accountId: string, positions: ReturnType<typeof held>[]) =>
    saveAccountSnapshot(
      api.database.em.fork(),
      { accountId, userId: user.userId },
      { ...BALANCES, positions },
    )
  const addAccount = (fields: Partial<Account> = {}) =>
    createAccount(api.database.em, { userId: user.userId, ...fields })
  const mode = (tradingMode: 'PAPER' | 'LIVE') =>
    api.database.em.execute('update users set trading_mode = ? where id = ?', [tradingMode, user.userId])
  const today = () => instantToLocal(new Date().toISOString(), NYSE_ZONE).date
  const noon = (date: string) => new Date(localToInstant(`${date}T12:00`, NYSE_ZONE))
  const dayEnded = (accountId: string, date: string, equity: Decimal, cashBalance = equity) =>
    recordBalanceSnapshot(api.database.em, { accountId, date, equity, cashBalance })

  it('the dashboard adds up the trades of a period, of days, and of an account of the caller', async () => {
    const { id: accountId } = await addAccount()
    await createTrade(api.database.em, { accountId, realisedPnl: '-4', exitAt: noon(addDays(today(), -40)) })
    await createTrade(api.database.em, { accountId, realisedPnl: '10', exitAt: noon(addDays(today(), -2)) })
    await createTrade(api.database.em, { accountId, realisedPnl: '-3', exitAt: noon(addDays(today(), -1)) })
    const of = async (query: string) =>
      standardAnswer(tradeStatisticsAnswer).parse(await get(`trade-statistics?${query}`)).data
    const all = await of('')
    assert.deepEqual([all.all.trades, all.all.realisedPnl, all.maxDrawdown], [3, 3, 4])
    assert.deepEqual(rowsOf(all.curve, 'total', 'drawdown'), [
      [-4, 4],
      [6, 0],
      [3, 3],
    ])
    assert.equal((await of('period=1M')).all.trades, 2)
    const day = addDays(today(), -1)
    assert.deepEqual((await of(`from=${day}&to=${day}&accountId=${accountId}`)).days, [
      { date: day, trades: 1, wins: 0, realisedPnl: -3 },
    ])
    const bad = await api.call('GET', `/api/v1/dashboard/trade-statistics?period=1M&from=${day}`, user)
    assert.equal(bad.status, 400)
  })

  it('the dashboard lists the equity of the day, one reading in five minutes, and adds accounts up', async () => {
    const first = await addAccount({ equity: '100' })
    const { id: second } = await addAccount({ equity: '50' })
    const { em } = api.database
    const keep = (accountId: string) => em.execute(RECORD_EQUITY_POINT, [accountId, accountId], 'run')
    await keep(first.id)
    await keep(second)
    await em.execute(`update accounts set equity = 999 where id = ?`, [second])
    await keep(second)
    const day = exchangeMidnightSql(exchangeDaySql('now()'))
    await em.execute(
      `insert into account_day_starts (account_id, day, equity) select id, ${exchangeDaySql('now()')}, 40 from accounts
       where id in (?, ?)`,
      [first.id, second],
    )
    // One from before, one of the night before yesterday, and one that is old.
    await em.execute(
      `insert into equity_points (account_id, at, equity)
       values (?, ${day}, 70), (?, ${day} - interval '1 minute', 1), (?, now() - interval '9 days', 1)`,
      [first.id, first.id, first.id],
    )
    const of = async (query: string) =>
      standardAnswer(equityTodayAnswer).parse(await get(`equity-today?${query}`)).data
    const all = await of('')
    assert.equal(all.dayStartEquity, 80)
    assert.deepEqual(pluck(all.points, 'equity'), [110, 150])
    assert.deepEqual(pluck((await of(`accountId=${second}`)).points, 'equity'), [50])
  })

  describe('summary', () => {
    const summary = async () => standardAnswer(dashboardSummaryAnswer).parse(await get('summary')).data
    const ZEROS =
      'equity cashBalance buyingPower marketValue unrealisedPnl realisedPnl realisedToday wholeToday openToday ' +
      'accounts openPositions openOrders pendingSignals scheduledSignals executedToday refusedToday'
    const UNKNOWN = { dayPnl: null, dayPnlPercent: null, asOf: null }
    const EMPTY = {
      ...Object.fromEntries(ZEROS.split(' ').map((name) => [name, 0])),
      ...UNKNOWN,
      mode: 'PAPER',
    }

    it('adds up the active accounts of the trading mode, and no others', async () => {
      const money = {
        equity: '1000.5',
        cashBalance: '400.25',
        buyingPower: '800',
        marketValue: '600.25',
      } as const
      const amounts = { ...money, unrealisedPnl: '-10.1', realisedPnl: '3.2' } as const
      const asOf = new Date('2026-03-02T15:00:00Z')
      await addAccount({ ...amounts, lastSyncedAt: new Date('2026-03-02T15:00:09Z') })
      await addAccount({ ...amounts, lastSyncedAt: asOf })
      await addAccount({ ...amounts, isActive: false, lastSyncedAt: new Date(0) })
      await addAccount({ ...amounts, equity: '7', isDemo: false })
      await createAccount(api.database.em, amounts)
      assert.deepEqual(await summary(), {
        ...EMPTY,
        equity: 2001,
        cashBalance: 800.5,
        buyingPower: 1600,
        marketValue: 1200.5,
        unrealisedPnl: -20.2,
        realisedPnl: 6.4,
        accounts: 2,
        asOf: asOf.toISOString(),
      })
      await mode('LIVE')
      const { equity, accounts, mode: inMode, asOf: never } = await summary()
      assert.deepEqual([equity, accounts, inMode, never], [7, 1, 'LIVE', null])
    })

    it('shows the gain of the day, of the accounts that have a snapshot from its start', async () => {
      const { em } = api.database
      const dayStart = (accountId: string, equity: Decimal, day = today()) =>
        em.execute('insert into account_day_starts (account_id, day, equity) values (?, ?, ?)', [
          accountId,
          day,
          equity,
        ])
      const [one, two] = [await addAccount({ equity: '1100' }), await addAccount({ equity: '390' })]
      await addAccount({ equity: '5000' })
      await dayStart(one.id, '1', addDays(today(), -1))
      assert.equal((await summary()).dayPnl, null)
      await dayStart(one.id, '1000')
      await dayStart(two.id, '400')
      // 1,100 - 1,000 and 390 - 400; of 1,400 that is 6.428571... %.
      const { dayPnl, dayPnlPercent } = await summary()
      assert.deepEqual([dayPnl, dayPnlPercent], [90, 6.4286])
      await em.execute('update account_day_starts set equity = 0 where account_id in (?, ?)', [
        one.id,
        two.id,
      ])
      const fromNothing = await summary()
      assert.deepEqual([fromNothing.dayPnl, fromNothing.dayPnlPercent], [1490, null])
    })

    it('shows what trades that were closed today have brought, and what is held has gained', async () => {
      const { em } = api.database
      const [mine, live] = [await addAccount(), await addAccount({ isDemo: false })]
      const yesterday = new Date(Date.now() - 86_400_000)
      await createTrade(em, { accountId: mine.id, realisedPnl: '12.5', exitAt: new Date() })
      await createTrade(em, { accountId: mine.id, realisedPnl: '40', exitAt: yesterday })
      await createTrade(em, { accountId: live.id, realisedPnl: '7', exitAt: new Date() })
      // Opened on the day of its close, at any hour of it.
      await em.execute('update trades set entry_at = exit_at where exit_at is not null', [], 'run')
      // The close was at 98; 10 shares were opened at 100 today, and are worth 103 now.
      const positions = [held('10', 'LONG', { currentPrice: '103', dayChange: '5' })]
      for (const { id } of [mine, live]) await shows(id, positions)
      assert.deepEqual([(await summary()).realisedToday, (await summary()).openToday], [12.5, 50])
      await createTrade(em, {
        accountId: mine.id,
        status: 'OPEN',
        realisedPnl: null,
        exitAt: new Date(Date.now() + 3_600_000),
      })
      assert.equal((await summary()).openToday, 30)
    })

    it('shows what shares that were held over night have brought since the last close, and for how many trades that is not known', async () => {
      const { em } = api.database
      const { id: accountId } = await addAccount()
      const held10 = [held('10', 'LONG', { currentPrice: '103', dayChange: '5' })]
      for (const positions of [held10, []]) await shows(accountId, positions)
      /** Bought two days ago, and sold at 101 today. */
      const sold = async (fields: { symbol?: string; orderIds?: string[] } = {}) => {
        const { symbol = 'AAPL', orderIds = [] } = fields
        const id = await createTrade(em, { accountId, symbol, realisedPnl: '12.5', exitAt: new Date() })
        await em.execute(
          `update trades set entry_at = entry_at - interval '2 days', exit_fees = 0.05,
             exit_order_ids = array(select jsonb_array_elements_text(?::jsonb)::uuid) where id = ?`,
          [JSON.stringify(orderIds), id],
          'run',
        )
      }
      const told = async () => {
        const { realisedToday, wholeToday } = await summary()
        return [realisedToday, wholeToday]
      }
      await sold()
      // 10 * (101 - 98) less 5 cents.
      assert.deepEqual(await told(), [29.95, 0])
      await sold({ symbol: 'KO' })
      assert.deepEqual(await told(), [42.45, 1])
      const signal = await createSignal(em, { accountId })
      await recordAccepted(em, withFill(orderReport(signal, { role: 'exit' }), '10'))
      const [fill] = await em.execute<{ order_id: string }[]>(
        `insert into fills (account_id, execution_id, user_id, order_id, symbol, side, quantity, price, at, order_filled)
         select account_id, 'of-yesterday', user_id, id, symbol, 'SELL', 4, 101, now() - interval '1 day', 4
         from orders where signal_id = ? returning order_id`,
        [signal.id],
      )
      await sold({ orderIds: [fill!.order_id] })
      assert.deepEqual(await told(), [54.95, 2])
    })

    it('counts open and waiting records', async () => {
      const { em } = api.database
      const account = await addAccount()
      const live = await addAccount({ isDemo: false })
      for (const { id } of [account, live]) {
        for (const status of ['pending', 'pending', 'scheduled', 'executed', 'rejected'] as const)
          await createSignal(em, { accountId: id, status })
        await createSignal(em, { accountId: id, status: 'rejected', statusReason: 'DECLINED' })
        const working = await createSignal(em, { accountId: id })
        await recordAccepted(em, orderReport(working))
        const done = await createSignal(em, { accountId: id })
        await recordAccepted(em, withFill(orderReport(done), '10'))
        const positions = [held('10', 'LONG'), held('1', 'SHORT', { symbol: 'MSFT' })]
        await shows(id, positions)
      }
      const { openPositions, openOrders, pendingSignals, scheduledSignals, dayPnl, ...rest } = await summary()
      assert.deepEqual([openPositions, openOrders, pendingSignals, scheduledSignals], [2, 1, 2, 1])
      assert.deepEqual([rest.executedToday, rest.refusedToday], [3, 1])
      // The sync noted with what the day begins.
      assert.equal(dayPnl, 0)
    })
  })

  describe('balance history', () => {
    const history = async (query = '') =>
      standardAnswer(balanceHistoryAnswer).parse(await get(`balance-history${query}`)).data
    const points = async (query = '') =>
      (await history(query)).points.map(({ date, equity, cashBalance, carriedForward }) =>
        [date, equity, cashBalance, carriedForward].join(' '),
      )

    it('balance history of one account is the balances with which its days ended, oldest first', async () => {
      const { id } = await addAccount({ isDemo: false })
      await dayEnded(id, '2026-03-04', '990.5', '10.25')
      await dayEnded(id, '2026-03-02', '1000', '500')
      await dayEnded(id, '2026-03-03', '1010', '500')
      assert.deepEqual(await points(`?accountId=${id}`), [
        '2026-03-02 1000 500 0',
        '2026-03-03 1010 500 0',
        '2026-03-04 990.5 10.25 0',
      ])
      assert.deepEqual(await points(`?accountId=${id}&from=2026-03-03&to=2026-03-03`), [
        '2026-03-03 1010 500 0',
      ])
      assert.deepEqual(await points(`?accountId=${id}&from=2026-03-05`), [])
      // The mode is PAPER and the account a live one.
      assert.deepEqual(await points(), [])
    })

    it('balance history is the sum over the accounts of the mode, each from its first day on, with the last known balances of a day that is not known, which is said, and without one that is not active any more', async () => {
      assert.deepEqual(await history(), { accountId: null, mode: 'PAPER', points: [] })
      const [one, two] = [await addAccount(), await addAccount()]
      const [live, closed] = [await addAccount({ isDemo: false }), await addAccount({ isActive: false })]
      for (const [date, first, second] of [
        ['2026-03-01', '900', null],
        ['2026-03-02', '1000', '50'],
        ['2026-03-03', '1100', null],
        ['2026-03-04', '1200', '60'],
      ] as const) {
        await dayEnded(one.id, date, first)
        if (second !== null) await dayEnded(two.id, date, second, '10')
      }
      await dayEnded(live.id, '2026-03-03', '7')
      await dayEnded(closed.id, '2026-03-02', '5')
      assert.deepEqual(await points(), [
        '2026-03-01 900 900 0',
        '2026-03-02 1055 1015 0',
        '2026-03-03 1150 1110 1',
        '2026-03-04 1260 1210 0',
      ])
      assert.deepEqual(await points('?from=2026-03-03&to=2026-03-03'), ['2026-03-03 1150 1110 1'])
    })
  })

  describe('account performance', () => {
    const performance = async (query = '') =>
      standardAnswer(accountPerformanceAnswer).parse(await get(`account-performance${query}`)).data
    it('account performance is worked out from the days and trades of the period', async () => {
      const { id } = await addAccount()
      const base = addMonths(today(), -1)
      // Nobody recorded the day of the base: the last one before it counts.
      await dayEnded(id, addDays(base, -9), '50000')
      await dayEnded(id, addDays(base, -2), '10000')
      await dayEnded(id, addDays(base, 3), '10100')
      await dayEnded(id, addDays(base, 4), '9999')
      await dayEnded(id, addDays(base, 5), '10298.97')
      const closed = (realisedPnl: Decimal, exitAt: Date, fields = {}) =>
        createTrade(api.database.em, { accountId: id, realisedPnl, exitAt, ...fields })
      // Closed on the day of the base: that is before the period.
      await closed('1000', noon(base))
      const best = await closed('300', noon(addDays(base, 1)), { symbol: 'MSFT' })
      await closed('-1', noon(addDays(base, 2)))
      const worst = await closed('-119', noon(addDays(base, 4)), { side: 'SHORT' })
      await createTrade(api.database.em, { accountId: id, status: 'OPEN', realisedPnl: null })
      const data = await performance('?period=1M')
      assert.deepEqual([data.period, data.from, data.to], ['1M', base, today()])
      const { accounts } = data
      assert.deepEqual(rowsOf(accounts, 'firstDay', 'lastDay', 'returnPercent', 'realisedPnl', 'trades'), [
        // 10,298.97 / 10,000 - 1, and 300 - 1 - 119
        [addDays(base, -2), addDays(base, 5), 2.9897, 180, 3],
      ])
      const { bestTrade, worstTrade, maxDrawdownPercent, sharpe, winRate, profitFactor } = accounts[0]!
      assert.deepEqual([maxDrawdownPercent, sharpe, winRate, profitFactor], [1, 7.9373, 33.3333, 2.5])
      assert.deepEqual([bestTrade?.tradeId, worstTrade?.tradeId], [best, worst])
      const [whole] = (await performance('?period=ALL')).accounts
      assert.deepEqual([whole?.firstDay, whole?.trades], [addDays(base, -9), 4])
    })

    it('counts a trade to the day of the exchange on which it was closed', async () => {
      const { id } = await addAccount()
      const base = addDays(today(), -7)
      const at = (local: string) => new Date(localToInstant(local, NYSE_ZONE))
      await createTrade(api.database.em, { accountId: id, exitAt: at(`${base}T23:59:59.999`) })
      assert.equal((await performance('?period=1W')).accounts[0]?.trades, 0)
      await createTrade(api.database.em, { accountId: id, exitAt: at(`${addDays(base, 1)}T00:00`) })
      assert.equal((await performance('?period=1W')).accounts[0]?.trades, 1)
    })

    it('account performance is each account’s own, of the trading mode alone', async () => {
      const [one, two] = [await addAccount({ name: 'a', isPrimary: true }), await addAccount({ name: 'b' })]
      await addAccount({ isActive: false })
      const live = await addAccount({ isDemo: false })
      await createTrade(api.database.em, { accountId: two.id, realisedPnl: '5' })
      await createTrade(api.database.em, { accountId: live.id, realisedPnl: '9' })
      const pnl = async () => rowsOf((await performance()).accounts, 'accountId', 'realisedPnl')
      assert.deepEqual(await pnl(), [
        [one.id, 0],
        [two.id, 5],
      ])
      await mode('LIVE')
      assert.deepEqual(await pnl(), [[live.id, 9]])
    })
  })
})
