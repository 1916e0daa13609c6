import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'

const MAIN = join(REPOSITORY, 'test/cluster/main.ts')
const DATA = join(tmpdir(), `durable-trader-never-made-${process.pid}`)
const run = (...args: string[]) =>
  spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', cwd: REPOSITORY })

describe('npm test -- cluster', () => {
  it('tells its options, and starts nothing', () => {
    const { status, stdout } = run('--help')
    assert.equal(status, 0)
    for (const option of ['--data FOLDER', '--port N', '--ui-port N'])
      assert.ok(stdout.includes(option), stdout)
  })

  it('refuses what it does not know and ports that do not exist, with its help', () => {
    for (const args of [
      ['--shards', '4'],
      ['--port', '0'],
      ['--port', '65536'],
      ['--ui-port', 'ui'],
    ]) {
      const { status, stderr } = run(...args, '--data', DATA)
      assert.equal(status, 2, stderr)
      assert.match(stderr, /npm test -- cluster \[options\]/)
    }
    assert.ok(!existsSync(DATA))
  })
})
