import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { GroupRefusal } from '#domain/signal/group.ts'
import type { Action } from '#domain/signal/signal.ts'

export const SignalGroup = defineEntity({
  name: 'SignalGroup',
  tableName: 'signal_groups',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Hook or token; null for a person. */
    tokenId: p.uuid().nullable(),
    symbol: p.text(),
    summary: p.text(),
    accounts: p.integer(),
    refusals: p.json<GroupRefusal[]>(),
    /** Actions of the hook's waiting signals that it replaces. */
    supersedes: p.json<Action[]>(),
    /** The sender's time, if given. */
    meantAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})
export type SignalGroup = InferEntity<typeof SignalGroup>
