import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMetrics } from '#api/metrics/metrics.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { migrate } from '#db/engine/migrate.ts'
import { ARCHIVED_WITHIN, readLedgerNumbers } from '#db/watch/ledger-numbers.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { postgresUrl, preparePostgres, runStatement } from '#local/servers/postgres.ts'
import { ensureServiceDatabase } from '#local/servers/service-database.ts'
import { findFreePort } from '#local/start/ports.ts'
import { eventually } from '#test/support/eventually.ts'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'

describe('a PostgreSQL that archives its log', function () {
  this.timeout(90_000)
  const folder = useTemporaryFolder()
  let supervisor: Supervisor
  let database: Database
  let asSuperuser: string

  /** Starts one with these settings, and opens its database as the service does. */
  async function start(settings: Record<string, string>): Promise<void> {
    const server = { port: await findFreePort(), password: 'password' }
    supervisor = new Supervisor({
      record: await RunRecord.claim(folder.path('run.json')),
      announce: () => {},
    })
    const logFile = folder.path('postgres.log')
    await supervisor.keep(
      await preparePostgres({ ...server, folder: folder.path('postgres'), logFile, settings }),
    )
    asSuperuser = postgresUrl(server, 'postgres')
    const url = await ensureServiceDatabase(server, 'service-password', 'durable_trader')
    await migrate(url)
    database = await openDatabase(url, 2)
  }
  afterEach(async () => {
    await database?.close(true)
    await supervisor?.stop()
  })

  /** A segment is complete, and wants to be archived. */
  const completeSegment = async (): Promise<void> => {
    await runStatement(asSuperuser, 'select pg_switch_wal()')
  }
  /** Another one, with something in it. */
  const nextSegment = async (): Promise<void> => {
    await runStatement(asSuperuser, 'create table if not exists written (words text)')
    await runStatement(asSuperuser, `insert into written values ('more')`)
    await completeSegment()
  }
  const told = async (): Promise<string | undefined> => {
    const { scrape } = createMetrics({
      readLedger: () => readLedgerNumbers(database.em.fork(), 'signals'),
      probeDependencies: async () => null,
    })
    return /^durable_trader_log_archive_failing (\S+)$/m.exec(await scrape())?.[1]
  }
  const archived = async (): Promise<number> => {
    const { rows } = await runStatement(
      asSuperuser,
      'select archived_count::int as count from pg_stat_archiver',
    )
    return (rows[0] as { count: number }).count
  }

  it('a PostgreSQL that archives its log has its metric at 1 from the first failure of the command on, and at 0 after it was mended', async () => {
    const room = folder.path('room-in-the-archive')
    await start({ archive_mode: 'on', archive_command: `test -e ${room}` })
    await completeSegment()
    await eventually(async () => assert.equal(await told(), '1'), { within: 30_000 })

    writeFileSync(room, '')
    // The next segment has PostgreSQL try again before its minute is over.
    await nextSegment()
    await eventually(async () => assert.ok((await archived()) > 0), { within: 70_000 })
    await eventually(async () => assert.equal(await told(), '0'), { within: 70_000 })

    rmSync(room)
    await nextSegment()
    await eventually(async () => assert.equal(await told(), '1'), { within: 30_000 })
  })

  it('a PostgreSQL that archives its log by a command that hangs has its metric at 1 after some seconds, and at 0 once it has ended', async () => {
    const room = folder.path('room-in-the-archive')
    writeFileSync(room, '')
    await start({ archive_mode: 'on', archive_command: `while ! test -e ${room}; do sleep 0.2; done` })
    await completeSegment()
    await eventually(async () => assert.ok((await archived()) > 0), { within: 30_000 })
    await sleep(ARCHIVED_WITHIN * 1000)
    assert.equal(await told(), '0', 'nothing waits')

    rmSync(room)
    await nextSegment()
    await runStatement(asSuperuser, `insert into written values ('more')`)
    await eventually(async () => assert.equal(await told(), '1'), { within: 30_000 })

    writeFileSync(room, '')
    await eventually(async () => assert.equal(await told(), '0'), { within: 30_000 })
  })

  it('a PostgreSQL that archives its log not at all has its metric at 0', async () => {
    await start({ archive_mode: 'off', archive_command: 'false' })
    await completeSegment()
    assert.equal(await told(), '0')
  })
})
