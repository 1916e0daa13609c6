import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { copyBase, newestBase } from '#local/backup/base-copies.ts'
import { BaseBackup } from '#local/backup/postgres-copy.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { postgresUrl, preparePostgres, runStatement } from '#local/servers/postgres.ts'
import { findFreePort } from '#local/start/ports.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { eventually } from '#test/support/eventually.ts'
import { archivingTo, finishRecovery, makeBackUpUser, putInPlace } from '#test/support/recovery.ts'
import { useTemporaryFolder } from '../local/temporary-folder.ts'

describe('recovery of PostgreSQL to a point in time, by the instructions of docs/operate/back-up.md,', function () {
  this.timeout(120_000)
  const folder = useTemporaryFolder()
  let supervisor: Supervisor | undefined
  afterEach(() => supervisor?.stop())

  async function start(name: string, settings: Record<string, string>) {
    supervisor = new Supervisor({
      record: await RunRecord.claim(folder.path('run.json')),
      announce: () => {},
    })
    const server = { port: await findFreePort(), password: 'password' }
    const logFile = folder.path(`${name}.log`)
    await supervisor.keep(await preparePostgres({ ...server, folder: folder.path(name), logFile, settings }))
    return postgresUrl(server, 'postgres')
  }
  const words = async (url: string): Promise<string[]> =>
    (await runStatement(url, 'select words from entry')).rows.map((row) => row.words as string)

  it('recovery of PostgreSQL to a point in time, by the instructions of docs/operate/back-up.md, has what was committed until then and nothing later, or everything when the instant was chosen too early', async () => {
    const archive = folder.path('archive')
    const archiving = archivingTo(archive)
    const url = await start('postgres', archiving)
    await runStatement(url, 'create table schema_migrations (name text)')
    await runStatement(url, 'create table entry (words text)')
    await runStatement(url, 'create database durable_trader')
    const asBackUp = await makeBackUpUser(url)
    mkdirSync(folder.path('base'))
    const options = { data: folder.path('postgres'), to: folder.path('base'), wal: archive, keep: 1 }
    const older = await copyBase({ ...options, url: asBackUp }, () => {})
    mkdirSync(folder.path('base', 'cut-off.partial'))
    await runStatement(url, 'select pg_switch_wal()')
    const base = await copyBase({ ...options, url: asBackUp }, () => {})
    assert.deepEqual(readdirSync(folder.path('base')), [basename(base)], `without ${older}`)
    assert.equal(newestBase(folder.path('base'))!.toISOString().replaceAll(/[:.]/g, '-'), basename(base))
    const label = readFileSync(join(base, 'backup_label'), 'utf8')
    const [, first] = /\(file ([0-9A-F]{24})\)/.exec(label)!
    const archived = () => readdirSync(archive).filter((name) => name < first!)
    assert.deepEqual(archived(), [], 'the log before the base back-up')
    await runStatement(url, `insert into entry values ('wanted')`)
    const { rows } = await runStatement(url, 'select clock_timestamp()::text as instant')
    const { instant } = rows[0] as { instant: string }
    await runStatement(url, `insert into entry values ('a mistake')`)
    const { rows: switched } = await runStatement(url, 'select pg_walfile_name(pg_switch_wal()) as last')
    const { last } = switched[0] as { last: string }
    await eventually(() => assert.ok(existsSync(join(archive, last))), { within: 30_000 })
    assert.deepEqual(
      readdirSync(archive).filter((name) => name.endsWith('.partial')),
      [],
    )
    await supervisor!.stop()

    await putInPlace(folder.path('recovered'), { base, archive, instant })
    const recovered = await start('recovered', archiving)
    await finishRecovery(recovered)
    assert.deepEqual(await words(recovered), ['wanted'])

    // It went on in a history of its own, which the archive has beside the first.
    await eventually(() => assert.ok(existsSync(join(archive, '00000002.history'))))
    await supervisor!.stop()
    // In the place of what was recovered too early, which is kept.
    await putInPlace(folder.path('recovered'), { base, archive, instant: null, isInOldHistory: true })
    const again = await start('recovered', archiving)
    await finishRecovery(again)
    assert.deepEqual(await words(again), ['wanted', 'a mistake'])
    const { rows: replayed } = await runStatement(
      again,
      `select pg_last_xact_replay_timestamp() >= '${instant}' as "isLater"`,
    )
    assert.deepEqual(replayed, [{ isLater: true }])
  })

  it('keeps the log since the earliest segment that a base back-up needs, and the new one beside those of the future', async () => {
    const archive = folder.path('archive')
    mkdirSync(archive)
    const url = await start('postgres', {})
    await runStatement(url, 'create table schema_migrations (name text)')
    const base = (name: string, segment: string) => {
      mkdirSync(folder.path('base', name), { recursive: true })
      writeFileSync(folder.path('base', name, 'backup_label'), `START WAL LOCATION: 0/0 (file ${segment})\n`)
    }
    const [ofFirstTimeline, ofSecondTimeline] = ['000000010000000000000009', '000000020000000000000001']
    base('2026-01-01T00-00-00-000Z', ofFirstTimeline)
    base('2026-01-02T00-00-00-000Z', ofSecondTimeline)
    base('9998-01-01T00-00-00-000Z', '0000000300000000FFFFFFFE')
    base('9999-01-01T00-00-00-000Z', '0000000300000000FFFFFFFF')
    for (const segment of ['000000010000000000000000', ofSecondTimeline, ofFirstTimeline])
      writeFileSync(join(archive, segment), '')
    const told: string[] = []
    const options = { url, data: folder.path('postgres'), to: folder.path('base'), wal: archive }
    const made = await copyBase({ ...options, keep: 3 }, (line) => told.push(line))
    assert.equal(newestBase(folder.path('base'))!.toISOString().replaceAll(/[:.]/g, '-'), basename(made))
    assert.equal(readdirSync(folder.path('base')).length, 5)
    assert.match(told.join(' '), /9998-01-01T00-00-00-000Z lies in the future/)
    assert.deepEqual(readdirSync(archive).toSorted(), [ofFirstTimeline, ofSecondTimeline])

    await copyBase({ ...options, keep: 1 }, () => {})
    assert.ok(
      !existsSync(made) && newestBase(folder.path('base')) !== null,
      'the newest is kept, and no older one',
    )
  })

  it('fails with a base back-up that lacks a segment of the log', async () => {
    const url = await start('postgres', {})
    await runStatement(url, 'create table schema_migrations (name text)')
    const server = await BaseBackup.start(url, folder.path('postgres'))
    try {
      const segments: string[] = []
      for (const table of ['first', 'second', 'third']) {
        await runStatement(url, `create table ${table} ()`)
        const { rows } = await runStatement(url, 'select pg_walfile_name(pg_switch_wal()) as name')
        segments.push((rows[0] as { name: string }).name)
      }
      // Listed, and gone when it is to be read.
      const lost = folder.path('postgres', 'pg_wal', segments[1]!)
      rmSync(lost)
      symlinkSync(folder.path('nowhere'), lost)
      await assert.rejects(server.copyInto(folder.path('copy'), '.'), { code: 'ENOENT', path: lost })
    } finally {
      await server.end()
    }
  })

  it('recovery of PostgreSQL to a point in time, by the instructions of docs/operate/back-up.md, does not begin with a base back-up of a folder on which another server works', async () => {
    const url = await start('postgres', {})
    const data = folder.path('crashed')
    const leftOver = join(data, 'pg_replslot', 'durable_trader_backup')
    mkdirSync(leftOver, { recursive: true })
    const yesterday = Date.now() / 1_000 - 86_400
    utimesSync(leftOver, yesterday, yesterday)
    mkdirSync(folder.path('base'))
    await assert.rejects(
      copyBase({ url, data, to: folder.path('base'), wal: folder.path('wal'), keep: 1 }, () => {}),
      /does not work on .*crashed: another server answers there/,
    )
    assert.deepEqual(readdirSync(folder.path('base')), [])
  })

  it('keeps a segment that was archived before, and refuses another one of its name', () => {
    const script = join(REPOSITORY, 'deploy', 'archive-wal.sh')
    const archived = (segment: string) =>
      execFileSync('sh', [script, folder.path(segment), '000000010000000000000001', folder.path()])
    writeFileSync(folder.path('first'), 'first')
    writeFileSync(folder.path('second'), 'second')
    archived('first')
    archived('first')
    assert.throws(() => archived('second'))
  })

  it('recovery of PostgreSQL to a point in time, by the instructions of docs/operate/back-up.md, has the disk keep a segment that was there already, before PostgreSQL removes its own', () => {
    const script = join(REPOSITORY, 'deploy', 'archive-wal.sh')
    const [segment, calls] = [folder.path('000000010000000000000001'), folder.path('calls')]
    mkdirSync(folder.path('bin'))
    mkdirSync(folder.path('archive'))
    const real = execFileSync('sh', ['-c', 'command -v sync'], { encoding: 'utf8' }).trim()
    writeFileSync(folder.path('bin', 'sync'), `#!/bin/sh\necho "$@" >> ${calls}\nexec ${real} "$@"\n`, {
      mode: 0o755,
    })
    writeFileSync(segment, 'first')
    cpSync(segment, folder.path('archive', basename(segment)))
    const env = { ...process.env, PATH: `${folder.path('bin')}:${process.env['PATH']}` }
    execFileSync('sh', [script, segment, basename(segment), folder.path('archive')], { env })
    const archive = folder.path('archive')
    assert.equal(readFileSync(calls, 'utf8'), `${join(archive, basename(segment))} ${archive}\n`)
  })
})
