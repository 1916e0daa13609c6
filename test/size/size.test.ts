import assert from 'node:assert/strict'
import { changeOf, nextRecord, raisedIn, type SizeRecord } from './record.ts'
import { MAX_TERMS, avoidedIn, readGlossary, termsOf, usesOf } from './words.ts'
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

  it('words to avoid never rise, also with a reason', () => {
    const figures = { 'words to avoid in names': 3 }
    assert.deepEqual(raisedIn({ figures, why: {} }, { 'words to avoid in names': 4 }), [
      'words to avoid in names',
    ])
    assert.equal(nextRecord({ figures, why: {} }, { 'words to avoid in names': 4 }, 'A reason'), null)
    assert.deepEqual(nextRecord({ figures, why: {} }, { 'words to avoid in names': 2 }, '')?.figures, {
      'words to avoid in names': 2,
    })
  })

  it('words to avoid are found in names, comments, pages, titles and texts, whole and over line breaks', () => {
    const glossary = `# Glossary

## Terms

| term | meaning | instead of |
|---|---|---|
| signal | a request | wish |
| lots | shares by owner | \`takes\` |

## Everyday words

| instead of | write |
|---|---|
| told, set back | notified |
`
    assert.deepEqual(termsOf(glossary), ['signal', 'lots'])
    const sources = new Map([
      [
        'db/a.ts',
        "/** It takes what was set\n * back. */\nexport const takesOf = 'The owner is told'\nexport interface OrderWish {}",
      ],
      ['db/b.ts', 'export const q = `select told_at from t where foretold`'],
      ['test/a.test.ts', "it('the owner is told', () => { const wish = 'told' })"],
    ])
    const pages = new Map([['docs/a.md', 'A Wish. Wishful.']])
    const uses = usesOf(avoidedIn(glossary), sources, pages).map(
      ({ area, words, path }) => `${area}: ${words}: ${path}`,
    )
    assert.deepEqual(
      uses.toSorted((a, b) => (a < b ? -1 : 1)),
      [
        'comments: set back: db/a.ts',
        'names: takes: db/a.ts',
        'names: told: db/b.ts',
        'names: wish: db/a.ts',
        'pages: wish: docs/a.md',
        'texts: told: db/a.ts',
        'titles: told: test/a.test.ts',
      ],
    )
  })

  it('the glossary has at most sixty terms, in the order of the alphabet', () => {
    const terms = termsOf(readGlossary())
    assert.ok(terms.length <= MAX_TERMS, `${terms.length} terms`)
    assert.deepEqual(
      terms,
      terms.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    )
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
