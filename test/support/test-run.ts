import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGuardian } from '#local/processes/managed-process.ts'
import { RunRecord } from '#local/processes/run-record.ts'

/** The record of the processes of a run of tests, and the folder of their data and logs. */
export type TestRun = { record: RunRecord; folder: string }

let current: Promise<TestRun> | undefined

/** The run of this process; should it be killed, its guardian stops what it has started. */
export const testRun = (): Promise<TestRun> => (current ??= begin())

/** Stops whatever was started and removes its data. */
export async function endTestRun(): Promise<void> {
  if (!current) return
  await (await current).record.close()
  current = undefined
}

async function begin(): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-test-'))
  // PostgreSQL's own user must be able to pass when we are root.
  chmodSync(folder, 0o755)
  const record = await RunRecord.claim(join(folder, 'run.json'), folder)
  startGuardian(record)
  return { record, folder }
}
