import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from '../architecture/source-files.ts'
import { SPECIFICATION } from './specification.ts'

const MOCHA = 'node_modules/mocha/bin/mocha.js'
/** Sections that hold something to show; 3 and 2 are headings. */
const SECTIONS = '1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3.1 3.2 3.3 4 4.1 4.2 4.3 4.4 4.5 4.6 5 6 7 8 9'.split(
  ' ',
)

interface ListedTest {
  file: string
  fullTitle: string
}

/** The titles of all tests, without running them. */
async function listTests(): Promise<Map<string, string[]>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MOCHA, '--dry-run', '--reporter', 'json', 'test/**/*.test.ts'],
    { cwd: REPOSITORY, maxBuffer: 64 * 1024 * 1024 },
  )
  // Loading the tests may say something before the report begins.
  const { tests } = JSON.parse(stdout.slice(stdout.indexOf('{\n  "stats"'))) as { tests: ListedTest[] }
  const titles = Map.groupBy(tests, ({ file }) => relative(REPOSITORY, file))
  return new Map([...titles].map(([file, listed]) => [file, listed.map(({ fullTitle }) => fullTitle)]))
}

describe('every requirement of the specification', function () {
  this.timeout(60_000)

  it('names the tests that show it, and they are there', async () => {
    const titles = await listTests()
    const blanks = SPECIFICATION.flatMap(({ section, subject, shownBy }) => [
      ...(shownBy.length === 0 ? [`${section} ${subject}: nothing shows it`] : []),
      ...shownBy
        .filter(({ file, title }) => !titles.get(file)?.some((fullTitle) => fullTitle.includes(title)))
        .map(({ file, title }) => `${section} ${subject}: ${file} has no test "${title}"`),
    ])
    assert.deepEqual(blanks, [])
  })

  it('every requirement of the specification is there for every section', () => {
    assert.deepEqual([...new Set(SPECIFICATION.map(({ section }) => section))], SECTIONS)
  })
})
