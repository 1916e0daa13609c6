import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeadlinePassed, within } from '#api/http/deadline.ts'

/** Has the event loop do nothing else. */
function holdLoop(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

describe('a deadline', () => {
  it('counts what arrived while the event loop was held as in time', async () => {
    const arriving = readFile(import.meta.filename)
    const answered = within(20, 'a file', arriving)
    // The file is read by then, and nobody has looked.
    await sleep(1)
    holdLoop(100)
    assert.ok((await answered).length > 0)
  })

  it('is over for what has not arrived', async () => {
    await assert.rejects(within(20, 'a wait', sleep(200)), DeadlinePassed)
  })
})
