import assert from 'node:assert/strict'
import { productSyntax, syntaxOf } from './product-syntax.ts'
import { productFiles } from './source-files.ts'

describe('choices that a table answers', () => {
  it('choices that a table answers are compared with no name in product code', () => {
    assert.ok(productFiles().length > 500)
    assert.deepEqual(productSyntax().comparisons, [])
  })

  for (const planted of [
    "rule.trigger === 'atClockTime'",
    "'immediate' !== exitTriggerType",
    "rule.exit?.trigger == 'minutesBeforeClose'",
  ])
    it(`choices that a table answers are found where a branch asks ${planted}`, () => {
      const { comparisons } = syntaxOf('domain/planted.ts', `export const found = ${planted}`)
      assert.equal(comparisons.length, 1)
    })
})
