import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** Characters, as NIST SP 800-63B counts them: code points. */
const MIN_PASSWORD = 8
/** Bytes of UTF-8: long passphrases are welcome, megabytes to be hashed are not. */
export const MAX_PASSWORD_BYTES = 1_024

/** Guesses, as a power of ten, that a password must withstand: eight random characters do. */
const MIN_GUESSES_LOG10 = 8
/** Characters that are judged. The time to judge grows faster than the length, and no good password is bad this far. */
const MAX_JUDGED = 32
/** Words of this service and its trade that an attacker would try first, see ASVS 6.1.2. */
const OWN_WORDS = [
  'durable-trader',
  'durable trader',
  'durabletrader',
  'durable',
  'trader',
  'trading',
  'broker',
  'stocks',
]

/** Knows common passwords and words, keyboards, dates and repetitions, also where digits stand for letters. */
const estimator = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: MAX_JUDGED,
  // Of the ways to read digits and marks as letters; the default of a hundred takes five times as long.
  l33tMaxSubstitutions: 20,
})

/**
 * What is wrong with a new password, in words for its owner; null when nothing is. There are no rules on which
 * characters to mix: they make passwords worse (NIST SP 800-63B, ASVS 6.2.5). Instead it is estimated how many
 * guesses it withstands, of an attacker who knows its owner and this service.
 *
 * @param email its owner's address, parts of which make bad passwords
 */
export function passwordFault(password: string, email: string): string | null {
  if (Array.from(password).length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return `must have at most ${MAX_PASSWORD_BYTES} bytes`
  const { guessesLog10 } = estimator.check(password, [...partsOf(email), ...OWN_WORDS])
  if (guessesLog10 < MIN_GUESSES_LOG10)
    return 'is too easy to guess: take several words that have nothing to do with each other, with you or with this service, or have a password manager make one'
  return null
}

/** The address, what stands before its @, and every word of it; as much of each as is judged of a password. */
const partsOf = (email: string): string[] => [
  email.slice(0, MAX_JUDGED),
  email.split('@')[0]!.slice(0, MAX_JUDGED),
  ...email.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2),
]
