import assert from 'node:assert/strict'
import { OLD_BY } from '#web/connection/old-by.ts'
import { rowOf } from '#web/connection/fresh.ts'
import { read, repositoryFiles } from './source-files.ts'

/** The beginnings of the keys of all readings of the web application, as its source writes them. */
const keysIn = (source: string): string[][] =>
  [
    ...source.matchAll(
      /(?:queryKey: |KEY = |SUMMARY = |SUMMARIES = |[kK]ey = |=> |of the key )\[('[^\]]*)\]/g,
    ),
  ].map(([, parts = '']) =>
    parts
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '' && part !== 'as const')
      .map((part) => (/^'.*'$/.test(part) ? part.slice(1, -1) : '…')),
  )

describe('the keys of what the web app reads', () => {
  const keys = repositoryFiles('.ts', '.tsx')
    .filter((path) => path.startsWith('web/'))
    .flatMap((path) => keysIn(read(path)).map((key) => ({ path, key })))

  it('the keys of what the web app reads have each a line that says which news make it old', () => {
    assert.ok(keys.length > 40, `${keys.length} keys were found`)
    assert.deepEqual(
      keys.filter(({ key }) => !rowOf(OLD_BY, key)).map(({ path, key }) => `${path}: ${key.join(' ')}`),
      [],
    )
  })

  it('the keys of what the web app reads are used, every line of them', () => {
    const isUsed = (row: readonly string[]) =>
      keys.some(({ key }) => row.every((part, at) => key[at] === part || key[at] === '…'))
    assert.deepEqual(
      OLD_BY.filter(({ key }) => !isUsed(key)).map(({ key }) => key.join(' ')),
      [],
    )
  })
})
