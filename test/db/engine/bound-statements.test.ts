import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { User } from '#db/entities/index.ts'
import { migrate } from '#db/engine/migrate.ts'
import { actAs, queryRows } from '#db/engine/row-security.ts'
import { findFreePort } from '#local/start/ports.ts'
import { preparePostgres } from '#local/servers/postgres.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { ensureServiceDatabase } from '#local/servers/service-database.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { createUser } from '#test/support/factories.ts'
import { useTemporaryFolder } from '../../local/temporary-folder.ts'

const CANARY = 'canary-8143-of-a-customer'

describe('values of statements', function () {
  this.timeout(60_000)
  const folder = useTemporaryFolder()
  let supervisor: Supervisor
  let database: Database
  beforeEach(async () => {
    supervisor = new Supervisor({
      record: await RunRecord.claim(folder.path('run.json')),
      announce: () => {},
    })
    const server = { port: await findFreePort(), password: randomUUID() }
    // Slow statements are logged by many operators; here every one is.
    const settings = { log_min_duration_statement: '0' }
    await supervisor.keep(
      await preparePostgres({
        ...server,
        folder: folder.path('postgres'),
        logFile: folder.path('postgres.log'),
        settings,
      }),
    )
    const url = await ensureServiceDatabase(server, randomUUID(), 'books')
    await migrate(url)
    database = await openDatabase(url)
  })
  afterEach(async () => {
    await database?.close(true)
    await supervisor.stop()
  })

  const log = (): string => readFileSync(folder.path('postgres.log'), 'utf8')

  it('values of statements are not in the log of PostgreSQL when statements succeed or fail', async () => {
    const em = database.em.fork()
    const user = await createUser(em, { email: `${CANARY}@example.com` })
    const attempts: Record<string, () => Promise<unknown>> = {
      'a statement in SQL': () => em.execute('select ?::text, 1 / ?::int as statement_a', [CANARY, 0]),
      'a row that is there': () => em.insert(User, { ...user, id: randomUUID() }),
      'a row that breaks a rule': () =>
        em.nativeUpdate(User, { email: user.email }, { role: CANARY as never }),
      'a transaction': () =>
        em.transactional((inner) => inner.execute('select ? = 1 / ? as statement_b', [CANARY.length, 0])),
      'a statement in the name of a user': () => {
        const own = database.em.fork()
        actAs(own, user.id)
        return queryRows(own, 'select ?::text, 1 / ?::int as statement_c', [CANARY, 0])
      },
    }
    for (const [name, attempt] of Object.entries(attempts)) await assert.rejects(attempt, name)
    await em.execute('select ?::text as statement_d', [CANARY])
    const text = log()
    for (const statement of [
      'statement_a',
      'statement_b',
      'statement_c',
      'statement_d',
      'insert into',
      'update "users"',
    ])
      assert.ok(text.includes(statement), `${statement} is in the log`)
    const lines = text.split('\n').filter((line) => line.includes(CANARY))
    assert.deepEqual(lines, [])
  })
})
