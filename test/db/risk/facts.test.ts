import assert from 'node:assert/strict'
import { saveAccountSnapshot, type AccountSnapshot } from '#db/account/sync.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { rolledBack } from '#db/engine/batched-transaction.ts'
import { checkThrottle } from '#db/order/throttle.ts'
import { readEntryFacts } from '#db/order/entry-facts.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { acknowledgeUnfollowed } from '#db/signal/reopening.ts'
import { saveRiskSettings } from '#db/risk/settings.ts'
import { setHalt } from '#db/risk/halts.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { ORDER_CAPS } from '#domain/risk/buying-power.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { DEFAULT_RISK_LIMITS } from '#domain/risk/limits.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { decided } from '#test/support/decided.ts'
import { useDatabase } from '#test/support/database.ts'
import { orderIn } from '#test/support/ledger.ts'
import { letPass } from '#test/support/let-pass.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { syncAccount } from '#worker/feed/account-sync.ts'
import { UNRESTRICTED } from '#test/support/permissions.ts'

describe('the facts that risk is judged by', () => {
  let em: EntityManager
  let account: Account
  useDatabase((database) => {
    em = database.em
  })
  beforeEach(async () => {
    account = await createAccount(em)
  })

  const NOW = new Date()
  const secondsAgo = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000)
  /** Sorts behind every signal of the same instant. */
  const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const facts = (fields: Partial<Signal> = {}) =>
    rolledBack(em, async (inner) => {
      const asked = { id: LAST_ID, accountId: account.id, acceptedAt: NOW, ...fields }
      const { id } = await createSignal(inner, asked)
      const { limits, risk } = (await readEntryFacts(inner, id))!
      return { limits, context: risk }
    })
  const context = async (fields: Partial<Signal> = {}) => (await facts(fields)).context
  const ours = (fields: Partial<Signal> = {}): Promise<Signal> =>
    createSignal(em, { accountId: account.id, ...fields })
  const sync = (changes: Partial<AccountSnapshot> = {}) =>
    saveAccountSnapshot(
      em.fork(),
      { accountId: account.id, userId: account.userId },
      {
        type: 'MARGIN',
        currency: 'USD',
        equity: '100000',
        cashBalance: '100000',
        buyingPower: '200000',
        dayTradingBuyingPower: null,
        permissions: UNRESTRICTED,
        marketValue: '0',
        positions: [],
        ...changes,
      },
    )
  it('the facts that risk is judged by of an untouched account are the defaults and nothing', async () => {
    assert.deepEqual(await facts(), {
      limits: DEFAULT_RISK_LIMITS,
      context: {
        halt: null,
        isManual: false,
        isApproved: false,
        priceBeforeApproval: null,
        heldQuantity: '0',
        workingQuantity: '0',
        ordersThisMinute: 0,
        ordersToday: 0,
        equity: '0',
        dayStartEquity: null,
        equityRecord: null,
        secondsSinceTwin: null,
      },
    })
  })

  it('hold the limits of the account and the halt that binds it', async () => {
    await saveRiskSettings(em, account.userId, account.id, { maxOrderShares: '7', maxDailyLossPercent: null })
    const target = { scope: 'user', userId: account.userId } as const
    await setHalt(em, target, { level: 'pauseEntries', reason: 'holiday', by: 'test' })
    const { limits, context: found } = await facts()
    assert.deepEqual(limits, { ...DEFAULT_RISK_LIMITS, maxOrderShares: '7', maxDailyLossPercent: null })
    assert.deepEqual(found.halt, { level: 'pauseEntries', scope: 'user', reason: 'holiday' })
  })

  it('count the opening orders that left, this minute and today', async () => {
    const signal = await ours({ symbol: 'MSFT' })
    for (const [role, side] of [
      ['entry', 'BUY'],
      ['timed', 'SELL'],
    ] as const) {
      const order = { clientOrderId: clientOrderIdFor(signal.id, role, 1), quantity: '10' } as const
      await decided(em, { ...order, side })
      await checkThrottle(em, { accountId: account.id, ...order, reducing: side === 'SELL' }, ORDER_CAPS)
    }
    assert.equal((await context()).ordersToday, 1)
    const { id } = account
    await em.execute(`update order_rates set minute = minute - interval '1 minute' where account_id = ?`, [
      id,
    ])
    assert.deepEqual([(await context()).ordersThisMinute, (await context()).ordersToday], [0, 1])
    await em.execute('update order_rates set day = day - 1 where account_id = ?', [id])
    assert.equal((await context()).ordersToday, 0)
  })

  it('hold the equity of the first sync of the day, with any later ones', async () => {
    await sync({ equity: '100000' })
    await sync({ equity: '90000.5' })
    const { equity, dayStartEquity } = await context()
    assert.deepEqual([equity, dayStartEquity], ['90000.5', '100000'])
    await em.execute('update account_day_starts set day = day - 1 where account_id = ?', [account.id])
    assert.equal((await context()).dayStartEquity, null)
  })

  it('count the position in the direction of the order only', async () => {
    await sync({ positions: [held('12.5', 'LONG')] })
    for (const [asked, quantity] of [
      [{}, '12.5'],
      [{ action: 'openShort' }, '0'],
      [{ symbol: 'MSFT' }, '0'],
    ] as const)
      assert.equal((await context(asked)).heldQuantity, quantity)
  })

  describe('of other orders', () => {
    const working = async (fields: Partial<Signal> = {}) => (await context(fields)).workingQuantity
    const syncedIn = (interval: string) =>
      em.execute('update accounts set last_synced_at = now() + ?::interval where id = ?', [
        interval,
        account.id,
      ])
    /** An order that the broker reported now, after the last sync or before it. */
    const report = async (changes: Parameters<typeof orderReport>[1] = {}) => {
      const sent = orderReport(await ours(), changes)
      await applyOrderReport(em, account.id, sent)
      return sent
    }
    const filledNow = (sent: ReturnType<typeof orderReport>, quantity: Decimal) => ({
      ...withFill(sent, quantity),
      filledAt: new Date().toISOString(),
    })

    it('count orders that still work', async () => {
      await report()
      await report({ quantity: '4' })
      assert.equal(await working(), '14')
      assert.equal(await working({ action: 'openShort' }), '0')
      assert.equal(await working({ symbol: 'MSFT' }), '0')
    })

    it('count a fill that came after the last sync, and after the next sync the position alone', async () => {
      await sync()
      await syncedIn('-1 minute')
      const sent = await report()
      await applyOrderReport(em, account.id, filledNow(sent, '10'))
      await acknowledgeUnfollowed(em, filledNow(sent, '10'), null)
      assert.equal(await working(), '10')
      await sync({ positions: [held('10', 'LONG')] })
      await syncedIn('1 minute')
      const { heldQuantity, workingQuantity } = await context()
      assert.deepEqual([heldQuantity, workingQuantity], ['10', '0'])
    })

    it('count a fill that comes while a sync is under way, however long its broker takes to answer', async () => {
      const broker = new ScriptedBroker()
      const [first, second] = [await report({ quantity: '4' }), await report({ quantity: '6' })]
      let hasEnded = false
      broker.latency = async () => {
        // Once for the balances and once for the positions, which are asked for at once.
        if (hasEnded) return
        hasEnded = true
        const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()
        await applyOrderReport(em, account.id, { ...filledNow(first, '4'), filledAt: ago(0) })
        // The broker's clock is behind.
        await applyOrderReport(em, account.id, { ...filledNow(second, '6'), filledAt: ago(20) })
      }
      const owner = { accountId: account.id, userId: account.userId }
      const { syncedAt } = await syncAccount(em, broker, owner)
      const order = await orderIn(em, first.clientOrderId)
      assert.ok(syncedAt <= order.updatedAt, 'a sync is of the instant before its broker is asked')
      assert.equal(await working(), '10')
    })

    it('count a fill that became known right before a sync, and not one that was long known', async () => {
      const sent = await report()
      await applyOrderReport(em, account.id, filledNow(sent, '10'))
      await sync()
      assert.equal(await working(), '10')
      await letPass(em, 16_000)
      assert.equal(await working(), '0')
    })

    it('count neither closing ones nor those that ended without a fill', async () => {
      await report({ role: 'exit' })
      await report({ status: 'CANCELLED' })
      assert.equal(await working(), '0')
    })

    it('count the rest of a partly filled order, once the sync has shown the filled part', async () => {
      const sent = await report()
      await applyOrderReport(em, account.id, {
        ...filledNow(sent, '3'),
        filledAt: secondsAgo(60).toISOString(),
      })
      await sync({ positions: [held('3', 'LONG')] })
      const { heldQuantity, workingQuantity } = await context()
      assert.deepEqual([heldQuantity, workingQuantity], ['3', '7'])
    })
  })

  describe('of an equal signal before', () => {
    const sinceTwin = async (fields: Partial<Signal> = {}) => (await context(fields)).secondsSinceTwin

    for (const [what, ages, seconds] of [
      ['show how long ago it was', [1.5], 1.5],
      ['find the youngest, and one of the same instant', [2, 0], 0],
      ['know of none when the window is past', [2.001], null],
      ['know of none that came later', [-1], null],
    ] as const)
      it(what, async () => {
        for (const age of ages) await ours({ acceptedAt: secondsAgo(age) })
        assert.equal(await sinceTwin(), seconds)
      })

    it('know of none where the window that was set is past or switched off', async () => {
      await ours({ acceptedAt: secondsAgo(2.001) })
      for (const [duplicateWindowSeconds, seconds] of [
        [10, 2.001],
        [null, null],
      ] as const) {
        await saveRiskSettings(em, account.userId, account.id, { duplicateWindowSeconds })
        assert.equal(await sinceTwin(), seconds)
      }
    })

    it('take one for a repetition unless both carry a sourceId', async () => {
      await ours({ acceptedAt: secondsAgo(1), sourceId: 'a' })
      assert.equal(await sinceTwin({ sourceId: null }), 1)
      assert.equal(await sinceTwin({ sourceId: 'b' }), null)
    })

    for (const [what, fields] of [
      ['symbol', { symbol: 'MSFT' }],
      ['action', { action: 'openShort' }],
      ['quantity', { quantity: '11' }],
      ['kind of quantity', { quantityType: 'dollarAmount' }],
      ['order type', { orderType: 'limit' }],
      ['limit price', { limitPrice: '99' }],
      ['stop price', { stopPrice: '101' }],
    ] as const)
      it(`take one with another ${what} for another order`, async () => {
        await ours({ acceptedAt: secondsAgo(1) })
        assert.equal(await sinceTwin(fields), null)
      })

    for (const status of ['rejected', 'cancelled', 'error'] as const)
      it(`take one that is ${status} for no order at all`, async () => {
        await ours({ acceptedAt: secondsAgo(1), status })
        assert.equal(await sinceTwin(), null)
      })
  })
})
