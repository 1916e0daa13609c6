import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { FlatByClose } from '#domain/flat-by-close.ts'
import type { Expectation } from '#domain/hook/expectation.ts'

/** Signals that can be stopped together. */
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
    /** Suggested by forms; signals name their own. */
    defaultAccountId: p.uuid().nullable(),
    metadata: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    /** When signals are expected. */
    expects: p.json<Expectation>().nullable(),
    expectsSince: p.datetime(),
    flatByClose: p.json<FlatByClose>().nullable(),
    /** Deleted by its owner: takes no signals, and its history keeps the name. */
    archivedAt: p.datetime().nullable(),
  },
})
export type Strategy = InferEntity<typeof Strategy>
