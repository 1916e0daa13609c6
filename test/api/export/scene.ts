import type { Exported } from '#contract/export.ts'
import { decimal } from '#domain/money/decimal.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { createSignal, createTrade, orderReport, withFill } from '../../support/factories.ts'
import { addHookRow } from '../../support/hook-rows.ts'
import type { ApiServer, TestUser } from '../support/api-server.ts'

export const AT = '2026-03-02T15:00:00.120Z'
const FILLED_AT = '2026-03-02T15:00:01.000Z'
const SOLD_AT = '2026-03-02T16:00:00.120Z'

interface Scene {
  user: TestUser
  signalId: string
  orderId: string
  tradeId: string
  clientOrderId: string
  brokerOrderId: string
}

/** A row of each kind, whose texts would be formulas. */
export async function addScene({ database: { em } }: Pick<ApiServer, 'database'>, user: TestUser) {
  const { userId, accountId, strategyId } = user
  const execute = (sql: string, values: unknown[]) => em.fork().execute(sql, values)
  const hook = await addHookRow(em, userId)
  await execute(`update hooks set name = '-5' where id = ?`, [hook.id])
  await execute(`update strategies set name = '=cmd()' where id = ?`, [strategyId])
  await execute(`update accounts set name = '+Paper "A", B' where id = ?`, [accountId])
  const signal = await createSignal(em, {
    userId,
    accountId,
    strategyId,
    tokenId: hook.id,
    origin: 'hook',
    sourceId: '@A1',
    sentBy: '\tx',
    status: 'executed',
    acceptedAt: new Date(AT),
  })
  const report = withFill(orderReport(signal, { orderType: 'stopLimit', stopPrice: '99.5' }), '10')
  const { clientOrderId, brokerOrderId } = report
  const { orderId } = await recordAccepted(em, report)
  await execute(
    `update orders set created_at = ?, sent_at = ?, acknowledged_at = ?, updated_at = ?, reason = e'\\r=1' where id = ?`,
    [AT, AT, AT, AT, orderId],
  )
  await execute(
    `update signals set order_id = ?, filled_quantity = 10, avg_fill_price = 100.123456789, updated_at = ? where id = ?`,
    [orderId, AT, signal.id],
  )
  await execute(
    `insert into fills (account_id, execution_id, user_id, order_id, broker_order_id, symbol, side, quantity, price, fees,
       at, order_filled) values (?, '=1', ?, ?, ?, 'AAPL', 'BUY', 10, 100.123456789, 0.02, ?, 10)`,
    [accountId, userId, orderId, brokerOrderId, AT],
  )
  const sold = { realisedPnl: decimal('-12.5'), exitAt: new Date(SOLD_AT) }
  const tradeId = await createTrade(em, { accountId, strategyId, signalId: signal.id, ...sold })
  await execute(
    `update trades set entry_at = ?, entry_order_ids = array[?::uuid, ?::uuid], realised_pnl_percent = -1.25 where id = ?`,
    [AT, orderId, signal.id, tradeId],
  )
  await execute(
    `insert into balance_snapshots (account_id, user_id, date, equity, cash_balance, taken_at)
     values (?, ?, '2026-03-02', 1000.5, -20, ?)`,
    [accountId, userId, AT],
  )
  return { user, signalId: signal.id, orderId, tradeId, clientOrderId, brokerOrderId }
}

/** The rows of a scene, as they are exported. */
export function rowsOf({
  user: { accountId, strategyId },
  signalId,
  orderId,
  tradeId,
  clientOrderId,
  brokerOrderId,
}: Scene): Record<Exported, Record<string, string | number | boolean | null>> {
  const ofAccount = { accountId, accountName: '+Paper "A", B' }
  const ofSender = { strategyId, strategyName: '=cmd()', hookName: '-5' }
  return {
    signals: {
      id: signalId,
      createdAt: AT,
      ...ofAccount,
      ...ofSender,
      sentBy: '\tx',
      sourceId: '@A1',
      symbol: 'AAPL',
      action: 'openLong',
      quantity: 10,
      quantityType: 'fixed',
      executeMode: 'immediate',
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
      extendedHours: false,
      status: 'executed',
      statusReason: null,
      statusDetail: null,
      orderId,
      clientOrderId,
      scheduledAt: null,
      sentAt: AT,
      filledAt: FILLED_AT,
      filledQuantity: 10,
      avgFillPrice: 100.123456789,
      exitStatus: null,
      realisedPnl: -12.5,
      updatedAt: AT,
    },
    orders: {
      id: orderId,
      createdAt: AT,
      ...ofAccount,
      ...ofSender,
      signalId,
      role: 'entry',
      clientOrderId,
      brokerOrderId,
      symbol: 'AAPL',
      side: 'BUY',
      orderType: 'STOP_LIMIT',
      quantity: 10,
      limitPrice: null,
      stopPrice: 99.5,
      stopLimitPrice: null,
      timeInForce: 'DAY',
      extendedHours: false,
      status: 'FILLED',
      reason: '\r=1',
      filledQuantity: 10,
      avgFillPrice: 100,
      fees: 0.02,
      sentAt: AT,
      acknowledgedAt: AT,
      filledAt: FILLED_AT,
      updatedAt: AT,
    },
    fills: {
      executionId: '=1',
      at: AT,
      ...ofAccount,
      ...ofSender,
      signalId,
      orderId,
      clientOrderId,
      brokerOrderId,
      symbol: 'AAPL',
      side: 'BUY',
      quantity: 10,
      price: 100.123456789,
      fees: 0.02,
    },
    trades: {
      id: tradeId,
      entryAt: AT,
      exitAt: SOLD_AT,
      ...ofAccount,
      ...ofSender,
      signalId,
      symbol: 'AAPL',
      side: 'LONG',
      status: 'CLOSED',
      quantity: 10,
      entryPrice: 100,
      exitPrice: 101,
      realisedPnl: -12.5,
      realisedPnlPercent: -1.25,
      fees: 0,
      entryOrderIds: `${orderId} ${signalId}`,
      exitOrderIds: '',
    },
    balances: {
      date: '2026-03-02',
      at: AT,
      ...ofAccount,
      currency: 'USD',
      equity: 1000.5,
      cashBalance: -20,
    },
  }
}
