import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeadlinePassed, within } from '#api/http/deadline.ts'

/** Has the event loop do nothing else. */
function holdLoop(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

describe('a deadline', () => {
  it('counts what arrived while the event loop was held as in time', async () => {
    // Looked up by another thread meanwhile, and nobody has looked for its answer.
    const answered = within(20, 'a file', stat(import.meta.filename))
    holdLoop(100)
    assert.ok((await answered).isFile())
  })

  it('a deadline has ended for what has not arrived', async () => {
    await assert.rejects(within(20, 'a wait', sleep(200)), DeadlinePassed)
  })
})
