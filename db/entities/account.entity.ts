import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { AccountPermissions } from '#domain/risk/permissions.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { FlatByClose } from '#domain/exit/flat-by-close.ts'
import type { EquityRecord } from '#domain/risk/buying-power.ts'

export const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    brokerId: p.uuid(),
    brokerAccountId: p.text(),
    name: p.text(),
    type: p.text().$type<'MARGIN' | 'CASH' | 'IRA'>(),
    currency: p.text(),
    equity: p.decimal().$type<Decimal>().precision(20).scale(4),
    cashBalance: p.decimal().$type<Decimal>().precision(20).scale(4),
    buyingPower: p.decimal().$type<Decimal>().precision(20).scale(4),
    dayTradingBuyingPower: p.decimal().$type<Decimal>().precision(20).scale(4).nullable(),
    marketValue: p.decimal().$type<Decimal>().precision(20).scale(4),
    unrealisedPnl: p.decimal().$type<Decimal>().precision(20).scale(4),
    realisedPnl: p.decimal().$type<Decimal>().precision(20).scale(4),
    isActive: p.boolean(),
    isDemo: p.boolean(),
    isPrimary: p.boolean(),
    flatByClose: p.json<FlatByClose>().nullable(),
    lastSyncedAt: p.datetime().nullable(),
    /** Null before the first sync, like the next. */
    permissions: p.json<AccountPermissions>().nullable(),
    equityRecord: p.json().$type<EquityRecord>().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type Account = InferEntity<typeof Account>
