import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { EntityManager } from '#db/engine/database.ts'
import { Account, Signal } from '#db/entities/index.ts'
import { fillProgress, oldestUnexplained, openFillLedger, recordFills } from '#db/position/fills.ts'
import { presentSignal, readOutcomes } from '#api/signal/present.ts'
import { findResult } from '#db/signal/story.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Execution, Fee } from '#domain/order/fill.ts'
import {
  createAccount,
  createSignal,
  createStrategy,
  orderReport,
  withFill,
} from '#test/support/factories.ts'
import { aFill, second, tradesIn } from '#test/support/fills.ts'
import { useDatabase } from '#test/support/database.ts'

describe('fills in the ledger', () => {
  let em: EntityManager
  let account: { accountId: string; userId: string }
  useDatabase((database) => {
    em = database.em
  })
  const newAccount = async () => {
    const { id, userId } = await createAccount(em, { createdAt: new Date(second(0)) })
    return { accountId: id, userId }
  }
  beforeEach(async () => {
    account = await newAccount()
  })

  const record = (fills: readonly Execution[], fees: readonly Fee[] = [], until: string | null = null) =>
    recordFills(em, account, { fills, fees, until })
  const trades = () => tradesIn(em, account.accountId)
  const realised = async () =>
    Number((await em.fork().findOneOrFail(Account, { id: account.accountId })).realisedPnl)
  /** Columns of the trades of the account. */
  const stored = <Row = Record<string, unknown>>(columns = '*') =>
    em.execute<Row[]>(`select ${columns} from trades where account_id = ? order by entry_at, id`, [
      account.accountId,
    ])
  const bought = (fields: Partial<Execution> = {}) => aFill({ quantity: '10', at: second(1), ...fields })
  const sold = (fields: Partial<Execution> = {}) =>
    aFill({ side: 'SELL', quantity: '10', price: '110', at: second(2), ...fields })

  it('become trades and the realised profit of the account', async () => {
    assert.equal(await record([bought(), sold()]), 2)
    assert.deepEqual(await trades(), ['CLOSED LONG 10 AAPL 100>110 fees 0 pnl 100'])
    assert.equal(await realised(), 100)
  })

  it('listed again change nothing, not even when a trade was last changed', async () => {
    const listed = [bought(), sold({ quantity: '4' })]
    await record(listed)
    const before = await stored()
    assert.equal(await record(listed), 0)
    await record([sold({ symbol: 'MSFT' })])
    assert.deepEqual(
      (await stored()).filter(({ symbol }) => symbol === 'AAPL'),
      before,
    )
  })

  it('recorded by several workers at once are recorded once', async () => {
    const listed = [bought(), sold({ quantity: '4' }), sold({ quantity: '6', at: second(3) })]
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => record(index % 2 === 0 ? listed : listed.slice(0, 2))),
    )
    assert.deepEqual(await trades(), [
      'CLOSED LONG 4 AAPL 100>110 fees 0 pnl 40',
      'CLOSED LONG 6 AAPL 100>110 fees 0 pnl 60',
    ])
  })

  it('a trade keeps its id when it is closed', async () => {
    await record([bought()])
    const open = await stored('id')
    await record([sold()])
    assert.deepEqual(await stored('id'), open)
  })

  it('one that comes late changes the trades as if it had been there in time', async () => {
    const late = bought({ price: '90', quantity: '5', at: second(0) })
    await record([bought(), sold()])
    await record([late])
    // The 5 at 90 were first: 5 * 20 = 100 and 5 * 10 = 50 are realised, 5 at 100 are still there.
    assert.deepEqual(await trades(), [
      'CLOSED LONG 5 AAPL 90>110 fees 0 pnl 100',
      'CLOSED LONG 5 AAPL 100>110 fees 0 pnl 50',
      'OPEN LONG 5 AAPL 100> fees 0 pnl ',
    ])
    assert.equal(await realised(), 150)
  })

  it('one that comes late leaves alone trades that were closed before it', async () => {
    await record([bought(), sold()])
    const [before] = await stored()
    await record([sold({ at: second(6) }), bought({ at: second(5) })])
    const after = await stored()
    assert.deepEqual([after.length, after[0]], [2, before])
  })

  it('fills in the ledger in any order and portions give the same trades', async function () {
    this.timeout(120_000)
    const shares = fc.integer({ min: 1, max: 9 }).map((some): Decimal => `${some}`)
    const raw = fc.record({
      side: fc.constantFrom<Execution['side'][]>('BUY', 'SELL'),
      quantity: shares,
      price: fc.integer({ min: 90, max: 110 }).map((dollars): Decimal => `${dollars}`),
      order: fc.integer({ min: 0, max: 3 }),
      at: fc.integer({ min: 1, max: 5 }),
    })
    const arrivals = fc
      .array(raw, { minLength: 2, maxLength: 8 })
      .map((all) =>
        all.map(({ order, at, ...fields }, index) =>
          aFill({
            ...fields,
            executionId: `x${index}`,
            brokerOrderId: `${fields.side}${order}`,
            at: second(at),
            orderFilled: `${index}`,
          }),
        ),
      )
      .chain((all) =>
        fc.record({
          all: fc.constant(all),
          shuffled: fc.shuffledSubarray(all, { minLength: all.length }),
          portion: fc.integer({ min: 1, max: 3 }),
        }),
      )
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ all, shuffled, portion }) => {
        account = await newAccount()
        await record(all)
        const expected = [await trades(), await realised()]
        account = await newAccount()
        for (let index = 0; index < shuffled.length; index += portion)
          await record(shuffled.slice(Math.max(0, index - 1), index + portion))
        assert.deepEqual([await trades(), await realised()], expected)
      }),
      { numRuns: 30 },
    )
  })

  it('fills in the ledger of an account that is never flat are worked out from their beginning, late ones and late fees too', async () => {
    const all = Array.from({ length: 160 }, (_, index) =>
      aFill({
        executionId: `x${index}`,
        brokerOrderId: `o${Math.floor(index / 3)}`,
        side: index % 3 === 2 ? 'SELL' : 'BUY',
        quantity: index % 3 === 2 ? '3' : '2',
        price: `${100 + (index % 7)}`,
        at: second(index + 1),
        orderFilled: `${index}`,
      }),
    )
    const late = [70, 20]
    const fee = { feeId: 'f', executionId: 'x30', day: '2026-03-02', amount: '0.5', kind: 'trades' } as const
    await record(all, [fee])
    const expected = [await trades(), await realised()]
    const checkpoints = await em.execute<{ at: Date }[]>(
      'select at from fills where account_id = ? and checkpoint is not null',
      [account.accountId],
    )
    assert.ok(checkpoints.length >= 3, `${checkpoints.length} checkpoints`)
    account = await newAccount()
    const inTime = all.filter((_, index) => !late.includes(index))
    for (let index = 0; index < inTime.length; index += 9) await record(inTime.slice(index, index + 9))
    for (const index of late) await record([all[index]!])
    await record([], [fee])
    assert.deepEqual([await trades(), await realised()], expected)
  })

  describe('of our orders', () => {
    let signal: Signal
    const accepted = async (fields: Partial<Signal> = {}) => {
      const strategy = await createStrategy(em, { userId: account.userId })
      signal = await createSignal(em, { accountId: account.accountId, strategyId: strategy.id, ...fields })
      const report = orderReport(signal, { submittedAt: second(0) })
      return { ...(await recordAccepted(em, report)), report }
    }
    const reportTrades = () =>
      stored('signal_id, strategy_id, to_jsonb(entry_order_ids) as entry, to_jsonb(exit_order_ids) as exit')

    it('make trades of their signal and strategy', async () => {
      const { report, orderId } = await accepted()
      await record([bought({ brokerOrderId: report.brokerOrderId }), sold()])
      assert.deepEqual(await reportTrades(), [
        { signal_id: signal.id, strategy_id: signal.strategyId, entry: [orderId], exit: [] },
      ])
    })

    it('find their order when that is recorded after them', async () => {
      const { id: strategyId } = await createStrategy(em, { userId: account.userId })
      signal = await createSignal(em, { accountId: account.accountId, strategyId })
      const report = orderReport(signal)
      await record([bought({ brokerOrderId: report.brokerOrderId })])
      assert.equal((await reportTrades())[0]!['signal_id'], null)
      const { orderId } = await recordAccepted(em, report)
      await record([])
      assert.deepEqual(await reportTrades(), [
        { signal_id: signal.id, strategy_id: strategyId, entry: [orderId], exit: [] },
      ])
    })

    it('find their order when that is recorded long after them, and say the same as a decision reads', async () => {
      signal = await createSignal(em, { accountId: account.accountId })
      const report = withFill(orderReport(signal), '10')
      await record([bought({ brokerOrderId: report.brokerOrderId })])
      await em.execute(`update fills set recorded_at = now() - interval '3 days' where account_id = ?`, [
        account.accountId,
      ])
      await recordAccepted(em, report)
      await record([])
      assert.equal((await reportTrades())[0]!['signal_id'], signal.id)
      const { shares } = await readSymbolState(em, account.accountId, signal.symbol)
      assert.equal(shares.of(signal.id), '10')
    })

    it('make trades of the signal whose shares they are, though another one was first, and though its exit is recorded late', async () => {
      const a = await accepted()
      const older = signal
      const b = await accepted()
      const exit = orderReport(signal, { role: 'exit', quantity: '20' })
      const results = async () => {
        const rows = await em.execute<Record<string, string>[]>(
          `select case signal_id when ? then 'older' else 'younger' end as whose, status,
             trim_scale(quantity)::text as quantity, trim_scale(realised_pnl)::text as pnl
           from trades where account_id = ? order by entry_at, exit_at nulls last`,
          [older.id, account.accountId],
        )
        return rows.map(({ whose, status, quantity, pnl }) => `${whose} ${status} ${quantity} ${pnl}`)
      }
      await record([
        bought({ brokerOrderId: a.report.brokerOrderId, quantity: '5' }),
        bought({ brokerOrderId: b.report.brokerOrderId, quantity: '20', price: '101', at: second(2) }),
        sold({ brokerOrderId: exit.brokerOrderId, quantity: '20', at: second(3) }),
      ])
      // Nobody knows the order of the sale yet: it takes the oldest shares.
      const first = ['older CLOSED 5 50', 'younger CLOSED 15 135', 'younger OPEN 5 null']
      assert.deepEqual(await results(), first)
      await recordAccepted(em, exit)
      await record([])
      assert.deepEqual(await results(), ['older OPEN 5 null', 'younger CLOSED 20 180'])
      assert.equal(await realised(), 180)
      await record([sold({ quantity: '5', at: second(4), price: '90' })])
      assert.equal((await results())[0], 'older CLOSED 5 -50')
      assert.equal(await realised(), 130)
      const closesOf = async (id: string) => {
        const { closedQuantity, realisedPnl, closes } = await findResult(em, account.userId, id)
        const told = closes.map(({ by, reason, quantity, price }) => `${by} ${reason} ${quantity} ${price}`)
        return [closedQuantity, realisedPnl, ...told]
      }
      assert.deepEqual(await closesOf(older.id), ['5', '-50', 'elsewhere CLOSE 5 90'])
      assert.deepEqual(await closesOf(signal.id), ['20', '180', 'exit TIME 20 110'])
      // As lists show it: only once all of its shares are closed, and each signal by its own.
      const listed = async () => {
        const found = await em.fork().find(Signal, { id: [older.id, signal.id] })
        const outcomes = await readOutcomes(em, account.userId, found)
        return new Map(found.map((each) => [each.id, presentSignal(each, outcomes).closed]))
      }
      await em.execute('update signals set filled_quantity = case id when ? then 5 else 21 end', [older.id])
      assert.deepEqual((await listed()).get(older.id), { reason: 'CLOSE', realisedPnl: -50 })
      assert.equal((await listed()).get(signal.id), null)
      await em.execute('update signals set filled_quantity = 20 where id = ?', [signal.id])
      assert.deepEqual((await listed()).get(signal.id), { reason: 'TIME', realisedPnl: 180 })
    })

    for (const [reason, price, orderType, prices] of [
      ['TAKE_PROFIT', '110', 'oco', { limitPrice: '110', stopPrice: '97' }],
      ['STOP_LOSS', '96.8', 'oco', { limitPrice: '110', stopPrice: '97' }],
      ['BREAK_EVEN', '100.01', 'stop', { stopPrice: '100.01' }],
    ] as const)
      it(`name ${reason} as the reason of a close by the order of the exit at ${price}`, async () => {
        const { report } = await accepted()
        const levels = { stop: { percent: '3' }, target: { percent: '10' }, breakEven: { percent: '2' } }
        const plan = JSON.stringify({ ...levels, trail: null, until: 'closed' })
        await em.execute('update signals set protection = ?::jsonb where id = ?', [plan, signal.id])
        await em.execute(
          `insert into protections (signal_id, user_id, account_id, symbol, side, average_price, best_price)
           values (?, ?, ?, 'AAPL', 'LONG', 100, 103)`,
          [signal.id, account.userId, account.accountId],
        )
        const exit = {
          ...orderReport(signal, { role: 'exit', quantity: '10' }),
          clientOrderId: `${signal.id}-p1`,
          orderType,
          ...prices,
        }
        await recordAccepted(em, exit)
        await record([
          bought({ brokerOrderId: report.brokerOrderId }),
          sold({ brokerOrderId: exit.brokerOrderId, price }),
        ])
        const { closes } = await findResult(em, account.userId, signal.id)
        assert.deepEqual(
          closes.map((close) => [close.reason, close.clientOrderId]),
          [[reason, exit.clientOrderId]],
        )
      })

    it('fills in the ledger of our orders are missed when the order has filled more than they add up to', async () => {
      const unexplained = () => oldestUnexplained(em, account, second(0))
      const { report } = await accepted()
      assert.equal(await unexplained(), null)
      await applyOrderReport(em, account.accountId, withFill(report, '10'))
      assert.equal(await unexplained(), new Date(second(0)).toISOString())
      await record([bought({ brokerOrderId: report.brokerOrderId, quantity: '4' })])
      assert.notEqual(await unexplained(), null)
      await record([bought({ brokerOrderId: report.brokerOrderId, quantity: '6', orderFilled: '10' })])
      assert.equal(await unexplained(), null)
      assert.equal(await oldestUnexplained(em, account, new Date(Date.now() + 60_000).toISOString()), null)
    })
  })

  describe('and fees', () => {
    const fee = (fields: Partial<Fee> = {}): Fee => ({
      feeId: 'fee-1',
      executionId: null,
      day: '2026-03-02',
      amount: '0.04',
      kind: 'trades',
      ...fields,
    })

    it('fills in the ledger and fees for an execution lower the profit of its trade', async () => {
      const exit = sold()
      await record([bought(), exit], [fee({ executionId: exit.executionId })])
      assert.deepEqual(await trades(), ['CLOSED LONG 10 AAPL 100>110 fees 0.04 pnl 99.96'])
      assert.equal(await realised(), 99.96)
    })

    it('fills in the ledger and fees that come a day later do so too, divided over the fills of their day', async () => {
      await record([bought(), sold(), bought({ at: second(86_400) })])
      await record([], [fee({ amount: '0.21' })])
      // 1000 and 1100 dollars were traded on that day.
      assert.deepEqual(await trades(), [
        'CLOSED LONG 10 AAPL 100>110 fees 0.21 pnl 99.79',
        'OPEN LONG 10 AAPL 100> fees 0 pnl ',
      ])
      const ofClosing = await stored('trim_scale(exit_fees)::text as fees')
      assert.deepEqual(ofClosing, [{ fees: '0.11' }, { fees: '0' }])
    })

    it('fills in the ledger and fees are divided again when a fill of their day comes late, and not charged twice', async () => {
      await record([bought()], [fee()])
      assert.deepEqual(await trades(), ['OPEN LONG 10 AAPL 100> fees 0.04 pnl '])
      await record([bought({ symbol: 'MSFT' })], [fee()])
      assert.deepEqual(await trades(), [
        'OPEN LONG 10 AAPL 100> fees 0.02 pnl ',
        'OPEN LONG 10 MSFT 100> fees 0.02 pnl ',
      ])
    })

    it('fills in the ledger and fees that come before their execution are charged when it comes, and given back when they are cancelled', async () => {
      const entry = bought()
      await record([], [fee({ executionId: entry.executionId })])
      await record([entry])
      assert.deepEqual(await trades(), ['OPEN LONG 10 AAPL 100> fees 0.04 pnl '])
      await record([], [fee({ executionId: entry.executionId, amount: '0' })])
      assert.deepEqual(await trades(), ['OPEN LONG 10 AAPL 100> fees 0 pnl '])
    })

    it('belong to the day of New York', async () => {
      // 02:00 UTC on the third is the evening of the second.
      await record([bought({ at: '2026-03-03T02:00:00.000000Z' })], [fee()])
      assert.deepEqual(await trades(), ['OPEN LONG 10 AAPL 100> fees 0.04 pnl '])
    })
  })

  describe('of an account that held something before', () => {
    const held = { symbol: 'AAPL', side: 'LONG', quantity: '10', avgCost: '80' } as const

    it('fills in the ledger of an account that held something before are read since the account is followed, then since the last one', async () => {
      const progress = async () => {
        const { since, isOpened } = (await fillProgress(em, account.accountId))!
        return [Date.parse(since), isOpened]
      }
      assert.deepEqual(await progress(), [Date.parse(second(0)), false])
      await record([bought()], [], second(1))
      await openFillLedger(em, account, [held])
      assert.deepEqual(await progress(), [Date.parse(second(1)), true])
      for (const until of [second(9), second(8)]) await record([], [], until)
      assert.deepEqual(await progress(), [Date.parse(second(9)), true])
    })

    it('close its oldest shares first, at their cost', async () => {
      await record([sold({ quantity: '4' })])
      await openFillLedger(em, account, [{ ...held, quantity: '6' }])
      // Without what was held before, the sale would be a short one.
      assert.deepEqual(await trades(), [
        'CLOSED LONG 4 AAPL 80>110 fees 0 pnl 120',
        'OPEN LONG 6 AAPL 80> fees 0 pnl ',
      ])
    })

    it('open no trade for explained shares, nor a second time', async () => {
      await record([bought()])
      await openFillLedger(em, account, [held])
      await openFillLedger(em, account, [{ ...held, quantity: '99' }])
      assert.deepEqual(await trades(), ['OPEN LONG 10 AAPL 100> fees 0 pnl '])
    })

    it('know of a short position too', async () => {
      await openFillLedger(em, account, [{ ...held, side: 'SHORT' }])
      await record([bought()])
      assert.deepEqual(await trades(), ['CLOSED SHORT 10 AAPL 80>100 fees 0 pnl -200'])
    })
  })

  it('fills in the ledger of one account have nothing to do with those of another', async () => {
    await record([bought()])
    const mine = account.accountId
    account = await newAccount()
    await record([sold()])
    assert.deepEqual(await trades(), ['OPEN SHORT 10 AAPL 110> fees 0 pnl '])
    assert.deepEqual(await tradesIn(em, mine), ['OPEN LONG 10 AAPL 100> fees 0 pnl '])
  })

  it('fills in the ledger and their trades are stored together or not at all', async () => {
    await em.execute(`alter table trades add constraint no_sale check (symbol <> 'NOPE')`)
    await assert.rejects(record([bought({ symbol: 'NOPE' }), bought()], [], second(3)))
    await em.execute('alter table trades drop constraint no_sale')
    assert.deepEqual(await em.execute('select from fills where account_id = ?', [account.accountId]), [])
    assert.equal((await fillProgress(em, account.accountId))?.isOpened, false)
  })
})
