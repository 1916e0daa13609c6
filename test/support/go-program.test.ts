import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { RunRecord } from '#local/processes/run-record.ts'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'
import { findGoProgram } from './go-program.ts'
import { ToolMissing } from './left-out.ts'

const PROGRAM = { name: 'teller', package: 'example.test/cmd/teller', version: '1.2.3', tellsVersion: true }

describe('a program that Go builds', () => {
  const folder = useTemporaryFolder()
  const before = { PATH: process.env['PATH'], XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] }
  beforeEach(() => {
    process.env['XDG_CACHE_HOME'] = folder.path('cache')
    // There is a shell, and no Go.
    process.env['PATH'] = '/bin'
  })
  afterEach(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })

  const inCache = (says: string): string => {
    const place = folder.path('cache', 'durable-trader', 'teller-1.2.3', 'teller')
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 })
    return place
  }
  const find = async (): Promise<string> => {
    const record = await RunRecord.claim(folder.path('run.json'))
    return findGoProgram(PROGRAM, { record, logFolder: folder.path('logs'), report: () => {} })
  }

  it('a program that Go builds is taken from the cache when it says that it is of the wanted version', async () => {
    const place = inCache('teller version 1.2.3')
    assert.equal(await find(), place)
  })

  it('a program that Go builds is not taken from the cache when it says that it is of another, and the message names the way out', async () => {
    inCache('teller version 1.2.30')
    await assert.rejects(find(), (error) => error instanceof ToolMissing && /install Go/.test(error.message))
  })
})
