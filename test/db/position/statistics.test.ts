import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { readSenderExecution, readTradeStatistics, type TradeGroup } from '#db/position/statistics.ts'
import { MAX_POINTS } from '#domain/account/performance-period.ts'
import { add, compare, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { ExitOrderType } from '#domain/exit/exit.ts'
import { HOLD_STEPS_SECONDS } from '#domain/position/hold-lengths.ts'
import { createAccount, createSignal, createStrategy, createTrade } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import { placedByHand } from '#test/support/placed-by-hand.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'

interface Closed {
  symbol: string
  strategy: string | null
  entryAt: Date
  exitAt: Date
  pnl: Decimal
  fees: Decimal
}

const inNewYork = (part: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', ...part })
const DAY = inNewYork({ dateStyle: 'short' })
const HOUR = inNewYork({ hour: '2-digit', hourCycle: 'h23' })
const WEEKDAY = inNewYork({ weekday: 'short' })
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const dayOf = (at: Date): string => DAY.format(at).split('/').toReversed().join('-')

const KEYS: Record<string, (trade: Closed) => string | null> = {
  strategy: ({ strategy }) => strategy,
  symbol: ({ symbol }) => symbol,
  hour: ({ entryAt }) => `${Number(HOUR.format(entryAt))}`,
  weekday: ({ entryAt }) => `${WEEKDAYS.indexOf(WEEKDAY.format(entryAt)) + 1}`,
  length: ({ entryAt, exitAt }) =>
    `${HOLD_STEPS_SECONDS.filter((step) => (exitAt.getTime() - entryAt.getTime()) / 1_000 >= step).length}`,
  exit: () => 'elsewhere',
  day: ({ exitAt }) => dayOf(exitAt),
}

const ZERO: Decimal = '0'
const same = (a: Decimal | null, b: Decimal | null): boolean =>
  a === null || b === null ? a === b : compare(a, b) === 0

/** The figures of a group, worked out trade by trade. */
function checkGroup(found: TradeGroup, trades: readonly Closed[]): void {
  const of = (sign: 1 | 0 | -1) => trades.filter(({ pnl }) => compare(pnl, ZERO) === sign)
  const sum = (some: readonly Closed[], field: 'pnl' | 'fees') =>
    some.reduce((total, trade) => add(total, trade[field]), ZERO)
  const inOrder = trades.map(({ pnl }) => pnl).toSorted(compare)
  assert.deepEqual([found.trades, found.wins, found.losses], [trades.length, of(1).length, of(-1).length])
  assert.ok(same(found.realisedPnl, sum(trades, 'pnl')))
  assert.ok(same(found.won, sum(of(1), 'pnl')))
  assert.ok(same(found.lost, subtract(ZERO, sum(of(-1), 'pnl'))))
  assert.ok(same(found.fees, sum(trades, 'fees')))
  assert.ok(same(found.worst, inOrder[0] ?? null))
  assert.ok(same(found.best, inOrder.at(-1) ?? null))
  const held = trades.map(({ entryAt, exitAt }) => (exitAt.getTime() - entryAt.getTime()) / 1_000)
  if (held.length === 0) assert.equal(found.averageHold, null)
  else {
    const average = held.reduce((a, b) => a + b, 0) / held.length
    assert.ok(Math.abs(found.averageHold! - average) < 0.001)
  }
}

describe('statistics of trades', function () {
  this.timeout(60_000)
  let database: Database
  let em: EntityManager
  useDatabase((opened) => {
    database = opened
    em = database.em.fork()
  })

  const random = (below: number) => Math.floor(Math.random() * below)
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!

  /** Stores many trades, in their own time; nobody is told of them. */
  async function store(owner: { id: string; userId: string }, trades: readonly Closed[]): Promise<void> {
    const inTheirOwnTime = em.fork()
    const run = (sql: string, parameters: unknown[] = []) => inTheirOwnTime.execute(sql, parameters, 'run')
    await inTheirOwnTime.begin()
    await run('set local statement_timeout = 0')
    await run('alter table trades disable trigger user')
    await run(
      `insert into trades (id, user_id, account_id, symbol, side, status, quantity, entry_price, exit_price, entry_at,
         exit_at, realised_pnl, realised_pnl_percent, fees, strategy_id, entry_order_ids, exit_order_ids)
       select gen_random_uuid(), ?, ?, t.symbol, 'LONG', 'CLOSED', 1, 100, 100, t."entryAt", t."exitAt", t.pnl, t.pnl,
         t.fees, t.strategy, '{}', '{}'
       from json_to_recordset(?::json) t (symbol text, strategy uuid, "entryAt" timestamptz, "exitAt" timestamptz,
         pnl numeric, fees numeric)`,
      [owner.userId, owner.id, JSON.stringify(trades)],
    )
    await run('alter table trades enable trigger user')
    await inTheirOwnTime.commit()
  }

  async function invented(count: number) {
    const account = await createAccount(em)
    const known: (string | null)[] = [null]
    for (let more = 0; more < 3; more++) known.push((await createStrategy(em, { userId: account.userId })).id)
    // Both changes of the clock lie within.
    const first = Date.parse('2026-02-20T14:00Z')
    const trades = Array.from({ length: count }, (_, at): Closed => {
      const exitAt = new Date(first + Math.floor((at * 270 * 86_400_000) / count) + at)
      return {
        symbol: pick(['AAPL', 'NVDA', 'TSLA', 'KO']),
        strategy: pick(known),
        entryAt: new Date(exitAt.getTime() - pick([1, 299, 300, 3_000, 90_000, 600_000]) * 1_000),
        exitAt,
        pnl: pick(['0', `${random(2_000_000) / 10_000 - 100}`]) as Decimal,
        fees: `${random(100) / 1_000}`,
      }
    })
    await store(account, trades)
    return { account, trades }
  }

  const owner = ({ id, userId }: { id: string; userId: string }) => ({ accountId: id, userId })

  const read = (account: { id: string; userId: string }, filter: object = {}) =>
    readTradeStatistics(em, account.userId, {
      accounts: { accountId: account.id },
      from: null,
      to: null,
      ...filter,
    })

  for (const count of [0, 1, 2, 200, 700])
    it(`statistics of trades are those of an addition by hand, with ${count} trades`, async () => {
      const { account, trades } = await invented(count)
      const found = await read(account)
      checkGroup(found.all, trades)
      for (const [kind, groups] of Object.entries(found.groups)) {
        const byKey = Map.groupBy(trades, KEYS[kind]!)
        assert.deepEqual(new Set(groups.map(({ key }) => key)), new Set(byKey.keys()), kind)
        for (const group of groups) checkGroup(group, byKey.get(group.key)!)
      }
      let [total, high, deepest]: [Decimal, Decimal, Decimal] = [ZERO, ZERO, ZERO]
      const expected = trades.map(({ pnl, exitAt }, at) => {
        total = add(total, pnl)
        if (compare(total, high) > 0) high = total
        const fall = subtract(high, total)
        if (compare(fall, deepest) > 0) deepest = fall
        return { trade: at + 1, at: exitAt.getTime(), total, fall }
      })
      assert.ok(same(found.maxDrawdown, deepest))
      assert.ok(found.curve.length <= MAX_POINTS)
      if (count <= 200) assert.equal(found.curve.length > 0, count > 0)
      for (const point of found.curve) {
        const same_ = expected[point.trade - 1]!
        assert.equal(Date.parse(point.at), same_.at)
        assert.ok(same(point.total, same_.total) && same(point.fall, same_.fall))
      }
      if (count > 0) {
        assert.equal(found.curve.at(-1)!.trade, count)
        assert.ok(found.curve.some(({ fall }) => same(fall, deepest)))
        const highest = expected
          .map((point) => point.total)
          .toSorted(compare)
          .at(-1)!
        assert.ok(found.curve.some((point) => same(point.total, highest)))
      }
    })

  it('statistics of trades are those of the filter: days of the exchange, symbol, strategy, owner', async () => {
    const { account, trades } = await invented(300)
    const [from, to] = ['2026-03-07', '2026-06-01']
    const days = ({ exitAt }: Closed) => dayOf(exitAt) >= from && dayOf(exitAt) <= to
    checkGroup((await read(account, { from, to })).all, trades.filter(days))
    const { strategy } = trades.find((trade) => trade.strategy !== null)!
    checkGroup(
      (await read(account, { from, to, symbol: 'KO', strategyId: strategy! })).all,
      trades.filter((trade) => days(trade) && trade.symbol === 'KO' && trade.strategy === strategy),
    )
    const { account: other } = await invented(5)
    assert.equal((await read({ id: account.id, userId: other.userId })).all.trades, 0)
    const all = { from: null, to: null }
    const paper = await readTradeStatistics(em, account.userId, { accounts: { mode: 'PAPER' }, ...all })
    assert.equal(paper.all.trades, 300)
    const live = await readTradeStatistics(em, account.userId, { accounts: { mode: 'LIVE' }, ...all })
    assert.deepEqual([live.all.trades, live.curve, live.groups.day], [0, [], []])
  })

  it('statistics of trades show how they ended and what that has cost, and for how many the slippage is not known', async () => {
    const account = await createAccount(em)
    const signal = (fields: object) => createSignal(em, { ...owner(account), ...fields })
    const exitOf = async (orderType: ExitOrderType) =>
      (await signal({ exitRule: { ...exitAtOnce, orderType } })).id
    const sized = async (price: object, sizedAt = '2026-03-02T15:00:00Z') => {
      const id = await exitOf('market')
      const kept = JSON.stringify({ 'exit-2': { quantity: '10', sizedAt, ...price } })
      await em.execute('update signals set decisions = ? where id = ?', [kept, id], 'run')
      return id
    }
    const order = async (signalId: string, role: string, type = 'market', stop?: number, limit?: number) => {
      const id = randomUUID()
      await em.execute(
        `insert into orders (id, user_id, account_id, signal_id, broker_order_id, client_order_id, role, symbol, side,
           quantity, order_type, stop_price, limit_price, time_in_force, extended_hours, status, filled_quantity,
           submitted_at, acknowledged_at)
         values (?, ?, ?, ?, 'b' || gen_random_uuid(), ?, ?, 'AAPL', 'SELL', 10, ?, ?, ?, 'day', false, 'FILLED', 10,
           '2026-03-02T15:00:00Z', '2026-03-02T15:00:01Z')`,
        [id, account.userId, account.id, signalId, `${id}-x2`, role, type, stop ?? null, limit ?? null],
        'run',
      )
      return id
    }
    /** Ten shares, closed at a price by an order for a fee of 2 cents. */
    const closed = async (signalId: string | null, exit: string | null, price: number, side = 'LONG') => {
      const id = await createTrade(em, { accountId: account.id, signalId, side: side as 'LONG' | 'SHORT' })
      await em.execute(
        `update trades set exit_price = ?, fees = 0.03, exit_fees = 0.02, exit_order_ids = array_remove(array[?::uuid], null)
         where id = ?`,
        [price, exit, id],
        'run',
      )
    }
    const atMarket = await sized({ price: '101' })
    const unnoted = await sized({})
    const late = await sized({ price: '101' }, '2026-03-02T14:59:00Z')
    const [stop, stopLimit, limit] = [await exitOf('stop'), await exitOf('stopLimit'), await exitOf('limit')]
    await closed(atMarket, await order(atMarket, 'exit'), 100.9)
    await closed(unnoted, await order(unnoted, 'exit'), 100)
    await closed(late, await order(late, 'exit'), 100)
    await closed(stop, await order(stop, 'exit', 'stop', 95), 94.8)
    await closed(stop, await order(stop, 'exit', 'stop', 105), 105.5, 'SHORT')
    const changed = await order(stop, 'exit', 'stop', 95)
    await em.execute(
      `insert into order_broker_ids (account_id, broker_order_id, user_id, order_id) values (?, ?, ?, ?)`,
      [account.id, `later ${changed}`, account.userId, changed],
      'run',
    )
    await closed(stop, changed, 90)
    await closed(stopLimit, await order(stopLimit, 'exit', 'stopLimit', 95, 94), 95.1)
    await closed(limit, await order(limit, 'exit', 'limit', undefined, 110), 110)
    const { signalId: byHand } = await placedByHand(em, account)
    await closed(limit, await order(byHand, 'manual'), 100)
    await closed(null, await order(byHand, 'manual', 'stop', 90), 90)
    await closed(limit, await order((await signal({ action: 'closeLong' })).id, 'entry'), 100)
    await closed(limit, await order(stop, 'exit', 'stop', 95), 95)
    await closed(limit, null, 100)
    const { groups } = await read(account)
    assert.deepEqual(
      groups.exit.map(({ key, trades, exitFees, slippage, compared }) =>
        [key, trades, Number(exitFees), slippage && Number(slippage), compared].join(' '),
      ),
      [
        'elsewhere 1 0.02  0',
        'limit 1 0.02  0',
        'person 2 0.04 0 1',
        'signal 2 0.04 0 1',
        'stop 3 0.06 7 2',
        'stopLimit 1 0.02 -1 1',
        'time 3 0.06 1 1',
      ],
    )
  })

  it('statistics of trades show how fast and how well the market orders of a sender were filled', async () => {
    const account = await createAccount(em)
    const at = (seconds: number) => new Date(Date.parse('2026-03-02T15:00:00Z') + seconds * 1_000)
    for (const [seconds, fill] of [
      [2, '101'],
      [4, '99.5'],
      [30, '100'],
    ] as const) {
      const signal = await createSignal(em, {
        userId: account.userId,
        accountId: account.id,
        sentBy: 'TradingView',
        acceptedAt: at(0),
        decidedAt: at(100),
        heldPrice: seconds === 30 ? null : '100',
        avgFillPrice: fill,
        orderId: randomUUID(),
      })
      await em.execute(
        `insert into orders (id, user_id, account_id, signal_id, role, symbol, side, quantity, order_type, time_in_force,
           client_order_id, broker_order_id, extended_hours, status, filled_quantity, filled_at, submitted_at, created_at, updated_at)
         values (?, ?, ?, ?, 'entry', 'AAPL', 'BUY', 10, 'market', 'day', ?, 'b' || gen_random_uuid(), false, 'FILLED', 10, ?, ?, now(), now())`,
        [signal.orderId, account.userId, account.id, signal.id, randomUUID(), at(100 + seconds), at(100)],
        'run',
      )
    }
    const [found, ...others] = await readSenderExecution(em, account.userId, {
      accounts: { accountId: account.id },
      from: null,
      to: null,
    })
    assert.deepEqual(others, [])
    assert.deepEqual(
      [found!.sentBy, found!.signals, found!.compared, found!.medianSeconds],
      ['TradingView', 3, 2, 4],
    )
    assert.ok(Math.abs(found!.slippagePercent! - 0.25) < 1e-9)
    assert.ok(Math.abs(found!.slowSeconds - 27.4) < 1e-6)
  })
})
