import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { read, REPOSITORY } from './source-files.ts'

/** The pages that name a test for each of their lines, and how many lines they have. */
const PAGES = [
  { what: 'the page of fault points', path: 'docs/build/fault-points.md', letter: 'F', count: 39 },
  { what: 'the page of races of an exit', path: 'docs/build/one-exit.md', letter: 'R', count: 25 },
]

for (const { what, path, letter, count } of PAGES) {
  /** One line for each: its number, and the last column. */
  const rows = [...read(path).matchAll(new RegExp(`^\\| (${letter}\\d+) \\|.*\\| ([^|]+) \\|$`, 'gm'))].map(
    ([, number, shownBy]) => ({ number: number!, shownBy: shownBy! }),
  )

  describe(what, () => {
    it(`${what} has every line, in order`, () => {
      assert.deepEqual(
        rows.map(({ number }) => number),
        Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
      )
    })

    for (const { number, shownBy } of rows)
      it(`${what} names tests of ${number} that are there`, () => {
        const references = [...shownBy.matchAll(/`(test\/[^`]+)`(?: "([^"]+)")?/g)]
        assert.ok(references.length > 0, shownBy)
        for (const [, file, title] of references) {
          assert.ok(existsSync(join(REPOSITORY, file!)), file)
          if (title !== undefined) assert.ok(read(file!).includes(title), `${file} has no "${title}"`)
        }
      })
  })
}
