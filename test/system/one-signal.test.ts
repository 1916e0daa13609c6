import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { filesOnPage, WALK_PAGE } from '#test/walk/page.ts'
import { recordWalk, type Walk } from '#test/walk/recording.ts'

describe('docs/one-signal.md', function () {
  this.timeout(180_000)
  const listed = filesOnPage(readFileSync(WALK_PAGE, 'utf8'))
  let walk: Walk
  before(async () => {
    walk = await recordWalk()
  })

  it('lists every file whose functions ran for a signal (npm run docs -- walk writes the page anew)', () => {
    assert.deepEqual(
      [...walk.own.keys()].filter((file) => !listed.includes(file)),
      [],
    )
  })

  it('lists no file of which no function ran for a signal (npm run docs -- walk writes the page anew)', () => {
    assert.deepEqual(
      listed.filter((file) => !walk.any.has(file)),
      [],
    )
  })
})
