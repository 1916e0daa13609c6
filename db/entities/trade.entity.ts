import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { Decimal } from '#domain/money/decimal.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import type { TradeStatus } from '#domain/position/round-trips.ts'

/** Shares opened by one order, and closed by one other or open. */
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
    /** Average dollars a share. */
    entryPrice: p.decimal().$type<Decimal>().precision(20).scale(9),
    exitPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    entryAt: p.datetime(),
    exitAt: p.datetime().nullable(),
    /** Dollars after fees; null while open. */
    realisedPnl: p.decimal().$type<Decimal>().nullable(),
    realisedPnlPercent: p.decimal().$type<Decimal>().nullable(),
    /** Dollars so far. */
    fees: p.decimal().$type<Decimal>().precision(20).scale(9),
    /** Null without a signal. */
    strategyId: p.uuid().nullable(),
    signalId: p.uuid().nullable(),
    /** Our orders only. */
    entryOrderIds: p.array().columnType('uuid[]').$type<string[]>(),
    exitOrderIds: p.array().columnType('uuid[]').$type<string[]>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type Trade = InferEntity<typeof Trade>
