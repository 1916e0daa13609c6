import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { FlatByClose } from '#domain/flat-by-close.ts'
import type { Expectation } from '#domain/hook/expectation.ts'

/** A group of signals, which can be stopped together. */
export const Strategy = defineEntity({
  name: 'Strategy',
  tableName: 'strategies',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Unique among the user's strategies that are not archived; capitals do not matter. */
    name: p.text(),
    description: p.text().nullable(),
    status: p.text().$type<'active' | 'paused'>(),
    /** The account that forms suggest; signals always name their own. */
    defaultAccountId: p.uuid().nullable(),
    metadata: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    /** When signals of it are expected; null for no such rule. */
    expects: p.json<Expectation>().nullable(),
    /** Since when that rule holds. */
    expectsSince: p.datetime(),
    /** Null for no such rule. */
    flatByClose: p.json<FlatByClose>().nullable(),
    /** Set when its owner has deleted it: it takes no more signals, and its history keeps its name. */
    archivedAt: p.datetime().nullable(),
  },
})
export type Strategy = InferEntity<typeof Strategy>
