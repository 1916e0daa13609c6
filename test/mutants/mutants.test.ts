import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { nameOf } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

describe('the planted mistakes of the money path', () => {
  const textOf = (file: string): string => readFileSync(join(REPOSITORY, file), 'utf8')

  it('each planted mistake has a name of its own', () => {
    assert.equal(new Set(MUTANTS.map(nameOf)).size, MUTANTS.length)
  })

  it('name tests that are there', () => {
    const missing = MUTANTS.flatMap(({ tests }) => tests).filter(
      (test) => !existsSync(join(REPOSITORY, test)),
    )
    assert.deepEqual(missing, [])
  })

  it('change a text that occurs exactly once', () => {
    const astray = MUTANTS.map((mutant) => ({
      mutant: nameOf(mutant),
      found: textOf(mutant.file).split(mutant.find).length - 1,
    })).filter(({ found }) => found !== 1)
    assert.deepEqual(astray, [])
  })

  it('leave code that can be read, and is another than before', () => {
    for (const mutant of MUTANTS) {
      assert.notEqual(mutant.find, mutant.replacement, nameOf(mutant))
      const mutated = textOf(mutant.file).replace(mutant.find, () => mutant.replacement)
      assert.deepEqual(parseSync(mutant.file, mutated).errors, [], nameOf(mutant))
    }
  })

  it('plant a bug for each race of an exit', () => {
    const planted = new Set(MUTANTS.map(({ mistake }) => mistake))
    const rows = textOf('docs/build/one-exit.md').match(/^\| R\d+ \|.*$/gm) ?? []
    const bugsOf = (row: string): string[] =>
      [...(row.split(' | ').at(-2) ?? '').matchAll(/"([^"]+)"/g)].map(([, mistake]) => mistake!)
    assert.deepEqual(
      rows.filter((row) => bugsOf(row).length === 0 || !bugsOf(row).every((bug) => planted.has(bug))),
      [],
    )
  })
})
