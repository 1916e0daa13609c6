import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { Decimal } from '#domain/money/decimal.ts'

/** Prices in dollars a share. A closed position has no row. */
export const Position = defineEntity({
  name: 'Position',
  tableName: 'positions',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    accountId: p.uuid(),
    symbol: p.text(),
    side: p.text().$type<'LONG' | 'SHORT'>(),
    quantity: p.decimal().$type<Decimal>().precision(20).scale(9),
    avgCost: p.decimal().$type<Decimal>().precision(20).scale(9),
    currentPrice: p.decimal().$type<Decimal>().precision(20).scale(9),
    marketValue: p.decimal().$type<Decimal>().precision(20).scale(4),
    unrealisedPnl: p.decimal().$type<Decimal>().precision(20).scale(4),
    unrealisedPnlPercent: p.decimal().$type<Decimal>().precision(20).scale(6),
    dayChange: p.decimal().$type<Decimal>().precision(20).scale(9).nullable(),
    dayChangePercent: p.decimal().$type<Decimal>().precision(20).scale(6).nullable(),
    updatedAt: p.datetime(),
  },
})
export type Position = InferEntity<typeof Position>
