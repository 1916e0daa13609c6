import assert from 'node:assert/strict'
import { planCluster } from '#test/cluster/cluster-run.ts'
import type { ProcessSpec } from '#local/processes/managed-process.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { dataFolderAt, makeDataFolder } from '#local/start/data-folder.ts'
import { startApi } from '#local/start/parts.ts'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'

const CONNECTIONS = {
  DATABASE_URL: 'postgresql://127.0.0.1:1/none',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  VENUE_URL: 'http://127.0.0.1:1',
  WORKFLOW_BUNDLE: 'bundle.js',
}

describe('the plan of a cluster', () => {
  const temporary = useTemporaryFolder()

  it('tells each API where Temporal’s UI is, so that records lead to their workflows', async () => {
    const folder = dataFolderAt(temporary.path('data'))
    makeDataFolder(folder)
    const record = await RunRecord.claim(folder.record, folder.path)
    const kept: ProcessSpec[] = []
    const supervisor = {
      keep: async (spec: ProcessSpec) => {
        kept.push(spec)
        throw new Error('nothing is started')
      },
      stop: async () => {},
    }
    const { apis } = await planCluster({ folder, record, supervisor, publicPorts: { api: 3_999, ui: 8_999 } })
    for (const api of apis)
      await assert.rejects(
        startApi(api, CONNECTIONS, () => {}),
        /nothing is started/,
      )
    await record.close()
    assert.deepEqual(
      kept.map(({ name, env }) => [name, env!['TEMPORAL_UI_URL'], env!['PUBLIC_URL']]),
      [1, 2].map((node) => [`API ${node}`, 'http://127.0.0.1:8999', 'http://127.0.0.1:3999']),
    )
  })
})
