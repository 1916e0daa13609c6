import assert from 'node:assert/strict'
import type { EntityManager } from '#db/engine/database.ts'
import { useDatabase } from '#test/support/database.ts'
import { COMPOSED_STEPS, goldenFile, goldenNames, goldenText } from './golden-files.ts'

describe('the SQL that is composed of parts', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  for (const composed of COMPOSED_STEPS)
    it(`the SQL that is composed of parts of ${composed.name} is the one in its file, and PostgreSQL takes it (npm run docs writes it anew)`, async () => {
      assert.equal(await goldenText(em, composed), await goldenFile(composed.name))
    })

  it('the SQL that is composed of parts has no file of a step that is gone', async () => {
    assert.deepEqual((await goldenNames()).toSorted(), COMPOSED_STEPS.map(({ name }) => name).toSorted())
  })
})
