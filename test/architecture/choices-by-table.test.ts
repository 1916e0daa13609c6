import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT_TRIGGERS } from '#domain/exit.ts'
import { parseSync, Visitor } from 'oxc-parser'
import { REPOSITORY, repositoryFiles } from './source-files.ts'

/**
 * Choices that a table answers, each with the expressions that hold it. A comparison with one name has a branch for all other
 * names, which takes in a choice that is added later.
 */
const BY_TABLE: { names: readonly string[]; subject: RegExp }[] = [
  { names: EXIT_TRIGGERS, subject: /trigger(Type)?$/i },
]

function comparisonsIn(path: string, source: string): string[] {
  const found: string[] = []
  new Visitor({
    BinaryExpression: ({ operator, left, right, start, end }) => {
      if (!/^[!=]==?$/.test(operator)) return
      for (const [one, other] of [
        [left, right],
        [right, left],
      ] as const) {
        const subject = source.slice(other.start, other.end)
        if (one.type !== 'Literal') continue
        if (
          BY_TABLE.some((choice) => choice.names.includes(String(one.value)) && choice.subject.test(subject))
        )
          found.push(`${path}: ${source.slice(start, end)}`)
      }
    },
  }).visit(parseSync(path, source).program)
  return found
}

describe('choices that a table answers', () => {
  it('choices that a table answers are compared with no name in product code', () => {
    const sources = repositoryFiles('.ts', '.tsx').filter((path) => !/^(test|bench)\//.test(path))
    assert.ok(sources.length > 500, `${sources.length} files were read`)
    assert.deepEqual(
      sources.flatMap((path) => comparisonsIn(path, readFileSync(join(REPOSITORY, path), 'utf8'))),
      [],
    )
  })

  for (const planted of [
    "rule.trigger === 'atClockTime'",
    "'immediate' !== exitTriggerType",
    "rule.exit?.trigger == 'minutesBeforeClose'",
  ])
    it(`choices that a table answers are found where a branch asks ${planted}`, () => {
      assert.equal(comparisonsIn('domain/planted.ts', `export const found = ${planted}`).length, 1)
    })
})
