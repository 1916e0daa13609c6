import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { filesOnPage, WALK_PAGE } from '#test/walk/page.ts'
import { recordWalk, type Walk } from '#test/walk/recording.ts'

describe('docs/build/one-signal.md', function () {
  this.timeout(180_000)
  const listed = filesOnPage(readFileSync(WALK_PAGE, 'utf8'))
  let walk: Walk
  before(async () => {
    walk = await recordWalk()
  })

  it('lists every file whose functions ran for a signal (npm run docs -- walk writes the page again)', () => {
    // Of a file that is no signal's alone some function may run for signals by chance, such as after a late answer.
    const missing = [...walk.own.keys()].filter((file) => !listed.includes(file) && !walk.otherwise.has(file))
    assert.deepEqual(missing, [])
  })

  it('lists no file without a function that ran for a signal (npm run docs -- walk writes the page again)', () => {
    assert.deepEqual(
      listed.filter((file) => !walk.any.has(file)),
      [],
    )
  })
})
