import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunResult } from './lanes.ts'

const LANES = new URL('lanes.ts', import.meta.url).href

describe('the run of all tests, in lanes', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-lanes-'))
  after(() => rmSync(folder, { recursive: true }))

  /** Runs test files with these texts in two lanes; the last line of the output is the outcome. */
  function outcomeOf(texts: Record<string, string>): RunResult & { output: string } {
    const files = Object.entries(texts).map(([name, text]) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    })
    const script = `
      const { runInLanes } = await import(${JSON.stringify(LANES)})
      console.log(JSON.stringify(await runInLanes(${JSON.stringify(files)}, 2)))`
    const options = { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } } as const
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], options)
    return { ...JSON.parse(output.trimEnd().split('\n').at(-1)!), output }
  }

  it('counts passed, failed and skipped tests over all files, says what failed, and prints a line for each file', () => {
    const { passed, skipped, failures, output, seconds } = outcomeOf({
      'one.test.ts': `it('holds', () => {}); it.skip('waits', () => {})`,
      'two.test.ts': `describe('a sum', () => it('is wrong', () => { throw new Error('1 + 1 = 3') }))`,
    })
    assert.deepEqual([passed, skipped], [1, 1])
    assert.deepEqual(
      failures.map(({ title, error }) => [title, error.split('\n')[0]]),
      [['a sum is wrong', 'Error: 1 + 1 = 3']],
    )
    assert.match(output, /FAILED a sum is wrong\n {2}in .*two\.test\.ts\n\nError: 1 \+ 1 = 3/)
    assert.match(output, /[12] of 2, 0:\d\d {2}.*one\.test\.ts: 1 passed, 1 skipped, \d+\.\d s/)
    assert.deepEqual(
      Object.keys(seconds)
        .map((file) => file.slice(-11))
        .toSorted(),
      ['one.test.ts', 'two.test.ts'],
    )
  })

  it('runs a failed file again with nothing beside it, and reports a test that passes then as unsteady', () => {
    const mark = JSON.stringify(join(folder, 'mark'))
    const { passed, failures, unsteady } = outcomeOf({
      'always.test.ts': `it('fails always', () => { throw new Error('no') })`,
      'once.test.ts': `
        import { existsSync, writeFileSync } from 'node:fs'
        it('fails once', () => {
          if (existsSync(${mark})) return
          writeFileSync(${mark}, '')
          throw new Error('out of breath')
        })`,
    })
    assert.equal(passed, 1)
    assert.deepEqual(
      failures.map(({ title }) => title),
      ['fails always'],
    )
    assert.deepEqual(
      unsteady.map(({ title }) => title),
      ['fails once'],
    )
  })

  it('gives no second run when many files have failed', () => {
    const failing = (name: number) => [`many-${name}.test.ts`, `it('fails', () => { throw new Error('no') })`]
    const { output, failures } = outcomeOf(
      Object.fromEntries(Array.from({ length: 13 }, (_, number) => failing(number))),
    )
    assert.equal(failures.length, 13)
    assert.equal(output.match(/ of 13, /g)?.length, 13)
  })

  it('goes on after a promise that is rejected when nothing waits for it, and reports it', () => {
    const files = Array.from({ length: 40 }, (_, number) => [
      `rejects-${number}.test.ts`,
      `it('leaves a promise behind', async () => {
        void Promise.reject(new Error('left behind ${number}'))
        await new Promise((resolve) => setTimeout(resolve, 5))
      })`,
    ])
    const { passed, failures } = outcomeOf(Object.fromEntries(files))
    assert.deepEqual([passed, failures], [40, []])
  })

  it('replaces a process that holds much memory after a file', () => {
    const { output, passed } = outcomeOf({
      'fills.test.ts': `
        globalThis.kept = Array.from({ length: 140 }, (_, n) => new Array(1_000_000).fill(n))
        it('holds', () => {})`,
    })
    assert.equal(passed, 1)
    assert.match(output, /The process that ran it holds 1\d{3} MB, and is replaced/)
  })

  it('counts a file that cannot be loaded, one whose process dies and one with .only as failures', () => {
    const { passed, failures } = outcomeOf({
      'dies.test.ts': `it('dies', () => process.exit(7))`,
      'load.test.ts': `throw new Error('unreadable')`,
      'only.test.ts': `it.only('is alone', () => {})`,
      'rest.test.ts': `it('holds', () => {})`,
    })
    assert.equal(passed, 1)
    assert.deepEqual(failures.map(({ file }) => file.slice(folder.length + 1)).toSorted(), [
      'dies.test.ts',
      'load.test.ts',
      'only.test.ts',
    ])
    assert.match(failures.map(({ error }) => error).join('\n'), /exit code 7/)
  })
})
