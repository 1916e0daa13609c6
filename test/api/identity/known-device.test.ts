import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { knownDeviceId, newDeviceToken } from '#api/identity/sessions.ts'

const keys = { current: 'k2', keys: new Map(['k1', 'k2'].map((id) => [id, randomBytes(32)])) }
const owner = { id: randomUUID(), passwordHash: 'the hash of a password' }
const DAY = 24 * 60 * 60 * 1_000

describe('a known device', () => {
  it('a known device is known by its token, under an id of its own', () => {
    const [one, other] = [newDeviceToken(keys, owner), newDeviceToken(keys, owner)]
    assert.ok(knownDeviceId(keys, owner, one))
    assert.notEqual(knownDeviceId(keys, owner, one), knownDeviceId(keys, owner, other))
  })

  it('stays known when its key is replaced, and not when that key is gone', () => {
    const token = newDeviceToken({ ...keys, current: 'k1' }, owner)
    assert.ok(knownDeviceId(keys, owner, token))
    assert.equal(
      knownDeviceId({ ...keys, keys: new Map([['k2', keys.keys.get('k2')!]]) }, owner, token),
      null,
    )
  })

  it('a known device is not known to another user, with another password, or after a year', () => {
    const token = newDeviceToken(keys, owner)
    assert.equal(knownDeviceId(keys, { ...owner, id: randomUUID() }, token), null)
    assert.equal(knownDeviceId(keys, { ...owner, passwordHash: 'of a new password' }, token), null)
    assert.ok(knownDeviceId(keys, owner, token, Date.now() + 364 * DAY))
    assert.equal(knownDeviceId(keys, owner, token, Date.now() + 366 * DAY), null)
  })

  it('a known device is not known by any text that was changed or invented, which is refused without an exception', () => {
    const token = newDeviceToken(keys, owner)
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ unit: 'binary', maxLength: 4 }), (at, piece) => {
        const changed = token.slice(0, at) + piece + token.slice(at + piece.length)
        // The last character of a base64 text carries bits that are not part of the signature.
        fc.pre(changed.slice(0, -1) !== token.slice(0, -1))
        assert.equal(knownDeviceId(keys, owner, changed), null)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) =>
        assert.equal(knownDeviceId(keys, owner, text), null),
      ),
    )
    assert.equal(knownDeviceId(keys, owner, `${token.slice(0, -43)}${'é'.repeat(43)}`), null)
  })
})
