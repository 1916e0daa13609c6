import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from '../architecture/source-files.ts'

const MOCHA = 'node_modules/mocha/bin/mocha.js'
/** Sections that hold something to show; 3 and 2 are headings. */
const SECTIONS = '1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3.1 3.2 3.3 4 4.1 4.2 4.3 4.4 4.5 4.6 5 6 7 8 9'.split(
  ' ',
)

/** The titles of all tests, without running them. */
async function listTitles(): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MOCHA, '--dry-run', '--reporter', 'json', 'test/**/*.test.ts'],
    { cwd: REPOSITORY, maxBuffer: 64 * 1024 * 1024 },
  )
  // Loading the tests may say something before the report begins.
  const { tests } = JSON.parse(stdout.slice(stdout.indexOf('{\n  "stats"')))
  return tests.map(({ fullTitle }: { fullTitle: string }) => fullTitle)
}

describe('every requirement of the specification', function () {
  this.timeout(60_000)
  let page: string
  before(async () => {
    page = await readFile(join(REPOSITORY, 'docs/build/api-coverage.md'), 'utf8')
  })

  it('names the tests that show it, and they are there', async () => {
    const titles = await listTitles()
    const rows = page.split('\n').filter((line) => line.startsWith('- '))
    const blanks = rows.flatMap((row) => {
      const shownBy = [...row.matchAll(/“([^”]+)”/g)].map(([, words]) => words!)
      const gone = shownBy.filter((words) => !titles.some((title) => title.includes(words)))
      return shownBy.length === 0 ? [`${row}: no test`] : gone.map((words) => `${row}: no test “${words}”`)
    })
    assert.deepEqual(blanks, [])
  })

  it('every requirement of the specification is there for every section', () => {
    const parts = page.split(/^## /m).slice(1)
    assert.deepEqual(
      parts.filter((part) => part.includes('\n- ')).map((part) => part.split('\n')[0]),
      SECTIONS,
    )
  })
})
