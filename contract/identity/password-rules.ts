import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

const MIN_PASSWORD = 8
export const MAX_PASSWORD_BYTES = 1_024

/** Eight random characters withstand this power of ten. */
const MIN_GUESSES_LOG10 = 8
/** Characters: the time to judge grows faster than the length. */
const MAX_JUDGED = 32
/** An attacker would try these first (ASVS 6.1.2). */
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

const estimator = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: MAX_JUDGED,
  // The default of a hundred takes five times as long.
  l33tMaxSubstitutions: 20,
})

/** Guesses are estimated: rules on characters make passwords worse (NIST SP 800-63B, ASVS 6.2.5). */
export function passwordFault(password: string, email: string): string | null {
  if (Array.from(password).length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return `must have at most ${MAX_PASSWORD_BYTES} bytes`
  const { guessesLog10 } = estimator.check(password, [...partsOf(email), ...OWN_WORDS])
  if (guessesLog10 < MIN_GUESSES_LOG10)
    return 'is too easy to guess: take several words that have nothing to do with each other, with you or with this service, or have a password manager make one'
  return null
}

const partsOf = (email: string): string[] => [
  email.slice(0, MAX_JUDGED),
  email.split('@')[0]!.slice(0, MAX_JUDGED),
  ...email.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2),
]
