import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { explainFailure } from '#local/start/diagnosis.ts'
import { requireExternalDatabase, requireExternalTemporal } from '#local/start/external-parts.ts'
import { ProcessNotReadyError } from '#local/processes/managed-process.ts'
import { findFreePort } from '#local/start/ports.ts'
import { readOrMakeSecrets } from '#local/start/secrets.ts'
import { createTestDatabase, temporalAddress } from '#test/support/servers.ts'
import { useTemporaryFolder } from './temporary-folder.ts'

describe('explanations at start-up', () => {
  const folder = useTemporaryFolder()

  it('name the disk and DATA_DIR when a process found it full', () => {
    const logFile = folder.path('postgres.log')
    writeFileSync(logFile, 'FATAL: could not write lock file: No space left on device\n')
    const spec = {
      name: 'PostgreSQL',
      command: '',
      args: [],
      ready: async () => {},
      readyTimeoutMs: 0,
      logFile,
    }
    const text = explainFailure(new ProcessNotReadyError(spec, 'ended before it was ready (status 1)'))
    assert.match(text, /^PostgreSQL ended before it was ready/)
    assert.match(text, /The disk is full\..*DATA_DIR/)
    assert.ok(text.includes(logFile))
  })

  it('accept a database that answers', async () => {
    const database = await createTestDatabase()
    await requireExternalDatabase(database.url)
    await database.drop()
  })

  it('distinguish a wrong password, a missing database and a closed port', async () => {
    const database = await createTestDatabase()
    const change = (edit: (url: URL) => void) => {
      const url = new URL(database.url)
      edit(url)
      return url.href
    }
    const port = String(await findFreePort())
    await assert.rejects(
      requireExternalDatabase(change((url) => (url.password = 'x'))),
      /refuses the password of user durable/,
    )
    await assert.rejects(
      requireExternalDatabase(change((url) => (url.pathname = '/none'))),
      /has no database none; create it/,
    )
    await assert.rejects(requireExternalDatabase(change((url) => (url.port = port))), /nothing listens at/)
    await database.drop()
  })

  it('name the namespace that a Temporal server does not have', async () => {
    const settings = { TEMPORAL_ADDRESS: await temporalAddress(), TEMPORAL_TLS: false }
    await requireExternalTemporal({ ...settings, TEMPORAL_NAMESPACE: 'default' })
    await assert.rejects(
      requireExternalTemporal({ ...settings, TEMPORAL_NAMESPACE: 'elsewhere' }),
      /TEMPORAL_ADDRESS cannot be used: .* namespace elsewhere/,
    )
  }).timeout(60_000)
})

describe('secrets of a data folder', () => {
  const folder = useTemporaryFolder()

  it('secrets of a data folder are made once, differ between folders, and are for their owner only', () => {
    const first = readOrMakeSecrets(folder.path('secrets.json'))
    assert.deepEqual(readOrMakeSecrets(folder.path('secrets.json')), first)
    assert.notEqual(readOrMakeSecrets(folder.path('other.json')).postgresPassword, first.postgresPassword)
    assert.equal(statSync(folder.path('secrets.json')).mode & 0o777, 0o600)
  })

  it('keep the texts of an earlier version and gain the missing ones', () => {
    writeFileSync(folder.path('secrets.json'), JSON.stringify({ postgresPassword: 'kept' }))
    const secrets = readOrMakeSecrets(folder.path('secrets.json'))
    assert.equal(secrets.postgresPassword, 'kept')
    assert.deepEqual(JSON.parse(readFileSync(folder.path('secrets.json'), 'utf8')), secrets)
  })
})
