import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { Decimal } from '#domain/decimal.ts'
import type { TradeSide } from '#domain/profit.ts'
import type { TradeStatus } from '#domain/round-trips.ts'

/** The shares that one order opened, as far as one other order has closed them, or those that are still open. */
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
    /** Dollars a share, on average. */
    entryPrice: p.decimal().$type<Decimal>().precision(20).scale(9),
    exitPrice: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    entryAt: p.datetime(),
    exitAt: p.datetime().nullable(),
    /** Dollars after fees; null while open. */
    realisedPnl: p.decimal().$type<Decimal>().nullable(),
    realisedPnlPercent: p.decimal().$type<Decimal>().nullable(),
    /** Dollars paid for it so far. */
    fees: p.decimal().$type<Decimal>().precision(20).scale(9),
    /** The strategy and the signal of the entry order; null when no signal asked for it. */
    strategyId: p.uuid().nullable(),
    signalId: p.uuid().nullable(),
    /** Only orders of ours are named. */
    entryOrderIds: p.array().columnType('uuid[]').$type<string[]>(),
    exitOrderIds: p.array().columnType('uuid[]').$type<string[]>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type Trade = InferEntity<typeof Trade>
