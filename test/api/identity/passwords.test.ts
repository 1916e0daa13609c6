import assert from 'node:assert/strict'
import { parseOptions } from '@node-rs/argon2'
import { MAX_PASSWORD_BYTES, passwordFault } from '#contract/identity/password-rules.ts'
import { hashPassword, isRightPassword } from '#api/identity/password-hash.ts'

describe('a password', () => {
  it('a password is hashed with argon2id at the cost that OWASP names, each time with another salt', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    assert.notEqual(one, other)
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.ok(parseOptions(one).saltLen >= 16)
  })

  it('a password is verified exactly as it was given', async () => {
    const passwordHash = await hashPassword(' Pässwörd 😀 ')
    assert.equal(await isRightPassword(passwordHash, ' Pässwörd 😀 '), true)
    for (const wrong of ['Pässwörd 😀', ' pässwörd 😀 ', ' Pässwörd 😀 '.normalize('NFD'), '']) {
      assert.equal(await isRightPassword(passwordHash, wrong), false, JSON.stringify(wrong))
    }
  })

  it('a password is never right where there is no user, not even the decoy’s', async () => {
    assert.equal(await isRightPassword(null, 'no user has this password'), false)
  })
})

describe('a new password', () => {
  const email = 'trader.jane@example.com'
  const refused: Record<string, string> = {
    'too short': 'aB3$xyz',
    'too short in code points': '😀😁😂😃😄😅😆',
    common: 'password1',
    'common in capitals': 'PASSWORD1',
    'common and long': 'qwertyuiop',
    'the address': 'Trader.Jane@Example.com',
    'the name in the address with a year': 'trader.jane2026!',
    'the name of the service': 'Durable Trader 1',
    'common with digits for letters': 'Passw0rd!',
    'common with marks for letters and digits behind': 'P@ssw0rd123',
    'the name of the service with a number': 'Durable-Trader1',
    'a word of the trade with the year': 'Trading2026!',
    'a season with the year': 'Summer2026!',
    'a row of the keyboard': 'Qwerty123!',
    'common twice': 'PasswordPassword',
    'an upright row of the keyboard': '1qaz2wsx',
    'a date': '24.12.1985',
    'a part of the address with a number': 'Jane1985!',
    'one character over and over': 'aaaaaaaaaaaa',
    'two characters over and over': 'abababababab',
    'too many bytes': 'é'.repeat(MAX_PASSWORD_BYTES / 2 + 1),
  }
  for (const [name, password] of Object.entries(refused)) {
    it(`a new password is refused when ${name}`, () => assert.ok(passwordFault(password, email)))
  }

  it('a new password is refused when it contains an address longer than the part that is checked', () => {
    const long = '0c9ad47e-55d2-4c49-9d0f-8a1b2c3d4e5f@example.com'
    assert.ok(passwordFault(long, long))
  })

  const taken: Record<string, string> = {
    'eight characters': 'kuv7wmzq',
    'eight characters of all kinds': 'T7#kq9Zp',
    'three words': 'correct horse battery',
    'a passphrase without digits or capitals': 'marmalade over the northern pier',
    'another script': 'пароль от верфи',
    blanks: '   x y z w  ',
    'exactly the most bytes': 'kuv7wmzq'.repeat(MAX_PASSWORD_BYTES / 8),
  }
  for (const [name, password] of Object.entries(taken)) {
    it(`a new password is taken with ${name}`, () => assert.equal(passwordFault(password, email), null))
  }
})
