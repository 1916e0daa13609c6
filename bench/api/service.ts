import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readKeyRing } from '#config/key-ring.ts'
import { migrate } from '#db/engine/migrate.ts'
import { startGuardian } from '#local/processes/managed-process.ts'
import { ownProcess } from '#local/start/own-process.ts'
import { postgresUrl, preparePostgres } from '#local/servers/postgres.ts'
import { ensureServiceDatabase, serviceUrl } from '#local/servers/service-database.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { findLastingPort } from '#test/support/lasting-port.ts'
import { Part } from '#test/support/part.ts'

/** The API and its PostgreSQL alone, each a process of its own: lists need nothing else. */
export interface ReadingService {
  /** For PostgreSQL's superuser. */
  adminUrl: string
  /** Such as http://127.0.0.1:3000. */
  apiUrl: string
  /** The API works from here on. */
  startApi(): Promise<void>
  logs(): string
  close(): Promise<void>
}

/** Brings up an empty, migrated database. It is gone after `close`, or when this process dies. */
export async function startReadingService(): Promise<ReadingService> {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-bench-'))
  // PostgreSQL's own user must be able to pass when we are root.
  chmodSync(folder, 0o755)
  const record = await RunRecord.claim(join(folder, 'run.json'), folder)
  startGuardian(record)
  try {
    const server = { port: await findLastingPort(), password: 'bench' }
    const postgres = await preparePostgres({
      ...server,
      folder: join(folder, 'postgres'),
      logFile: join(folder, 'postgres.log'),
      // The ledger is made for this run; and rows that never change need nobody to tidy up behind them.
      settings: { fsync: 'off', full_page_writes: 'off', max_wal_size: '4GB', autovacuum: 'off' },
    })
    const keyFile = join(folder, 'keys.json')
    await readKeyRing(keyFile, true)
    const apiPort = await findLastingPort()
    const apiUrl = `http://127.0.0.1:${apiPort}`
    const password = randomUUID()
    const databaseUrl = serviceUrl(server.port, password, 'durable_trader')
    const api = ownProcess({
      name: 'api',
      room: 'api',
      settings: {
        DATABASE_URL: databaseUrl,
        // Nobody listens there, and nobody has to.
        TEMPORAL_ADDRESS: '127.0.0.1:9',
        KEY_FILE: keyFile,
        API_PORT: String(apiPort),
        API_METRICS_PORT: String(await findLastingPort()),
        MAILBOX_FILE: join(folder, 'mailbox.jsonl'),
      },
      healthUrl: `${apiUrl}/healthz`,
      logFolder: folder,
      graceMs: 5_000,
    })
    const parts = {
      postgres: new Part('postgres', () => postgres, record),
      api: new Part('api', () => api, record),
    }
    await parts.postgres.start()
    await ensureServiceDatabase(server, password, 'durable_trader')
    await migrate(databaseUrl)
    return {
      adminUrl: postgresUrl(server, 'durable_trader'),
      apiUrl,
      startApi: () => parts.api.start(),
      logs: () => `${parts.postgres.logTail()}\n${parts.api.logTail()}`,
      close: () => record.close(),
    }
  } catch (error) {
    await record.close()
    throw error
  }
}
