import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    email: p.text(),
    role: p.text().$type<'admin' | 'member'>(),
    plan: p.text().$type<'FREE' | 'BASIC' | 'ADVANCED' | 'PRO'>(),
    passwordHash: p.text().nullable(),
    tradingMode: p.text().$type<'PAPER' | 'LIVE'>(),
    disabledAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type User = InferEntity<typeof User>
export type TradingMode = User['tradingMode']
