import assert from 'node:assert/strict'
import { hashOpaqueSecret, mintOpaqueSecret } from '#api/access/access-jwt.ts'
import { newSuccessorSalt, successorOf } from '#api/identity/sessions.ts'

describe('a refresh token', () => {
  it('a refresh token has 256 random bits and is known by its hash', () => {
    const { text, hash } = mintOpaqueSecret()
    assert.equal(Buffer.from(text, 'base64url').length, 32)
    assert.equal(hash, hashOpaqueSecret(text))
    assert.notEqual(mintOpaqueSecret().text, text)
  })

  it('a refresh token has one successor, which neither the token nor the salt alone leads to', () => {
    const { text } = mintOpaqueSecret()
    const salt = newSuccessorSalt()
    const successor = successorOf(text, salt)
    assert.deepEqual(successorOf(text, salt), successor)
    assert.equal(Buffer.from(successor.text, 'base64url').length, 32)
    assert.notEqual(successorOf(text, newSuccessorSalt()).text, successor.text)
    assert.notEqual(successorOf(mintOpaqueSecret().text, salt).text, successor.text)
  })
})
