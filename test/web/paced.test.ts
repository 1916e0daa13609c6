import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { paced } from '#web/connection/paced.ts'

describe('a reading of the web app that news ask for', () => {
  /** Readings that end when the test says so. */
  function readings() {
    const ends: (() => void)[] = []
    return { ends, read: () => new Promise<void>((resolve) => ends.push(resolve)) }
  }

  it('a reading of the web app that news ask for is done once for a hundred news that come while it is under way, and again after it', async () => {
    const { ends, read } = readings()
    const list = paced(read, 1)
    for (let index = 0; index < 100; index++) list.ask()
    assert.equal(ends.length, 1)
    ends[0]!()
    await eventually(() => assert.equal(ends.length, 2))
    list.stop()
  })

  it('waits for the pause, and reads nothing after it without a request', async () => {
    const { ends, read } = readings()
    const list = paced(read, 20)
    list.ask()
    ends[0]!()
    await new Promise((resolve) => setImmediate(resolve))
    list.ask()
    assert.equal(ends.length, 1)
    await eventually(() => assert.equal(ends.length, 2))
    ends[1]!()
    await new Promise((resolve) => setTimeout(resolve, 60))
    assert.equal(ends.length, 2)
    list.ask()
    assert.equal(ends.length, 3)
    list.stop()
  })
})
