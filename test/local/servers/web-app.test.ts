import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dataFolderAt } from '#local/start/data-folder.ts'
import { prepareWebApp } from '#local/start/parts.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { useTemporaryFolder } from '../temporary-folder.ts'

/** Stands in for the real build: writes the page, and a line for each time that it ran. */
const BUILD = `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
appendFileSync('builds', 'built\\n')
const source = readFileSync('web/main.tsx', 'utf8')
if (source.includes('fault')) throw new Error('web/main.tsx:1 is no program')
mkdirSync('web/dist', { recursive: true })
writeFileSync('web/dist/index.html', source)`

describe('the build of the web app at npm start', function () {
  this.timeout(60_000)
  const folder = useTemporaryFolder()
  let record: RunRecord
  beforeEach(async () => {
    for (const name of ['web', 'domain', 'contract', 'client', 'node_modules/vite'])
      mkdirSync(folder.path(name), { recursive: true })
    write('package.json', JSON.stringify({ scripts: { 'build:web': 'node build.cjs' } }))
    write('package-lock.json', '{}')
    write('build.cjs', BUILD)
    write('web/vite.config.ts', '')
    write('web/main.tsx', 'first')
    record = await RunRecord.claim(folder.path('run.json'))
  })
  afterEach(() => record.close())

  const write = (name: string, text: string) => writeFileSync(folder.path(name), text)
  const page = () => readFileSync(folder.path('web/dist/index.html'), 'utf8')
  const builds = () => readFileSync(folder.path('builds'), 'utf8').split('built').length - 1
  const prepare = (report = (_: string) => {}) =>
    prepareWebApp({ folder: dataFolderAt(folder.path('data')), keeper: { record } }, report, folder.path())

  it('happens at the first start, and again only when its sources have changed', async () => {
    const reports: string[] = []
    assert.deepEqual(await prepare((progress) => reports.push(progress)), {
      outcome: { isServed: true },
      detail: 'built',
    })
    assert.equal(reports[0], 'building')
    assert.equal((await prepare()).detail, 'unchanged')
    assert.equal(builds(), 1)
    for (const source of [
      'web/main.tsx',
      'domain/rule.ts',
      'contract/shape.ts',
      'client/client.ts',
      'package-lock.json',
    ]) {
      write(source, `changed ${source}`)
      assert.equal((await prepare()).detail, 'built', source)
      assert.equal((await prepare()).detail, 'unchanged', source)
    }
    assert.equal(page(), 'changed web/main.tsx')
  })

  it('the build of the web app at npm start is reported with its log when it fails, keeps the page before it, and is tried again', async () => {
    await prepare()
    write('web/main.tsx', 'fault')
    for (let attempt = 0; attempt < 2; attempt++) {
      const { outcome } = await prepare()
      assert.ok(!outcome.isServed)
      const [, log] = /could not be built, see (\S+);/.exec(outcome.why)!
      assert.match(readFileSync(log!, 'utf8'), /web\/main\.tsx:1 is no program/)
      assert.equal(page(), 'first')
    }
    assert.equal(builds(), 3)
    write('web/main.tsx', 'mended')
    assert.deepEqual((await prepare()).outcome, { isServed: true })
    assert.equal(page(), 'mended')
  })

  it('the build of the web app at npm start is left out where the packages that build it are not installed', async () => {
    rmSync(folder.path('node_modules'), { recursive: true })
    const { outcome } = await prepare()
    assert.ok(!outcome.isServed)
    assert.match(outcome.why, /npm ci/)
    assert.equal(existsSync(folder.path('builds')), false)
  })
})
