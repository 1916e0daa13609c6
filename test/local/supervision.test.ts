import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ProcessNotReadyError, type ProcessSpec } from '#local/processes/managed-process.ts'
import { identify, isRunning } from '#local/processes/process-identity.ts'
import { AlreadyRunningError, endRecordedProcesses, RunRecord } from '#local/processes/run-record.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { useTemporaryFolder } from './temporary-folder.ts'

describe('supervision', () => {
  const folder = useTemporaryFolder()
  let record: RunRecord
  let supervisor: Supervisor
  let announced: string[]

  beforeEach(async () => {
    announced = []
    record = await RunRecord.claim(folder.path('run.json'))
    supervisor = new Supervisor({
      record,
      announce: (sentence) => announced.push(sentence),
      restartDelays: [10],
    })
  })
  afterEach(() => supervisor.stop())

  /** A process that writes its number to `<name>.pid` once it is up, and its name to `ended` when told to stop. */
  function part(name: string, change: { script?: string } & Partial<ProcessSpec> = {}): ProcessSpec {
    const script = `
      const fs = require('node:fs')
      process.on('SIGTERM', () => { fs.appendFileSync('${folder.path('ended')}', '${name} '); process.exit() })
      setInterval(() => {}, 1000)
      fs.writeFileSync('${folder.path(`${name}.pid`)}', String(process.pid))`
    return {
      name,
      command: process.execPath,
      args: ['-e', change.script ?? script],
      logFile: folder.path(`${name}.log`),
      ready: async () => void process.kill(pidOf(name), 0),
      readyTimeoutMs: 10_000,
      ...change,
    }
  }
  /** Throws while its file is not there, or has nothing in it yet: 0 would name this group of processes. */
  function pidOf(name: string): number {
    const pid = Number(readFileSync(folder.path(`${name}.pid`), 'utf8'))
    assert.ok(pid > 0)
    return pid
  }
  async function until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + 10_000
    while (!condition()) {
      assert.ok(Date.now() < deadline, `not within ten seconds: ${String(condition)}`)
      await sleep(10)
    }
  }

  it('sets the log of a running program aside at 20 MB, which goes on writing', async function () {
    this.timeout(30_000)
    const log = folder.path('loud.log')
    const script = `
      const fs = require('node:fs')
      fs.writeFileSync('${folder.path('loud.pid')}', String(process.pid))
      for (let n = 0; n < 22_000; n += 1) fs.writeSync(1, n + ' ' + 'x'.repeat(1_000) + '\\n')
      setInterval(() => fs.writeSync(1, 'later\\n'), 200)`
    await supervisor.keep(part('loud', { script }))
    const deadline = Date.now() + 20_000
    while (!existsSync(`${log}.1`) || !readFileSync(log, 'utf8').startsWith('later')) {
      assert.ok(Date.now() < deadline, 'it was not set aside')
      await sleep(50)
    }
    const lines = readFileSync(`${log}.1`, 'utf8').trimEnd().split('\n')
    const numbered = lines.filter((line) => line !== 'later')
    assert.deepEqual([numbered.length, numbered.at(-1)!.slice(0, 6)], [22_000, '21999 '])
  })

  it('starts a process again when it was killed, and says so', async () => {
    await supervisor.keep(part('venue'))
    const first = pidOf('venue')
    process.kill(first, 'SIGKILL')
    await until(() => announced.length === 2)
    assert.notEqual(pidOf('venue'), first)
    assert.match(announced[0]!, /venue ended \(killed by SIGKILL\)/)
    assert.equal(announced[1], 'venue works again.')
  })

  it('supervision does not give up a process that has worked and then cannot start for a while', async () => {
    const flag = folder.path('broken')
    const script = `
      const fs = require('node:fs')
      if (fs.existsSync('${flag}')) { console.error('disk full'); process.exit(3) }
      fs.writeFileSync('${folder.path('worker.pid')}', String(process.pid)); setInterval(() => {}, 1000)`
    await supervisor.keep(part('worker', { script }))
    writeFileSync(flag, '')
    process.kill(pidOf('worker'), 'SIGKILL')
    await until(() => announced.filter((sentence) => sentence.includes('status 3')).length >= 3)
    rmSync(flag)
    await until(() => announced.at(-1) === 'worker works again.')
  })

  it('reports a process that ends before it is ready, with its last output', async () => {
    const failing = part('api', { script: "console.error('no such database'); process.exit(2)" })
    await assert.rejects(
      supervisor.keep(failing),
      (error) =>
        error instanceof ProcessNotReadyError &&
        error.message === 'api ended before it was ready (status 2)' &&
        error.lastLines.includes('no such database'),
    )
    assert.deepEqual(announced, [])
  })

  it('reports a process that stays silent, and leaves none behind', async () => {
    const silent = part('api', {
      readyTimeoutMs: 200,
      ready: () => Promise.reject(new Error('no answer')),
    })
    await assert.rejects(supervisor.keep(silent), /api was not ready within/)
    assert.deepEqual(JSON.parse(readFileSync(record.file, 'utf8')).processes, [])
  })

  it('reports a command that does not exist', async () => {
    await assert.rejects(supervisor.keep(part('api', { command: folder.path('absent') })), /ENOENT/)
  })

  it('stops in the opposite order of the first start, restarts notwithstanding', async () => {
    for (const name of ['database', 'worker', 'api']) await supervisor.keep(part(name))
    process.kill(pidOf('database'), 'SIGKILL')
    await until(() => announced.includes('database works again.'))
    await supervisor.stop()
    assert.equal(readFileSync(folder.path('ended'), 'utf8'), 'api worker database ')
    assert.equal(existsSync(record.file), false)
  })

  it('kills a process that does not stop within its grace time, and its children', async () => {
    const script = `
      const { spawn } = require('node:child_process')
      process.on('SIGTERM', () => {})
      const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"])
      require('node:fs').writeFileSync('${folder.path('stubborn.pid')}', String(child.pid))
      setInterval(() => {}, 1000)`
    await supervisor.keep(part('stubborn', { script, graceMs: 100 }))
    const child = identify(pidOf('stubborn'))
    assert.ok(child)
    await supervisor.stop()
    await until(() => !isRunning(child))
  })

  it('stops everything although its record was removed', async () => {
    await supervisor.keep(part('venue'))
    const venue = identify(pidOf('venue'))
    assert.ok(venue)
    rmSync(record.file)
    await supervisor.stop()
    assert.equal(isRunning(venue), false)
  })

  it('starts nothing any more once it stops', async () => {
    await supervisor.stop()
    await assert.rejects(supervisor.keep(part('late')), /everything is being stopped/)
  })

  it('ends the processes of a killed run when the next run begins', async () => {
    await supervisor.keep(part('venue'))
    const left = identify(pidOf('venue'))
    assert.ok(left)
    assert.deepEqual(await endRecordedProcesses(record.file), ['venue'])
    assert.equal(isRunning(left), false)
    // The supervisor of this test must not start it again.
    await supervisor.stop()
  })

  it('leaves a process alone that was given the number of one in the record', async () => {
    await supervisor.keep(part('venue'))
    const { processes } = JSON.parse(readFileSync(record.file, 'utf8'))
    assert.equal(isRunning(processes[0]), true)
    assert.equal(isRunning({ ...processes[0], stamp: 'an earlier boot/1' }), false)
  })
})

describe('a run', () => {
  const folder = useTemporaryFolder()
  const owner = fileURLToPath(new URL('./owner-process.ts', import.meta.url))

  async function startOwner() {
    const process_ = spawn(process.execPath, [owner, folder.path('run.json')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(process_.stdout, 'data')) as [Buffer]
    const child = identify(Number(line.toString()))
    assert.ok(child)
    return { process_, child }
  }

  it('a run that is killed is cleaned up by its guardian', async () => {
    const { process_, child } = await startOwner()
    process_.kill('SIGKILL')
    const deadline = Date.now() + 10_000
    while (existsSync(folder.path('run.json')) || isRunning(child)) {
      assert.ok(Date.now() < deadline, 'the guardian left something behind')
      await sleep(20)
    }
  })

  it('a run that is alive cannot be joined by a second one on the same record', async () => {
    const { process_, child } = await startOwner()
    await assert.rejects(
      RunRecord.claim(folder.path('run.json')),
      (error) => error instanceof AlreadyRunningError && error.pid === process_.pid,
    )
    assert.ok(isRunning(child))
    process_.kill('SIGKILL')
    while (existsSync(join(folder.path('run.json')))) await sleep(20)
  })
})
