import { defineEntity, p, type InferEntity } from '@mikro-orm/core'

/** One step of a signal's timeline. `key` names the step, so that a repeated write adds nothing. */
export const SignalEvent = defineEntity({
  name: 'SignalEvent',
  tableName: 'signal_events',
  properties: {
    sequence: p.bigint().primary().autoincrement(),
    signalId: p.uuid(),
    key: p.text(),
    kind: p.text(),
    at: p.datetime(),
    message: p.text(),
    data: p.json<Record<string, unknown>>().nullable(),
  },
})
export type SignalEvent = InferEntity<typeof SignalEvent>
