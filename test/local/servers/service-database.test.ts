import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { openDatabase } from '#db/engine/database.ts'
import { UnfitDatabase } from '#db/engine/database-check.ts'
import { migrate } from '#db/engine/migrate.ts'
import { actAs, queryRows } from '#db/engine/row-security.ts'
import { findFreePort } from '#local/start/ports.ts'
import { ensureDatabase, postgresUrl, preparePostgres, runStatement } from '#local/servers/postgres.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { ensureServiceDatabase } from '#local/servers/service-database.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { createSignal } from '#test/support/factories.ts'
import { ownPorts } from '#test/support/lasting-port.ts'
import { useTemporaryFolder } from '../temporary-folder.ts'

describe('the database of the service', function () {
  this.timeout(60_000)
  const folder = useTemporaryFolder()
  let supervisor: Supervisor
  let server: { port: number; password: string }
  beforeEach(async () => {
    supervisor = new Supervisor({
      record: await RunRecord.claim(folder.path('run.json')),
      announce: () => {},
    })
    server = { port: await findFreePort(), password: randomUUID() }
    await supervisor.keep(
      await preparePostgres({
        ...server,
        folder: folder.path('postgres'),
        logFile: folder.path('postgres.log'),
      }),
    )
  })
  afterEach(() => supervisor.stop())

  /** The attributes of a session's user. */
  const traitsOf = async (url: string) =>
    (
      await runStatement(
        url,
        `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles
         where rolname = session_user`,
      )
    ).rows[0]

  const NONE = {
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
  }

  /** Whether the service works: a user's own rows are shown in the user's name, and nobody else's. */
  async function assertServes(url: string): Promise<void> {
    const database = await openDatabase(url, 2)
    try {
      const em = database.em.fork()
      const [mine] = [await createSignal(em), await createSignal(em)]
      const own = database.em.fork()
      actAs(own, mine.userId)
      assert.deepEqual(await queryRows(own, 'select id from signals', []), [{ id: mine.id }])
    } finally {
      await database.close(true)
    }
  }

  it('the user of the database of npm start has no authority beyond its own database, which suffices to migrate and to serve', async () => {
    const url = await ensureServiceDatabase(server, 'a password', 'durable_trader')
    assert.deepEqual(await traitsOf(url), NONE)
    await migrate(url)
    await assertServes(url)
  })

  it('the user of the database of docker compose is made by its script with as little', async () => {
    const script = readFileSync(new URL('../../../deploy/postgres-users.sh', import.meta.url), 'utf8')
    const [, statements] = /<<'SQL'\n(.*)^SQL$/ms.exec(script)!
    // As psql reads them: \connect goes on in another database.
    for (const part of statements!.split(/^\\connect /m)) {
      const [, database = 'postgres', own] = /^(?:(durable_trader)\n)?(.*)$/s.exec(part)!
      const client = new pg.Client({ connectionString: postgresUrl(server, database) })
      await client.connect()
      for (const statement of own!
        .replaceAll(/^(\\getenv|--) .*\n/gm, '')
        .replaceAll(/:'(\w+)'/g, (_, name: string) => pg.escapeLiteral(name))
        .split(';\n'))
        await client.query(statement)
      await client.end()
    }
    const url = (user: string, password: string, database: string) =>
      `postgresql://${user}:${password}@127.0.0.1:${server.port}/${database}`
    const service = url('durable_trader', 'service_password', 'durable_trader')
    assert.deepEqual(await traitsOf(service), NONE)
    await migrate(service)
    await assertServes(service)
    assert.deepEqual(await traitsOf(url('temporal', 'temporal_password', 'temporal')), NONE)
    const backup = url('backup', 'backup_password', 'durable_trader')
    assert.deepEqual(await traitsOf(backup), { ...NONE, rolreplication: true })
    await assert.rejects(runStatement(backup, 'delete from signals'), { code: '42501' })
    for (const closed of [
      url('temporal', 'temporal_password', 'durable_trader'),
      url('durable_trader', 'service_password', 'temporal_visibility'),
    ])
      await assert.rejects(runStatement(closed, 'select 1'), { code: '42501' })
  })

  it('the user of the database must not be a superuser or pass row security: migrations, API and worker refuse it', async () => {
    await ensureDatabase(server, 'durable_trader')
    const admin = postgresUrl(server, 'durable_trader')
    await assert.rejects(migrate(admin), UnfitDatabase)
    await runStatement(admin, `create role passer login bypassrls password 'x'`)
    const passer = `postgresql://passer:x@127.0.0.1:${server.port}/durable_trader`
    await assert.rejects(migrate(passer), /passer.*BYPASSRLS/)

    await migrate(await ensureServiceDatabase(server, 'a password', 'durable_trader'))
    await assertRefusedByProcesses(admin, /durable of DATABASE_URL is a superuser/)
  })

  it('text that was sorted by another version of the locale is refused by migrations, API and worker until its owner has built the indexes again', async () => {
    const url = await ensureServiceDatabase(server, 'a password', 'durable_trader')
    const admin = postgresUrl(server, 'durable_trader')
    await runStatement(url, `create collation named (provider = icu, locale = 'en')`)
    await runStatement(url, 'create table sorted (name text collate named unique)')
    const changes: [string, RegExp][] = [
      [
        `update pg_database set datcollversion = '0' where datname = current_database()`,
        /run as the owner, on that database: (reindex database durable_trader; alter database durable_trader refresh collation version;)/,
      ],
      [
        `update pg_collation set collversion = '0' where collname = 'named'`,
        /run as the owner, on that database: (reindex database durable_trader; alter collation named refresh version;)/,
      ],
    ]
    for (const [change, remedy] of changes) {
      await migrate(url)
      await runStatement(admin, change)
      const error = await migrate(url).then(
        () => assert.fail('it was migrated'),
        (refusal: unknown) => refusal,
      )
      assert.ok(error instanceof UnfitDatabase)
      await assertRefusedByProcesses(url, remedy)
      // PostgreSQL builds the indexes of a whole database outside a transaction.
      for (const statement of remedy.exec(error.message)![1]!.split(/(?<=;) /))
        await runStatement(url, statement)
    }
    await migrate(url)
  })

  it('no index is sorted by rules that a library changes, in a database of any locale', async () => {
    await ensureServiceDatabase(server, 'a password', 'durable_trader')
    const admin = postgresUrl(server, 'postgres')
    const locales = {
      icu: `locale_provider icu icu_locale 'de'`,
      libc: `locale_provider libc locale 'C'`,
    }
    for (const [name, locale] of Object.entries(locales)) {
      await runStatement(
        admin,
        `create database ${name} owner durable_trader template template0 encoding 'UTF8' ${locale}`,
      )
      const url = await ensureServiceDatabase(server, 'a password', name)
      await migrate(url)
      const { rows } = await runStatement(
        url,
        `select distinct i.indexrelid::regclass::text as index, coll::regcollation::text as collation
         from pg_index i join pg_class c on c.oid = i.indexrelid, unnest(i.indcollation) as coll
         where c.relnamespace = 'public'::regnamespace and coll <> 0 and coll <> 'pg_catalog."C"'::regcollation`,
      )
      assert.deepEqual(rows, [], name)
    }
  })

  /** Whether the API and the worker end at once on that database, with these words. */
  async function assertRefusedByProcesses(url: string, words: RegExp): Promise<void> {
    for (const room of ['api', 'worker']) {
      const process_ = spawn(process.execPath, [`${room}/main.ts`], {
        cwd: new URL('../../..', import.meta.url),
        env: {
          ...process.env,
          DATABASE_URL: url,
          KEY_FILE: '',
          ...(await ownPorts()),
          MAILBOX_FILE: folder.path('mailbox.jsonl'),
          TEMPORAL_ADDRESS: '127.0.0.1:9',
        },
      })
      let said = ''
      for (const stream of [process_.stdout, process_.stderr])
        stream.on('data', (text: Buffer) => (said += text.toString()))
      const [code] = (await once(process_, 'exit')) as [number]
      assert.equal(code, 1, said)
      assert.match(said, words, room)
    }
  }
})
