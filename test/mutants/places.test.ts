import assert from 'node:assert/strict'
import { isExecuted } from '#test/runner/coverage.ts'
import { mutated, placesOf } from './places.ts'
import { looksLikeSql, sqlChanges } from './sql-changes.ts'

describe('the random changes of the product', () => {
  const changed = (source: string): string[] =>
    placesOf('domain/any.ts', source).map((place) => mutated(source, place))

  const rows: readonly [source: string, ...changed: string[]][] = [
    ['if (a) return', 'if (!(a)) return', ';'],
    ['x = a === b', ';', 'x = (a !== b)'],
    ['const f = () => a < b', 'const f = () => (a <= b)', 'const f = () => (a > b)'],
    ['const x = { ...(a && { b }) }', 'const x = { ...({}) }'],
    ['const x = smaller(a, b)', 'const x = a'],
    ['const x = a.filter(b).some(c)', 'const x = a.filter(b).every(c)', 'const x = a.some(c)'],
    ["const x: 'a' | 'b' = 'a'", "const x: 'a' | 'b' = ''"],
    ['await store(x)', ';'],
    ["log.warn('a')"],
    ["throw new Error('in words')"],
  ]
  for (const [source, ...expected] of rows)
    it(`the changes of ${source} are ${expected.join(' and ') || 'none'}`, () =>
      assert.deepEqual(changed(source), expected))

  const statements: readonly [text: string, ...changed: string[]][] = [
    [
      'where a = ? and b is null',
      'where a <> ? and b is null',
      'where a = ? and b is not null',
      'where a = ? ',
      'where a = ? or b is null',
    ],
    ['update t set a = 1, b = 2 where c < 3', 'update t set a = 1, b = 2 where c <= 3'],
    ['select coalesce(max(a), 0)', 'select coalesce(min(a), 0)', 'select max(a)'],
    ['-- where a = 1 and b'],
  ]
  for (const [text, ...expected] of statements)
    it(`the changes of the statement ${text} are ${expected.join(' and ') || 'none'}`, () => {
      assert.ok(looksLikeSql(text))
      const found = sqlChanges(text).map(
        ({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
      )
      assert.deepEqual(found, expected)
    })

  it('a place is executed within the edges of a part that was', () => {
    assert.deepEqual(
      [4, 5, 9, 10, 20].map((offset) => isExecuted([5, 10, 20, 30], offset)),
      [false, true, true, false, true],
    )
  })
})
