import assert from 'node:assert/strict'
import fc from 'fast-check'
import { connectionsOf } from '#worker/feed/owners.ts'

const names = (minLength: number, maxLength: number) => fc.uniqueArray(fc.uuid(), { minLength, maxLength })
const sharesOf = (workers: readonly string[], connections: readonly string[]): Set<string>[] =>
  workers.map((worker) => connectionsOf(worker, workers, connections))

describe('the owners of connections', () => {
  it('the owners of connections are one for each connection, and equal in number for each worker, give or take one', () => {
    fc.assert(
      fc.property(names(1, 7), names(0, 40), (workers, connections) => {
        const shares = sharesOf(workers, connections)
        assert.deepEqual(shares.flatMap((share) => [...share]).toSorted(), connections.toSorted())
        const sizes = shares.map(({ size }) => size)
        assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, sizes.join(' '))
      }),
    )
  })

  it('the owners of connections are the same in any order of the lists', () => {
    fc.assert(
      fc.property(names(1, 6), names(0, 20), (workers, connections) => {
        for (const worker of workers)
          assert.deepEqual(
            connectionsOf(worker, workers.toReversed(), connections.toReversed()),
            connectionsOf(worker, workers, connections),
          )
      }),
    )
  })

  it('stay the same for most connections when a worker goes', () => {
    const workers = ['a', 'b', 'c', 'd']
    const connections = Array.from({ length: 120 }, (_, number) => `connection-${number}`)
    const ownerIn = (all: readonly string[]) =>
      new Map(
        all.flatMap((worker) => [...connectionsOf(worker, all, connections)].map((one) => [one, worker])),
      )
    const [before, after] = [ownerIn(workers), ownerIn(workers.slice(1))]
    const moved = connections.filter((one) => before.get(one) !== 'a' && before.get(one) !== after.get(one))
    assert.ok(moved.length <= 30, `${moved.length} of 90 moved without need`)
  })

  it('the owners of connections are none but the workers of the list', () => {
    assert.deepEqual(connectionsOf('a', ['b'], ['x', 'y']), new Set())
    assert.deepEqual(connectionsOf('b', ['b'], ['x', 'y']), new Set(['x', 'y']))
  })
})
