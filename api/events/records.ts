import type { EntityManager } from '#db/engine/database.ts'
import { LIVE_TOPICS, type LiveChange, type LiveTopic } from '#db/live/events.ts'
import { liveIdOfHalt } from '#db/risk/halts.ts'
import { findLiveRecords } from '#db/live/records.ts'
import { presentAccount } from '../accounts/record.ts'
import { presentGroup } from '../groups/record.ts'
import { presentAlert } from '../alerts/record.ts'
import { presentBroker } from '../brokers/record.ts'
import { presentHalt } from '../settings/record.ts'
import { presentOrder } from '../orders/record.ts'
import { readCovers } from '../positions/cover-record.ts'
import { presentPosition } from '../positions/record.ts'
import { presentSignal, readOutcomes } from '../signals/record.ts'
import { presentTrade } from '../trades/record.ts'
import { keyOf } from './event-stream.ts'

export async function presentedRecords(
  em: EntityManager,
  userId: string,
  changes: readonly LiveChange[],
  temporalUi: string | null,
): Promise<Map<string, object>> {
  const ids = Object.fromEntries(
    LIVE_TOPICS.map((topic) => [
      topic,
      changes.filter((change) => change.topic === topic).map(({ subjectId }) => subjectId),
    ]),
  ) as Record<LiveTopic, string[]>
  const records = await findLiveRecords(em, userId, ids)
  const outcomes = await readOutcomes(em, userId, records.signal)
  const covers = records.position.length > 0 ? await readCovers(em, userId) : undefined
  const presented: Record<LiveTopic, object[]> = {
    signal: records.signal.map((signal) => presentSignal(signal, outcomes)),
    group: records.group.map(presentGroup),
    order: records.order.map(presentOrder),
    position: records.position.map((position) => presentPosition(position, covers)),
    account: records.account.map(presentAccount),
    alert: records.alert.map((alert) => presentAlert(alert, temporalUi)),
    trade: records.trade.map(presentTrade),
    halt: records.halt.map(presentHalt),
    broker: records.broker.map(presentBroker),
    user: records.user.map(({ id, tradingMode, role, plan }) => ({ id, tradingMode, role, plan })),
  }
  const byKey = new Map<string, object>()
  for (const topic of LIVE_TOPICS)
    for (const record of presented[topic])
      byKey.set(keyOf({ topic, subjectId: subjectIdOf(topic, record as { id: string }) }), record)
  return byKey
}

const subjectIdOf = (topic: LiveTopic, { id }: { id: string }): string =>
  topic === 'halt' ? liveIdOfHalt(id) : id
