import {
  hashAccessToken,
  isSameHash,
  isWellFormedAccessToken,
  mintAccessToken,
} from '#api/http/access-token.ts'
import assert from 'node:assert/strict'
import fc from 'fast-check'

describe('access tokens', () => {
  it('read dt_ and 36 base62 characters, and are well-formed', () => {
    const { token, hash, prefix } = mintAccessToken()
    assert.match(token, /^dt_[0-9A-Za-z]{36}$/)
    assert.ok(isWellFormedAccessToken(token))
    assert.equal(hash, hashAccessToken(token))
    assert.match(hash, /^[0-9a-f]{64}$/)
    assert.equal(prefix, token.slice(0, 8))
  })

  it('access tokens with any one character changed are not well-formed', () => {
    const { token } = mintAccessToken()
    const base62 = fc.constantFrom(
      ...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'),
    )
    fc.assert(
      fc.property(fc.integer({ min: 3, max: token.length - 1 }), base62, (index, character) => {
        fc.pre(token[index] !== character)
        assert.equal(
          isWellFormedAccessToken(token.slice(0, index) + character + token.slice(index + 1)),
          false,
        )
      }),
      { numRuns: 500 },
    )
  })

  for (const text of [
    '',
    'dt_',
    'dt_abc',
    `dt_${'a'.repeat(36)}`,
    `DT_${mintAccessToken().token.slice(3)}`,
    'x'.repeat(1e5),
  ]) {
    it(`the reader of access tokens does not take ${text.slice(0, 20) || 'nothing'} for one`, () => {
      assert.equal(isWellFormedAccessToken(text), false)
    })
  }

  it('access tokens are compared by digests, of unequal length too', () => {
    assert.equal(isSameHash('aa', 'aa'), true)
    assert.equal(isSameHash('aa', 'ab'), false)
    assert.equal(isSameHash('aa', 'aaa'), false)
  })
})
