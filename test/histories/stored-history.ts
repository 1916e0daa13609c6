import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
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

/** The histories of one version: the stored text of each path and run, by its name. */
export type Histories = Map<string, string>

const ENDING = '.json.gz'
const fileOf = (version: string): string => join(import.meta.dirname, `${version}${ENDING}`)

/** The versions of which histories are kept, each in one packed file. */
export const versions = (): string[] =>
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))

/** None where nothing has been recorded with that version. */
export function readHistories(version: string): Histories {
  if (!existsSync(fileOf(version))) return new Map()
  const text = gunzipSync(readFileSync(fileOf(version))).toString()
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>))
}

export function writeHistories(version: string, histories: Histories): void {
  const sorted = [...histories].toSorted(([one], [other]) => (one < other ? -1 : 1))
  writeFileSync(fileOf(version), gzipSync(JSON.stringify(Object.fromEntries(sorted)), { level: 9 }))
}
