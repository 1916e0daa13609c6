import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainFailure } from '#local/start/diagnosis.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { ensureWebApp } from '#local/servers/web-app.ts'

let built: Promise<void> | undefined

/** Builds the web app when its sources have changed, just as `npm start` does; once a run. */
export const builtApp = (): Promise<void> => (built ??= build())

async function build(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'durable-trader-web-app-'))
  const record = await RunRecord.claim(join(folder, 'run.json'), folder)
  try {
    const state = await ensureWebApp({ record, logFolder: folder, report: () => {} })
    assert.notEqual(state, 'absent', 'the packages that build the web app are not installed: run npm ci')
  } catch (error) {
    throw new Error(explainFailure(error), { cause: error })
  } finally {
    await record.close()
  }
}
