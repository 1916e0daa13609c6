import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { mapLimit } from '#domain/async/map-limit.ts'

describe('work for each item, for a limited number at a time', () => {
  it('work for each item, for a limited number at a time is done once for every item, and never for more at a time', async () => {
    let [underWay, most] = [0, 0]
    const done: string[] = []
    await mapLimit(3, ['a', 'b', 'c', 'd', 'e', 'f', 'g'], async (item, index) => {
      most = Math.max(most, ++underWay)
      await setImmediate()
      underWay -= 1
      done.push(`${index}${item}`)
    })
    assert.deepEqual(done.toSorted(), ['0a', '1b', '2c', '3d', '4e', '5f', '6g'])
    assert.equal(most, 3)
  })

  it('rejects with the first failure', async () => {
    const work = async (item: number) => {
      if (item === 2) throw new Error('two')
    }
    await assert.rejects(mapLimit(2, [1, 2, 3], work), /two/)
  })
})
