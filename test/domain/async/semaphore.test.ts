import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createSemaphore, QueueFull } from '#domain/async/semaphore.ts'

describe('slots', () => {
  it('let no more go on than they are, in the order of asking', async () => {
    const slots = createSemaphore(2, 100)
    let going = 0
    let most = 0
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        slots.run(async () => {
          order.push(number)
          most = Math.max(most, ++going)
          await pause(1)
          going -= 1
        }),
      ),
    )
    assert.equal(most, 2)
    assert.deepEqual(order, [...Array(20).keys()])
  })

  it('slots are free again after work that fails', async () => {
    const slots = createSemaphore(1, 1)
    await assert.rejects(
      slots.run(() => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal(await slots.run(() => Promise.resolve('yes')), 'yes')
  })

  it('refuse requests too far back in the queue, and go on with the others', async () => {
    const slots = createSemaphore(1, 1)
    const [first, second, third] = await Promise.allSettled(
      [1, 2, 3].map((n) => slots.run(() => pause(1, n))),
    )
    assert.deepEqual([first!.status, second!.status, third!.status], ['fulfilled', 'fulfilled', 'rejected'])
    assert.ok((third as PromiseRejectedResult).reason instanceof QueueFull)
  })
})
