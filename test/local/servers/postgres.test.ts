import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { identify } from '#local/processes/process-identity.ts'
import { findFreePort } from '#local/start/ports.ts'
import { ensureDatabase, postgresUrl, preparePostgres, runStatement } from '#local/servers/postgres.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { useTemporaryFolder } from '../temporary-folder.ts'

describe('the embedded PostgreSQL', () => {
  const folder = useTemporaryFolder()
  let supervisor: Supervisor
  let announced: string[]

  async function start(dataFolder = folder.path('postgres')) {
    announced = []
    supervisor = new Supervisor({
      record: await RunRecord.claim(folder.path('run.json')),
      announce: (sentence) => announced.push(sentence),
    })
    const server = { port: await findFreePort(), password: "pass'word" }
    await supervisor.keep(
      await preparePostgres({ ...server, folder: dataFolder, logFile: folder.path('postgres.log') }),
    )
    return server
  }
  afterEach(() => supervisor.stop())

  it('keeps its data from one start to the next', async () => {
    const first = await start()
    await ensureDatabase(first, 'books')
    await ensureDatabase(first, 'books')
    await runStatement(postgresUrl(first, 'books'), 'create table entry as select 42 as amount')
    await supervisor.stop()
    const second = await start()
    const { rows } = await runStatement(postgresUrl(second, 'books'), 'select amount from entry')
    assert.deepEqual(rows, [{ amount: 42 }])
  })

  it('starts although an earlier server was killed and left its lock file', async () => {
    await start()
    await supervisor.stop()
    // The number of a process that runs, but is no PostgreSQL of that user.
    writeFileSync(folder.path('postgres', 'postmaster.pid'), `${process.ppid}\n${folder.path('postgres')}\n`)
    await start()
  })

  it('the embedded PostgreSQL is started again with everything committed when it was killed', async () => {
    const server = await start()
    const url = postgresUrl(server, 'postgres')
    await runStatement(url, 'create table entry as select 42 as amount')
    const pid = Number(readFileSync(folder.path('postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    assert.ok(identify(pid))
    process.kill(pid, 'SIGKILL')
    const deadline = Date.now() + 15_000
    while (!announced.includes('PostgreSQL works again.')) {
      assert.ok(Date.now() < deadline, announced.join('\n'))
      await sleep(20)
    }
    assert.deepEqual((await runStatement(url, 'select amount from entry')).rows, [{ amount: 42 }])
  })

  it('works in a folder that others may not pass, also as root', async () => {
    mkdirSync(folder.path('closed', 'inner'), { recursive: true })
    chmodSync(folder.path('closed'), 0o700)
    const server = await start(folder.path('closed', 'inner', 'postgres'))
    assert.equal((await runStatement(postgresUrl(server, 'postgres'), 'select 1')).rowCount, 1)
  })

  it('refuses a wrong password', async () => {
    const server = await start()
    const wrong = postgresUrl({ ...server, password: 'guess' }, 'postgres')
    await assert.rejects(runStatement(wrong, 'select 1'), { code: '28P01' })
  })

  it('names the versions when the data was written by another major version', async () => {
    await start()
    await supervisor.stop()
    writeFileSync(folder.path('postgres', 'PG_VERSION'), '13\n')
    await assert.rejects(start(), /was written by PostgreSQL 13; the one installed is 18/)
  })
})
