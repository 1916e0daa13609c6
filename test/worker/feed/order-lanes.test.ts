import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeyedQueue, reportSlots } from '#worker/feed/order-reconciler.ts'

describe('the lanes of reports', () => {
  let begun: string[]
  let ends: Map<string, () => void>
  beforeEach(() => {
    begun = []
    ends = new Map()
  })

  /** Work that begins when its turn has come, and goes on until it is ended by its name. */
  const work = (name: string) => async (): Promise<void> => {
    begun.push(name)
    await new Promise<void>((end) => ends.set(name, end))
  }
  const end = async (name: string): Promise<void> => {
    ends.get(name)!()
    await sleep(1)
  }

  it('the lanes of reports do the work of one order one after the other, in the order in which it came', async () => {
    const lanes = new KeyedQueue(reportSlots(10))
    for (const name of ['accepted', 'partly filled', 'filled']) lanes.add('order', work(name))
    await sleep(1)
    assert.deepEqual(begun, ['accepted'])
    await end('accepted')
    assert.deepEqual(begun, ['accepted', 'partly filled'])
    await end('partly filled')
    assert.deepEqual(begun, ['accepted', 'partly filled', 'filled'])
  })

  it('the lanes of reports leave out that an order works when its fill follows at once, and not when another order fills', async () => {
    const lanes = new KeyedQueue(reportSlots(10))
    lanes.add('order', work('works'), true)
    lanes.add('another', work('another fills'))
    lanes.add('order', work('filled'))
    await sleep(60)
    assert.deepEqual(begun, ['another fills', 'filled'])
  })

  it('the lanes of reports do the work of a report without a fill a moment later, of several each, and before they are idle', async () => {
    const lanes = new KeyedQueue(reportSlots(10))
    lanes.add('order', work('pending'), true)
    lanes.add('order', work('works'), true)
    await sleep(1)
    assert.deepEqual(begun, ['pending'])
    await end('pending')
    await sleep(60)
    assert.deepEqual(begun, ['pending', 'works'])
    await end('works')
    lanes.add('order', work('changed'), true)
    const idle = lanes.idle()
    await sleep(1)
    assert.deepEqual(begun, ['pending', 'works', 'changed'])
    await end('changed')
    await idle
  })

  it('the lanes of reports do the work of four orders of an account at once, and the rest in the order in which it came', async () => {
    const lanes = new KeyedQueue(reportSlots(100))
    for (const order of ['a', 'b', 'c', 'd', 'e', 'f']) lanes.add(order, work(order))
    await sleep(1)
    assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
    await end('b')
    assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e'])
    for (const order of ['a', 'c', 'd']) await end(order)
    lanes.add('g', work('g'))
    await sleep(1)
    assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
  })

  it('the lanes of reports of all accounts do the work of half the number of orders at once that the process has connections', async () => {
    const slots = reportSlots(4)
    for (const account of ['A', 'B', 'C']) new KeyedQueue(slots).add('order', work(account))
    await sleep(1)
    assert.deepEqual(begun, ['A', 'B'])
    await end('A')
    assert.deepEqual(begun, ['A', 'B', 'C'])
    new KeyedQueue(reportSlots(1)).add('order', work('alone'))
    await sleep(1)
    assert.equal(begun.at(-1), 'alone')
  })

  it('the lanes of reports of an account with a burst hold up another account for four orders at most', async () => {
    const slots = reportSlots(2)
    const busy = new KeyedQueue(slots)
    for (let order = 0; order < 20; order += 1) busy.add(`${order}`, work(`busy ${order}`))
    await sleep(1)
    new KeyedQueue(slots).add('exit', work('exit'))
    for (let ended = 0; ended < 4; ended += 1) await end(`busy ${ended}`)
    assert.deepEqual(begun, ['busy 0', 'busy 1', 'busy 2', 'busy 3', 'exit'])
  })

  it('the lanes of reports are idle when all work is done, also the later work', async () => {
    const lanes = new KeyedQueue(reportSlots(10))
    await lanes.idle()
    lanes.add('a', work('first'))
    const idle = lanes.idle()
    await sleep(1)
    lanes.add('a', work('second'))
    lanes.add('b', work('other'))
    await end('first')
    await end('other')
    assert.equal(await Promise.race([idle.then(() => true), sleep(5, false)]), false)
    await end('second')
    await idle
    assert.deepEqual(begun, ['first', 'other', 'second'])
  })
})
