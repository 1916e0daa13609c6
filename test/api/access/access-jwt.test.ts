import assert from 'node:assert/strict'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import jwt from 'jsonwebtoken'
import { isShapedLikeJwt, readAccessJwt, signAccessJwt, type SigningKeys } from '#api/access/access-jwt.ts'

const older = randomBytes(32)
const newer = randomBytes(32)
const keys: SigningKeys = {
  current: 'k2',
  keys: new Map([
    ['k1', older],
    ['k2', newer],
  ]),
  retiredAt: new Map(),
}
const claims = { userId: randomUUID(), sessionId: randomUUID() }

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const good = jwt.decode(signAccessJwt(keys, claims), { complete: true })!

const endOf = (token: string) => new Date((jwt.decode(token) as jwt.JwtPayload).exp! * 1_000)

/** Signs what it is given, as somebody who knows the key would. */
function forge(header: object, payload: object, key: Buffer | string = newer): string {
  const text = `${encode({ ...good.header, ...header })}.${encode({ ...(good.payload as object), ...payload })}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

describe('an access JWT', () => {
  it('an access JWT is read back with the claims that were signed', () => {
    const token = signAccessJwt(keys, claims)
    assert.ok(isShapedLikeJwt(token))
    assert.deepEqual(readAccessJwt(keys, token), { ...claims, expiresAt: endOf(token) })
  })

  it('an access JWT is still read when its key no longer signs, and not when the key is gone', () => {
    const token = signAccessJwt({ ...keys, current: 'k1' }, claims)
    assert.deepEqual(readAccessJwt(keys, token), { ...claims, expiresAt: endOf(token) })
    assert.equal(readAccessJwt({ ...keys, keys: new Map([['k2', newer]]) }, token), null)
  })

  it('names its type, key, issuer, audience and end', () => {
    assert.deepEqual(good.header, { alg: 'HS256', typ: 'at+jwt', kid: 'k2' })
    const payload = good.payload as jwt.JwtPayload
    assert.equal(payload.exp! - payload.iat!, 900)
    assert.ok(payload.iss && payload.aud && payload.sub && payload.jti)
  })

  const seconds = Math.floor(Date.now() / 1_000)
  const forgeries: Record<string, string> = {
    'another type': forge({ typ: 'JWT' }, {}),
    'no type': forge({ typ: undefined }, {}),
    'no key id': forge({ kid: undefined }, {}),
    'a key id that is a path': forge({ kid: '../../dev/null' }, {}, ''),
    'a key id of the prototype': forge({ kid: 'constructor' }, {}),
    'the other key': forge({ kid: 'k1' }, {}),
    'another algorithm': forge({ alg: 'HS512' }, {}),
    'no algorithm': `${encode({ ...good.header, alg: 'none' })}.${encode(good.payload)}.`,
    'a key of its own': forge(
      { jwk: { kty: 'oct', k: Buffer.from('x').toString('base64url') }, jku: 'https://evil.example' },
      {},
      'x',
    ),
    'another issuer': forge({}, { iss: 'somebody-else' }),
    'another audience': forge({}, { aud: 'another-service' }),
    'no end': forge({}, { exp: undefined }),
    'an end that has passed': forge({}, { exp: seconds - 60 }),
    'an end that is a word': forge({}, { exp: 'never' }),
    'a beginning to come': forge({}, { nbf: seconds + 600 }),
    'no beginning': forge({}, { iat: undefined }),
    'a moment of issue to come': forge({}, { iat: seconds + 60, exp: seconds + 600 }),
    'a moment of issue that is a word': forge({}, { iat: 'now' }),
    'a longer life than ours have': forge({}, { iat: seconds - 60, exp: seconds + 900 }),
    'a life of years': forge({}, { exp: seconds + 10 * 365 * 86_400 }),
    'no subject': forge({}, { sub: undefined }),
    'no session': forge({}, { sid: undefined }),
    'a subject that is no id': forge({}, { sub: 'admin' }),
    'a session that is no id': forge({}, { sid: 'x' }),
    'an id with something behind it': forge({}, { sid: `${claims.sessionId}'` }),
    'a session that is no text': forge({}, { sid: { $ne: null } }),
  }
  for (const [name, token] of Object.entries(forgeries)) {
    it(`an access JWT is refused with ${name}`, () => assert.equal(readAccessJwt(keys, token), null))
  }

  describe('whose key is retired', () => {
    /** Milliseconds since 1970 at which k1 stopped being current. */
    const retired = (seconds - 120) * 1_000
    const since = { ...keys, retiredAt: new Map([['k1', new Date(retired)]]) }
    const issued = (iat: number, exp = iat + 900) => forge({ kid: 'k1' }, { iat, exp }, older)

    it('an access JWT whose key is retired is read to its end when it was issued before, or while replicas were still learning of the new key', () => {
      assert.ok(readAccessJwt(since, issued(retired / 1_000 - 60)))
      assert.ok(readAccessJwt(since, issued(retired / 1_000 + 5)))
    })

    it('an access JWT whose key is retired is refused when it was issued afterwards, however soon it ends', () => {
      assert.equal(readAccessJwt(since, issued(retired / 1_000 + 30)), null)
      assert.equal(readAccessJwt(since, issued(seconds, seconds + 60)), null)
      assert.ok(readAccessJwt(keys, issued(seconds, seconds + 60)), 'the same with a key in use')
    })

    it('an access JWT whose key is retired is refused when its moment of issue was moved back to make room for a longer life', () => {
      assert.equal(readAccessJwt(since, issued(retired / 1_000 - 60, seconds + 3_600)), null)
    })
  })

  it('an access JWT is the only text that is read: every other is refused without an exception', () => {
    const token = signAccessJwt(keys, claims)
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ maxLength: 4 }), (at, piece) => {
        const changed = token.slice(0, at) + piece + token.slice(at + piece.length)
        // The last character of a base64 text carries bits that are not part of the signature.
        fc.pre(changed.slice(0, -1) !== token.slice(0, -1))
        assert.equal(readAccessJwt(keys, changed), null)
      }),
    )
    fc.assert(fc.property(fc.string(), (text) => assert.equal(readAccessJwt(keys, text), null)))
    assert.equal(readAccessJwt(keys, `${encode({ typ: 'JWT', alg: 'HS256', kid: 'k2' })}.bm90anNvbg.x`), null)
  })
})
