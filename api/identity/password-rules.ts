import { dictionary } from '@zxcvbn-ts/language-common'

/** Characters, as NIST SP 800-63B counts them: code points. */
export const SHORTEST_PASSWORD = 8
/** Bytes of UTF-8: long passphrases are welcome, megabytes to be hashed are not. */
export const LONGEST_PASSWORD_BYTES = 1_024

const COMMON = new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()))
/** Words of this service that an attacker would try first, see ASVS 6.1.2. */
const OWN_WORDS = ['durabletrader', 'durable-trader', 'durable trader']

/**
 * What is wrong with a new password, in words for its owner; null when nothing is. There are no rules on which
 * characters to mix: they make passwords worse (NIST SP 800-63B, ASVS 6.2.5).
 *
 * @param email its owner's address, which must not be the password
 */
export function passwordFault(password: string, email: string): string | null {
  if (Array.from(password).length < SHORTEST_PASSWORD)
    return `must have at least ${SHORTEST_PASSWORD} characters`
  if (Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES)
    return `must have at most ${LONGEST_PASSWORD_BYTES} bytes`
  const plain = password.toLowerCase()
  const bare = withoutTail(plain)
  if (COMMON.has(plain)) return 'is among the passwords that are tried first: choose another'
  const guessable = [email.toLowerCase(), email.toLowerCase().split('@')[0]!, ...OWN_WORDS]
  if (guessable.includes(plain) || guessable.includes(bare))
    return 'must not be your address or the name of this service'
  if (new Set(plain).size < 3) return 'must not repeat one or two characters'
  return null
}

/** The password without the digits and marks that people append to a word. */
const withoutTail = (password: string): string => password.replace(/[\s\d!?.#$_-]+$/, '')
