import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { GroupRefusal } from '#domain/group.ts'
import type { Action } from '#domain/signal.ts'

/** The signals that one message asked for, one for each account. */
export const SignalGroup = defineEntity({
  name: 'SignalGroup',
  tableName: 'signal_groups',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** The hook or token that sent it; null for a person. */
    tokenId: p.uuid().nullable(),
    /** By which repetitions of the sender are known; null where each is a message of its own. */
    identity: p.text().nullable(),
    /** Seconds from `createdAt` for which the identity is good; null for ever. */
    identitySeconds: p.integer().nullable(),
    symbol: p.text(),
    summary: p.text(),
    /** How many accounts it asked for. */
    accounts: p.integer(),
    /** Accounts for which no signal was stored. */
    refusals: p.json<GroupRefusal[]>(),
    /** Actions of waiting signals of its hook and symbol whose place it takes. */
    supersedes: p.json<Action[]>(),
    /** When its sender says that it was made; null where it does not. */
    meantAt: p.datetime().nullable(),
    /** When it was received. */
    createdAt: p.datetime(),
    toldAt: p.datetime().nullable(),
  },
})
export type SignalGroup = InferEntity<typeof SignalGroup>
