import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { TimelineKind } from '#domain/signal/timeline.ts'

/** `key` names the step: a repeated write adds nothing. */
export const SignalEvent = defineEntity({
  name: 'SignalEvent',
  tableName: 'signal_events',
  properties: {
    sequence: p.bigint().primary().autoincrement(),
    signalId: p.uuid(),
    key: p.text(),
    kind: p.text().$type<TimelineKind>(),
    at: p.datetime(),
    message: p.text(),
    data: p.json<Record<string, unknown>>().nullable(),
  },
})
export type SignalEvent = InferEntity<typeof SignalEvent>
