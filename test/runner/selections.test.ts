import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { runApart, SELECTIONS } from './selections.ts'

describe('the parts of the tests that have a name', () => {
  it('name only files that are there', () => {
    const named = Object.values(SELECTIONS).flatMap(({ apart = [], shared = [], main }) => [
      ...apart,
      ...shared,
      ...(main === undefined ? [] : [main]),
    ])
    assert.deepEqual(
      named.filter((path) => globSync(path).length === 0),
      [],
    )
  })

  it('leave files out of the whole run by paths, which no pattern is', () => {
    const tests = runApart().filter((path) => path.endsWith('.test.ts') || path.endsWith('/'))
    assert.deepEqual(
      tests.filter((path) => path.includes('*')),
      [],
    )
    assert.ok(tests.includes('test/web/pages/'))
  })
})
