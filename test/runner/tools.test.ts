import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'
import { closingLine } from '#test/support/closing-line.ts'
import { remedyOf, TOOL_NAMES, TOOLS, type Tool } from '#test/support/tools.ts'

/** What every Debian has, and what npm brings. */
const ALWAYS_THERE = 'sh cp du id test mount umount sha256sum setpriv getconf npm mocha'.split(' ')
const TOOLS_MODULE = pathToFileURL(join(REPOSITORY, 'test/support/tools.ts')).href

describe('the list of programs that tests need', () => {
  it('says of each how a person brings it, and which tests that is for', () => {
    for (const name of TOOL_NAMES) {
      const { packages, elsewhere, tests }: Tool = TOOLS[name]
      assert.ok(packages.length > 0 || elsewhere !== undefined, name)
      assert.match(remedyOf(name), /apt-get install \w|install Go/)
      assert.match(tests, /^(of|on|with) /, name)
    }
  })

  it('the list of programs has every program that a test runs by its name, and no test runs one of the list by itself', () => {
    const called = globSync('test/**/*.ts', { cwd: REPOSITORY }).flatMap((file) =>
      [
        ...readFileSync(join(REPOSITORY, file), 'utf8').matchAll(
          /\b(?:spawn|spawnSync|execFile|execFileSync)\)?\(\s*'([\w-]+)'/g,
        ),
      ].map(([, name]) => ({ file, name })),
    )
    assert.deepEqual(
      called.filter(
        ({ name, file }) => !ALWAYS_THERE.includes(name!) && !file.endsWith('security-sources.test.ts'),
      ),
      [],
      'call tool() of test/support/tools.ts instead',
    )
    assert.ok(called.length > 5)
  })

  it('names everything that was left out in one line, each remedy once', () => {
    const line = closingLine({ chromium: 3, promtool: 1, amtool: 2, prometheus: 0 })
    assert.equal(line.split('\n').length, 1)
    assert.match(
      line,
      /3 tests of the web app in a browser \(as root on Debian: apt-get install chromium; or name/,
    )
    assert.equal(line.match(/prometheus-alertmanager/g)?.length, 1)
    assert.match(line, /3 tests of Prometheus/)
    assert.equal(closingLine({}), '')
  })
})

describe('a test on a machine that lacks its program', function () {
  this.timeout(60_000)
  const folder = useTemporaryFolder()

  /** Runs a file of tests with nothing on the PATH but Node, in an empty home, and with apt-get for nobody. */
  function run(text: string, environment: NodeJS.ProcessEnv = {}): { status: number | null; output: string } {
    const file = folder.path('lacking.test.ts')
    writeFileSync(file, text.replaceAll('TOOLS', JSON.stringify(TOOLS_MODULE)))
    symlinkSync(process.execPath, folder.path('node'))
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test/runner/main.ts', file], {
      cwd: REPOSITORY,
      encoding: 'utf8',
      env: { PATH: folder.path(), HOME: folder.path(), ...environment },
    })
    return { status, output: stdout + stderr }
  }

  const IN_A_HOOK = `
    import { tool } from TOOLS
    describe('a suite', () => {
      before(() => tool('ps'))
      before(() => { throw new Error('it goes on without') })
      beforeEach(() => { throw new Error('it goes on without') })
      after(() => { throw new Error('nothing was begun') })
      it('needs it', () => {})
      describe('below', () => {
        before(() => { throw new Error('it goes on below') })
        it('needs it too', () => {})
      })
    })
    it('needs nothing', () => {})`

  it('a test that lacks its program is left out with its suite where a hook asks, and counted, and named in a closing line with the remedy', () => {
    const { status, output } = run(IN_A_HOOK)
    assert.equal(status, 0, output)
    assert.match(output, /1 passing/)
    assert.match(output, /2 pending/)
    assert.match(
      output,
      /Left out on this machine: 2 tests of processes that stand still \(as root on Debian: apt-get install procps\)\n/,
    )
  })

  it('a test that lacks its program is left out alone where it asks itself, also by a promise of several tests and by an error of another', () => {
    const { status, output } = run(`
      import { tool } from TOOLS
      const once = tool('chromium')
      once.catch(() => {})
      it('one', () => once)
      it('two', async () => {
        try { await once } catch (error) { throw new Error('no browser', { cause: error }) }
      })
      it('three', () => {})`)
    assert.equal(status, 0, output)
    assert.match(output, /1 passing[^]*2 pending[^]*2 tests of the web app/)
  })

  it('fails where CI is true', () => {
    const { status, output } = run(IN_A_HOOK, { CI: 'true' })
    assert.notEqual(status, 0, output)
    assert.match(
      output,
      /ps is missing: there is none on this machine \(as root on Debian: apt-get install procps\)/,
    )
    assert.doesNotMatch(output, /Left out/)
  })

  it('fails for every other error, as elsewhere', () => {
    const { status, output } = run(`it('fails', () => { throw new Error('ps is missing') })`)
    assert.notEqual(status, 0, output)
  })
})
