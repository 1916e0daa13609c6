import type { WorkflowHandle } from '@temporalio/client'
import proto from '@temporalio/proto'

/**
 * The SDK's own conversion from and to JSON works only where npm has laid out a single copy of protobufjs, and that
 * depends on what else is installed; the generated classes always work.
 */
const { History } = proto.temporal.api.history.v1

export type RecordedHistory = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>

/** Who recorded a history, and where, says nothing about the workflow and stays out of the repository. */
const NOT_STORED = new Set(['identity', 'workerVersion', 'stackTrace', 'requestId', 'pollRequestId'])

const withoutPlace = (key: string, value: unknown): unknown => {
  if (NOT_STORED.has(key)) return undefined
  // A replay asks for the queue, whatever its name.
  return key === 'taskQueue' ? { name: 'signals', kind: 'TASK_QUEUE_KIND_NORMAL' } : value
}

/** A history as it is kept for replay: one event a line, without anything of the machine that recorded it. */
export function toStoredText(history: RecordedHistory): string {
  const { events } = History.toObject(History.fromObject(history), {
    enums: String,
    longs: String,
    bytes: String,
  }) as { events: unknown[] }
  const lines = events.map((event) => JSON.stringify(event, withoutPlace))
  return `{"events":[\n${lines.join(',\n')}\n]}\n`
}

/** The inverse of {@link toStoredText}, without what that left out. */
export const fromStoredText = (text: string): RecordedHistory =>
  History.fromObject(JSON.parse(text) as Record<string, unknown>)
