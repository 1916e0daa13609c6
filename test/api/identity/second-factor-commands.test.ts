import assert from 'node:assert/strict'
import {
  hashBackupCode,
  isShapedLikeBackupCode,
  newBackupCodes,
  newTotpSecret,
  totpStepOf,
  totpUri,
} from '#api/identity/second-factor.ts'
import { totpCodeAt } from '#test/api/support/totp-code.ts'
import { newUserCode } from '#api/identity/devices.ts'
import { parseUserCode } from '#contract/identity/requests.ts'

describe('a time-based code', () => {
  /** The SHA-1 secret of RFC 6238, appendix B: "12345678901234567890". */
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const vectors: [seconds: number, code: string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of vectors) {
    it(`a time-based code is ${code} at ${seconds} s, as RFC 6238 has it`, () => {
      assert.equal(totpCodeAt(secret, seconds * 1_000), code)
      assert.equal(totpStepOf(secret, code, seconds * 1_000), Math.floor(seconds / 30))
    })
  }

  it('belongs to its own step one step early and one step late, and to none further off', () => {
    const now = 1_234_567_890_000
    const code = totpCodeAt(secret, now)
    const step = Math.floor(now / 30_000)
    assert.equal(totpStepOf(secret, code, now - 30_000), step)
    assert.equal(totpStepOf(secret, code, now + 30_000), step)
    assert.equal(totpStepOf(secret, code, now - 60_000), null)
    assert.equal(totpStepOf(secret, code, now + 60_000), null)
  })

  it('a time-based code is nothing but six digits', () => {
    for (const text of ['', '12345', '1234567', ' 81804', '08180a', '٠٨١٨٠٤', '+81804'])
      assert.equal(totpStepOf(secret, text, 1_111_111_109_000), null)
  })

  it('comes from a secret of 160 bits, which an authenticator reads from an address', () => {
    const made = newTotpSecret()
    assert.match(made, /^[A-Z2-7]{32}$/)
    assert.notEqual(made, newTotpSecret())
    const uri = new URL(totpUri(made, 'jane@example.com', 'Durable Trader'))
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(uri.searchParams.get('secret'), made)
    assert.equal(uri.searchParams.get('issuer'), 'Durable Trader')
  })
})

describe('backup codes', () => {
  it('backup codes are ten, all different, of at least 112 bits', () => {
    const codes = newBackupCodes()
    assert.equal(new Set(codes.map(({ text }) => text)).size, 10)
    for (const { text } of codes) assert.match(text, /^([2-9A-HJKMNP-TV-Z]{4}-){5}[2-9A-HJKMNP-TV-Z]{4}$/)
    assert.ok(24 * Math.log2(30) > 112)
  })

  it('backup codes are the same however they are typed', () => {
    const [{ text, hash }] = newBackupCodes() as [{ text: string; hash: string }]
    assert.equal(hashBackupCode(` ${text.toLowerCase().replaceAll('-', ' ')} `), hash)
    assert.ok(isShapedLikeBackupCode(text) && !isShapedLikeBackupCode('123456'))
  })
})

describe('a user code', () => {
  it('a user code is read however it is typed', () => {
    const code = newUserCode()
    assert.match(code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/)
    assert.equal(parseUserCode(` ${code.toLowerCase().replace('-', '')}`), code)
  })

  it('a user code is nothing else', () => {
    for (const text of ['', 'WDJB-MJH', 'WDJB-MJHTT', 'AAAA-AAAA', '😀'])
      assert.equal(parseUserCode(text), null)
  })
})
