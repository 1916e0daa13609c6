import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'node:util'
import { positionDifferences } from '#db/position/position-differences.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { raiseAlert } from '#db/alert/alerts.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { openFillLedger } from '#db/position/fills.ts'
import { readLedgerMark } from '#db/watch/ledger-mark.ts'
import { migrate } from '#db/engine/migrate.ts'
import { positionDiffers } from '#domain/alert/alert.ts'
import { administer } from '#local/commands/admin.ts'
import { dataFolderAt, makeDataFolder } from '#local/start/data-folder.ts'
import { findFreePort } from '#local/start/ports.ts'
import { preparePostgres } from '#local/servers/postgres.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { readOrMakeSecrets } from '#local/start/secrets.ts'
import { ensureServiceDatabase } from '#local/servers/service-database.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { orderIn } from '#test/support/ledger.ts'
import { createAccount, createSignal, createUser, orderReport } from '#test/support/factories.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import { useTemporaryFolder } from '../temporary-folder.ts'

const COMMAND = fileURLToPath(new URL('../../../local/commands/admin.ts', import.meta.url))

describe('npm run admin', function () {
  this.timeout(90_000)
  const folder = useTemporaryFolder()
  let server: TestDatabase
  let database: Database
  beforeEach(async () => {
    server = await createTestDatabase()
    database = await openDatabase(server.url, 2)
  })
  afterEach(async () => {
    await database.close(true)
    await server.drop()
  })

  /** A command as its process sees it: the arguments, and settings beside the address of the ledger. */
  type CommandLine = [
    args: string[],
    databaseUrl?: string,
    dataDir?: string,
    settings?: Record<string, string>,
  ]
  const environmentOf = ([
    ,
    databaseUrl = server.url,
    dataDir = folder.path('none'),
    settings,
  ]: CommandLine) => ({
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    ...settings,
  })

  const adminProcess = (...line: CommandLine) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const env = { ...process.env, ...environmentOf(line) }
      execFile(process.execPath, [COMMAND, ...line[0]], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
      )
    })

  /** The same command in this process, which has loaded its code: to load it takes a process seconds. */
  async function admin(...line: CommandLine): Promise<{ code: number; output: string }> {
    const { log, error } = console
    const environment = process.env
    let output = ''
    const tell = (...parts: unknown[]) => void (output += `${format(...parts)}\n`)
    Object.assign(console, { log: tell, error: tell })
    process.env = { ...environment, ...environmentOf(line) }
    try {
      await administer(line[0])
      return { code: Number(process.exitCode ?? 0), output }
    } finally {
      Object.assign(console, { log, error })
      process.env = environment
      process.exitCode = undefined
    }
  }

  const kinds = async () =>
    (await database.em.execute<{ kind: string }[]>('select kind from audit_events order by sequence')).map(
      ({ kind }) => kind,
    )

  it('explains itself, and needs no installation for that', async () => {
    for (const args of [[], ['--help']]) {
      const { code, output } = await adminProcess(args, '')
      assert.equal(code, 0)
      for (const name of ['create-user', 'set-plan', 'disable', 'issue-key', 'end-sessions'])
        assert.ok(output.includes(name), name)
    }
  })

  it('marks a ledger that was restored by other means, to an instant in the past', async () => {
    for (const instant of ['yesterday', '2026-11-22', new Date(Date.now() + 60_000).toISOString()]) {
      const { code, output } = await admin(['restored', instant])
      assert.equal(code, 1)
      assert.match(output, /is no instant in the past/)
    }
    const { code, output } = await admin(['restored', '2026-11-22T10:30:00+01:00'])
    assert.equal(code, 0, output)
    assert.match(output, /No position is opened, .* npm run admin -- resume/)
    assert.equal((await readLedgerMark(database.em.fork()))?.restoredTo, '2026-11-22T09:30:00.000Z')
    assert.match((await admin(['halts'])).output, /^reduceOnly {2}everybody .*2026-11-22T09:30:00.000Z/)
    assert.match((await admin(['resume'])).output, /The halt \(reduceOnly\) of everybody is lifted/)
  })

  it('throws the kill switch for all users, lists the halts, and lifts it', async () => {
    assert.match((await admin(['halts'])).output, /No halt is set/)
    assert.match((await admin(['halt', 'panic', '--reason', 'x'])).output, /panic is none of pauseEntries/)
    const thrown = await admin(['halt', 'fullStop', '--reason', 'exchange outage'])
    assert.match(thrown.output, /fullStop {2}everybody {2}since .* by operator: exchange outage/)
    assert.equal((await admin(['halts'])).output, thrown.output)
    assert.match((await admin(['resume'])).output, /The halt \(fullStop\) of everybody is lifted/)
    const nothing = await admin(['resume'])
    assert.deepEqual([nothing.code, /No halt is set/.test(nothing.output)], [1, true])
    assert.deepEqual(await kinds(), ['admin.halt_set', 'admin.halt_lifted'])
  })

  it('makes a user, sets plan and role, issues a key and writes all of it down', async () => {
    const made = await admin(['create-user', 'ann@example.test', '--plan', 'PRO'])
    assert.match(made.output, /ann@example\.test {2}member {2}PRO[^]*\/reset-password#token=\S{43}/)
    assert.match((await admin(['set-role', 'ann@example.test', 'admin'])).output, / admin {2}PRO/)
    const issued = await admin([
      'issue-key',
      'ANN@example.test',
      '--label',
      'old',
      '--scopes',
      'signals:write',
    ])
    assert.match(issued.output, /^dtk_[0-9A-Za-z]{36}\n/)
    assert.match((await admin(['disable', 'ann@example.test'])).output, /disabled/)
    assert.match((await adminProcess(['users'])).output, /1 of 1 users/)
    assert.deepEqual(await kinds(), [
      'admin.user_created',
      'admin.user_changed',
      'admin.legacy_key_issued',
      'admin.user_changed',
    ])
  })

  it('takes a lost second factor away: sessions end, the person is written to, and the reason is in the audit log', async () => {
    const { id, email } = await createUser(database.em)
    const { em } = database
    const MAILBOX_FILE = folder.path('mailbox.jsonl')
    const remove = (...more: string[]) =>
      admin(['remove-second-factor', email, ...more], server.url, undefined, { MAILBOX_FILE })
    assert.match((await remove('--reason', 'x')).output, /Two-step sign-in is not in use/)
    await em.execute(
      `insert into totp_factors (user_id, sealed_secret, confirmed_at) values (?, 'sealed', now())`,
      [id],
    )
    await em.execute(`insert into backup_codes (user_id, hash) values (?, ?)`, [id, 'a'.repeat(64)])
    await em.execute(
      `insert into sessions (id, user_id, kind, name, ip, expires_at)
       values (gen_random_uuid(), ?, 'web', 'desk', '127.0.0.1', now() + interval '1 day')`,
      [id],
    )
    assert.match((await remove()).output, /--reason is missing/)
    assert.deepEqual(await kinds(), [])

    const done = await remove('--reason', 'phone lost, called back')
    assert.deepEqual(
      [done.code, done.output],
      [0, `The second factor of ${email} is gone, and 1 sessions were ended.\n`],
    )
    assert.match((await admin(['users'])).output, new RegExp(`^${email}  member  \\S+  ${id}$`, 'm'))
    assert.match((await admin(['sessions', email])).output, /^0 sessions$/m)
    assert.deepEqual(await em.execute('select * from backup_codes'), [])
    const [event] = await em.execute<{ kind: string; data: object }[]>('select kind, data from audit_events')
    assert.deepEqual(event, {
      kind: 'admin.second_factor_removed',
      data: { by: 'command line', reason: 'phone lost, called back', sessions: 1 },
    })
    const [letter] = readFileSync(MAILBOX_FILE, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { to: string; text: string })
    assert.equal(letter!.to, email)
    assert.match(letter!.text, /phone lost, called back[^]*set it up again: http:\/\/127/)
  })

  it('says so when a second factor was taken away and the letter about it did not go out', async () => {
    const { id, email } = await createUser(database.em)
    await database.em.execute(
      `insert into totp_factors (user_id, sealed_secret, confirmed_at) values (?, 'sealed', now())`,
      [id],
    )
    const SMTP_URL = `smtp://127.0.0.1:${await findFreePort()}`
    const { code, output } = await admin(
      ['remove-second-factor', email, '--reason', 'x'],
      server.url,
      undefined,
      { SMTP_URL },
    )
    assert.equal(code, 1)
    assert.match(output, /is gone, and 0 sessions were ended[^]*could not be sent .*: inform \S+ yourself/)
  })

  it('declares an order lost that its broker does not know, and no other', async () => {
    const { em } = database
    const signal = await createSignal(em)
    const report = orderReport(signal)
    await recordAccepted(em, report)
    const { id } = await orderIn(em, report.clientOrderId)
    assert.match((await admin(['order', 'lost', 'x', '--reason', 'y'])).output, /x is no id of an order/)
    const lost = ['order', 'lost', id, '--reason', 'the broker was reset']
    assert.match((await admin(lost)).output, /has not yet been asked for the order/)
    await em.execute('update orders set unconfirmed_since = now() where id = ?', [id])
    assert.match((await admin(lost)).output, /-e1 \(AAPL\) counts as cancelled, with 0 shares filled/)
    assert.equal((await orderIn(em, report.clientOrderId)).status, 'CANCELLED')
    assert.deepEqual(await kinds(), ['admin.order_declared_lost'])
  })

  it('accepts a position of an alert as its broker shows it, and no other', async () => {
    const { em } = database
    const account = await createAccount(em)
    const owner = { accountId: account.id, userId: account.userId }
    await openFillLedger(em, owner, [])
    await saveAccountSnapshot(em.fork(), owner, {
      ...new ScriptedBroker().balances,
      positions: [held('5', 'LONG')],
    })
    const accept = ['position', 'accept', account.id, 'AAPL', '--reason', 'a transfer']
    assert.match((await admin(accept)).output, /No alert says .* another position in AAPL/)
    const [difference] = await positionDifferences(em, account.id)
    const subject = { accountId: account.id, signalId: null, symbol: 'AAPL' }
    await raiseAlert(em, subject, positionDiffers(difference!))
    assert.match((await admin(accept)).output, /AAPL counts as 5 shares, where 0 were executed/)
    assert.match((await admin(accept)).output, /No alert says .* another position in AAPL/)
    assert.deepEqual(await kinds(), ['admin.position_accepted'])
  })

  it('refuses unknown arguments, and changes nothing', async () => {
    await createUser(database.em, { email: 'ann@example.test' })
    for (const [args, says] of [
      [['promote', 'ann@example.test'], /no command promote/],
      [['constructor'], /no command constructor/],
      [['set-plan', 'ann@example.test', 'GOLD'], /GOLD is none of FREE/],
      [['set-plan', 'bob@example.test', 'PRO'], /no user bob/],
      [['disable'], /EMAIL is missing/],
      [['issue-key', 'ann@example.test', '--label', 'x', '--scopes', 'all'], /all is none of/],
      [
        ['issue-key', 'ann@example.test', '--label', 'x', '--scopes', 'signals:write', '--expires', 'soon'],
        /no date/,
      ],
      [['create-user', 'ann@example.test'], /address already/],
      [['create-user', 'nobody'], /no e-mail address/],
      [['users', '--verbose'], /Unknown option/],
    ] as [string[], RegExp][]) {
      const { code, output } = await admin(args)
      assert.equal(code, 1, args.join(' '))
      assert.match(output, says)
      assert.doesNotMatch(output, /\n {4}at /)
    }
    assert.deepEqual(await kinds(), [])
  }).timeout(60_000)

  it('says where it looks when there is no installation', async () => {
    const { code, output } = await adminProcess(['users'], '')
    assert.equal(code, 1)
    assert.ok(output.includes(folder.path('none')))
    assert.match(output, /DATABASE_URL.*DATA_DIR/)
  })

  it('says that the installation of DATA_DIR does not run', async () => {
    const data = dataFolderAt(folder.path('stopped'))
    makeDataFolder(data)
    readOrMakeSecrets(data.secrets)
    for (const killed of [false, true]) {
      mkdirSync(data.postgres, { recursive: true })
      const port = await findFreePort()
      if (killed) writeFileSync(join(data.postgres, 'postmaster.pid'), `1\n${data.postgres}\n0\n${port}\n`)
      const { code, output } = await admin(['users'], '', data.path)
      assert.equal(code, 1)
      assert.match(output, /stopped does not run.*npm start/)
      assert.doesNotMatch(output, /\n {4}at /)
    }
  })

  it('says that a database cannot be reached, or holds no installation', async () => {
    const port = await findFreePort()
    const unreachable = await admin(['users'], `postgresql://u:p@127.0.0.1:${port}/x`)
    assert.match(unreachable.output, /nothing listens at/)
    await database.em.execute('drop table schema_migrations')
    const empty = await admin(['users'])
    assert.match(empty.output, /holds no installation/)
    for (const { code, output } of [unreachable, empty]) {
      assert.equal(code, 1)
      assert.doesNotMatch(output, /\n {4}at /)
    }
  })

  it('finds the installation of DATA_DIR at the port at which it runs', async function () {
    const data = dataFolderAt(folder.path('elsewhere'))
    makeDataFolder(data)
    const secrets = readOrMakeSecrets(data.secrets)
    const port = await findFreePort()
    const supervisor = new Supervisor({
      record: await RunRecord.claim(data.record),
      announce: () => {},
    })
    try {
      const server = { port, password: secrets.postgresPassword }
      const logFile = join(data.logs, 'postgres.log')
      await supervisor.keep(await preparePostgres({ ...server, folder: data.postgres, logFile }))
      await migrate(await ensureServiceDatabase(server, secrets.databasePassword, 'durable_trader'))
      assert.match((await admin(['users'], '', data.path)).output, /^0 of 0 users/)
    } finally {
      await supervisor.stop()
    }
  })
})
