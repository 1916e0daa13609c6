import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { pushKeys } from '#config/push-keys.ts'

describe('the keys that identify an installation to push services', () => {
  it('follow from the key ring: the same in every process, another one for each key', () => {
    const ring = {
      current: 'k2',
      keys: new Map([
        ['k1', randomBytes(32)],
        ['k2', randomBytes(32)],
      ]),
    }
    const keys = pushKeys(ring)
    assert.equal(keys.current, 'k2')
    assert.deepEqual(pushKeys(ring).pairOf('k1'), keys.pairOf('k1'))
    assert.notDeepEqual(keys.pairOf('k1'), keys.pairOf('k2'))
    assert.equal(keys.pairOf('k3'), null)
  })

  it('the keys that identify an installation to push services are pairs of P-256 in the form that browsers take', () => {
    for (let count = 0; count < 50; count += 1) {
      const key = randomBytes(32)
      const { publicKey, privateKey } = pushKeys({ current: 'k', keys: new Map([['k', key]]) }).pairOf('k')!
      const curve = createECDH('prime256v1')
      curve.setPrivateKey(privateKey, 'base64url')
      assert.equal(curve.getPublicKey('base64url'), publicKey)
      assert.deepEqual([publicKey.length, privateKey.length], [87, 43])
    }
  })
})
