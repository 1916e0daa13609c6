import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { FlatByClose } from '#domain/exit/flat-by-close.ts'
import type { Expectation } from '#domain/hook/expectation.ts'

export const Strategy = defineEntity({
  name: 'Strategy',
  tableName: 'strategies',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Unique without case among the user's unarchived strategies. */
    name: p.text(),
    description: p.text().nullable(),
    status: p.text().$type<'active' | 'paused'>(),
    defaultAccountId: p.uuid().nullable(),
    metadata: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    expects: p.json<Expectation>().nullable(),
    expectsSince: p.datetime(),
    flatByClose: p.json<FlatByClose>().nullable(),
    /** Takes no signals; its history keeps the name. */
    archivedAt: p.datetime().nullable(),
  },
})
export type Strategy = InferEntity<typeof Strategy>
