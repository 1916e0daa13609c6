import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { Decimal } from '#domain/money/decimal.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import type { TradeStatus } from '#domain/position/round-trips.ts'

/** Shares that one order opened: closed by one other order, or still open. */
export const Trade = defineEntity({
  name: 'Trade',
  tableName: 'trades',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    accountId: p.uuid(),
    symbol: p.text(),
    side: p.text().$type<TradeSide>(),
    status: p.text().$type<TradeStatus>(),
    quantity: p.decimal().$type<Decimal>().precision(20).scale(9),
    /** Dollars a share, average. */
    entryPrice: p.decimal().$type<Decimal>().precision(20).scale(9),
    exitPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    entryAt: p.datetime(),
    exitAt: p.datetime().nullable(),
    /** Dollars after fees; null while open. */
    realisedPnl: p.decimal().$type<Decimal>().nullable(),
    realisedPnlPercent: p.decimal().$type<Decimal>().nullable(),
    /** Dollars so far. */
    fees: p.decimal().$type<Decimal>().precision(20).scale(9),
    /** Of the entry order; null without a signal. */
    strategyId: p.uuid().nullable(),
    signalId: p.uuid().nullable(),
    /** Orders of ours only. */
    entryOrderIds: p.array().columnType('uuid[]').$type<string[]>(),
    exitOrderIds: p.array().columnType('uuid[]').$type<string[]>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type Trade = InferEntity<typeof Trade>
