import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

export const Strategy = defineEntity({
  name: 'Strategy',
  tableName: 'strategies',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    status: p.text().$type<'active' | 'paused'>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export type Strategy = InferEntity<typeof Strategy>
