import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { PatchSwitch } from '#worker/patch-switch.ts'

const silent = pino({ level: 'silent' })

describe('the switch of patches', () => {
  it('the switch of patches is off until the ledger has noted that the build uses the patch, and on from then on', async () => {
    const asked: string[] = []
    const noted = Promise.withResolvers<boolean>()
    const { isOn } = new PatchSwitch((patchId) => {
      asked.push(patchId)
      return noted.promise
    }, silent)
    assert.equal(isOn({ patchId: 'p' }), false)
    assert.equal(isOn({ patchId: 'p' }), false)
    noted.resolve(true)
    await setImmediate()
    assert.equal(isOn({ patchId: 'p' }), true)
    assert.deepEqual(asked, ['p'], 'asked once')
  })

  for (const [name, use] of [
    ['the build is not promoted', async () => false],
    ['the ledger does not answer', () => Promise.reject(new Error('PostgreSQL is gone'))],
  ] as const)
    it(`the switch of patches is off while ${name}, and asks again some seconds later`, async () => {
      let asked = 0
      const { isOn } = new PatchSwitch(() => {
        asked += 1
        return use()
      }, silent)
      const { now } = performance
      try {
        for (const [seconds, questions] of [
          [0, 1],
          [1, 1],
          [6, 2],
        ] as const) {
          performance.now = () => 1_000_000 + seconds * 1_000
          assert.equal(isOn({ patchId: 'p' }), false)
          await setImmediate()
          assert.equal(asked, questions)
        }
      } finally {
        performance.now = now
      }
    })
})
