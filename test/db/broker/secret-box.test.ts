import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import {
  openSecret,
  rewrapSecret,
  sealingKeyOf,
  sealSecret,
  SecretUnreadable,
  type EncryptionKeys,
  type SecretPlace,
} from '#db/broker/secret-box.ts'

const older = randomBytes(32)
const newer = randomBytes(32)
const oldRing: EncryptionKeys = { current: 'k1', keys: new Map([['k1', older]]) }
const bothRing: EncryptionKeys = {
  current: 'k2',
  keys: new Map([
    ['k1', older],
    ['k2', newer],
  ]),
}
const newRing: EncryptionKeys = { current: 'k2', keys: new Map([['k2', newer]]) }
const place: SecretPlace = { table: 'broker_connections', id: 'c1', userId: 'u1', field: 'credentials' }

describe('a sealed secret', () => {
  it('opens at its place, with any content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (secret) => {
        assert.equal(openSecret(oldRing, place, sealSecret(oldRing, place, secret)), secret)
      }),
    )
  })

  it('shows nothing of itself, and looks different each time', () => {
    const canary = 'canary-7b1f'
    const [one, other] = [sealSecret(oldRing, place, canary), sealSecret(oldRing, place, canary)]
    assert.notEqual(one, other)
    const parts = one.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    assert.ok(![one, ...parts].some((text) => text.includes('canary')))
  })

  for (const field of ['table', 'id', 'userId', 'field'] as const) {
    it(`a sealed secret does not open under another ${field}`, () => {
      const sealed = sealSecret(oldRing, place, 'secret')
      assert.throws(() => openSecret(oldRing, { ...place, [field]: 'other' }, sealed), SecretUnreadable)
    })
  }

  it('a sealed secret does not open where the parts of its place are only joined the same way', () => {
    const sealed = sealSecret(oldRing, { ...place, id: 'a","b' }, 'secret')
    assert.throws(() => openSecret(oldRing, { ...place, id: 'a', userId: 'b' }, sealed), SecretUnreadable)
  })

  it('a sealed secret does not open once a single character is changed', () => {
    const sealed = sealSecret(oldRing, place, 'secret')
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'Q' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      const sameBytes = changed
        .split('.')
        .every((part, n) =>
          Buffer.from(part, 'base64url').equals(Buffer.from(sealed.split('.')[n]!, 'base64url')),
        )
      if (!sameBytes) assert.throws(() => openSecret(oldRing, place, changed), SecretUnreadable, `at ${at}`)
    }
    for (const text of ['', 's1', 's1.k1..', `${sealed}.x`, sealed.slice(0, 40), '{"keyId":"plain"}'])
      assert.throws(() => openSecret(oldRing, place, text), SecretUnreadable)
  })

  it('moves to the new key without being read, and then needs the old one no more', () => {
    const sealed = sealSecret(oldRing, place, 'secret')
    assert.equal(openSecret(bothRing, place, sealed), 'secret')
    assert.throws(() => openSecret(newRing, place, sealed), SecretUnreadable)
    const moved = rewrapSecret(bothRing, place, sealed)
    assert.equal(sealingKeyOf(moved), 'k2')
    assert.equal(moved.split('.')[3], sealed.split('.')[3])
    assert.equal(openSecret(newRing, place, moved), 'secret')
  })
})
