import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './source-files.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')
/** One line for each fault: its number, and the last column. */
const ROWS = [...read('docs/fault-points.md').matchAll(/^\| (F\d+) \|.*\| ([^|]+) \|$/gm)].map(
  ([, number, shownBy]) => ({ number: number!, shownBy: shownBy! }),
)
const HOW_MANY = 39

describe('the page of fault points', () => {
  it('the page of fault points has every fault, in order', () => {
    assert.deepEqual(
      ROWS.map(({ number }) => number),
      Array.from({ length: HOW_MANY }, (_, index) => `F${index + 1}`),
    )
  })

  for (const { number, shownBy } of ROWS)
    it(`names tests of ${number} that are there`, () => {
      const references = [...shownBy.matchAll(/`(test\/[^`]+)`(?: "([^"]+)")?/g)]
      assert.ok(references.length > 0, shownBy)
      for (const [, file, title] of references) {
        assert.ok(existsSync(join(REPOSITORY, file!)), file)
        if (title !== undefined) assert.ok(read(file!).includes(title), `${file} has no "${title}"`)
      }
    })
})
