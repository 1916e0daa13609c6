import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { TimelineKind } from '#domain/timeline.ts'

export const OrderEvent = defineEntity({
  name: 'OrderEvent',
  tableName: 'order_events',
  properties: {
    sequence: p.bigint().primary().autoincrement(),
    userId: p.uuid(),
    orderId: p.uuid(),
    key: p.text(),
    kind: p.text().$type<TimelineKind>(),
    at: p.datetime(),
    message: p.text(),
    data: p.json<Record<string, unknown>>().nullable(),
  },
})
export type OrderEvent = InferEntity<typeof OrderEvent>
