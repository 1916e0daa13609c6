import assert from 'node:assert/strict'
import { GENERATED_PARTS, pageOf } from '#test/support/generated-pages.ts'

describe('generated pages', () => {
  for (const part of GENERATED_PARTS)
    it(`the generated page about ${part.name} agrees with the code (npm run docs writes it again)`, async () => {
      const { is, shouldBe } = await pageOf(part)
      assert.equal(is, shouldBe)
    })
})
