import assert from 'node:assert/strict'
import { changeOf, nextRecord, raisedIn, type SizeRecord } from './record.ts'
import { unimportedExports } from './unimported-exports.ts'

describe('the size of the repository', () => {
  const record: SizeRecord = {
    figures: { 'words of docs': 1_000, 'lines of tests': 50, 'seconds of the last whole npm test': 90 },
    why: { 'words of comments': 'An earlier reason' },
  }
  const now = { 'words of docs': 1_000, 'lines of tests': 50, 'seconds of the last whole npm test': null }

  it('the words of the docs may rise above the record with a reason only, which the record holds then', () => {
    const more = { ...now, 'words of docs': 1_001 }
    assert.deepEqual(raisedIn(record, more), ['words of docs'])
    assert.equal(nextRecord(record, more, ' '), null)
    const next = nextRecord(record, more, 'Exits have a page')!
    assert.deepEqual(next.why, { 'words of docs': 'Exits have a page' })
    assert.deepEqual(raisedIn(next, more), [])
    assert.deepEqual(raisedIn(next, { ...more, 'words of docs': 1_002 }), ['words of docs'])
  })

  it('a bounded figure may fall without a reason, and other figures may rise', () => {
    const other = { ...now, 'words of docs': 900, 'lines of tests': 60 }
    assert.deepEqual(raisedIn(record, other), [])
    assert.deepEqual(nextRecord(record, other, ''), {
      figures: { 'words of docs': 900, 'lines of tests': 60, 'seconds of the last whole npm test': 90 },
      why: {},
    })
  })

  it('a changed figure is shown with the value before it and the difference', () => {
    assert.deepEqual(
      [
        changeOf(1_000, 1_001),
        changeOf(1_000, 900),
        changeOf(7, 7),
        changeOf(undefined, 7),
        changeOf(7, null),
      ],
      ['1,000 → 1,001 (+1)', '1,000 → 900 (−100)', '7', '7', 'not measured'],
    )
  })

  it('an export counts as unimported when only tests and benchmarks import it', () => {
    const sources = new Map([
      [
        'domain/a.ts',
        'export const used = 1\nexport const tested = 2\nexport type Idle = 3\nconst x = 4\nexport { x as y }',
      ],
      ['domain/whole.ts', 'export const each = 1'],
      ['db/b.ts', `import { used as u } from '#domain/a.ts'\nexport { y } from '../domain/a.ts'`],
      ['db/c.ts', `import * as whole from '#domain/whole.ts'\nimport { y } from './b.ts'`],
      ['test/domain/a.test.ts', `import { tested } from '#domain/a.ts'`],
    ])
    assert.deepEqual(unimportedExports(sources), ['domain/a.ts: tested', 'domain/a.ts: Idle'])
  })
})
