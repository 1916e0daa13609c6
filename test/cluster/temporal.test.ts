import assert from 'node:assert/strict'
import { startNodes, TEMPORAL_NODES } from '#test/cluster/temporal.ts'
import type { TemporalNode } from '#test/cluster/temporal-config.ts'

describe("the start of Temporal's nodes", () => {
  it('waits until one works, so that several do not fill empty tables at once', async () => {
    const started: TemporalNode[] = []
    const firstWorks = Promise.withResolvers<void>()
    const all = startNodes((node) => {
      started.push(node)
      return started.length === 1 ? firstWorks.promise : Promise.resolve()
    })
    await new Promise(setImmediate)
    assert.deepEqual(
      started.map(({ role }) => role),
      ['history'],
    )
    firstWorks.resolve()
    await all
    assert.equal(started.length, TEMPORAL_NODES.length)
    assert.deepEqual(new Set(started), new Set(TEMPORAL_NODES))
  })

  it('starts no other node when the first does not work', async () => {
    const started: TemporalNode[] = []
    const fails = startNodes((node) => {
      started.push(node)
      return Promise.reject(new Error('no tables'))
    })
    await assert.rejects(fails, /no tables/)
    assert.equal(started.length, 1)
  })
})
