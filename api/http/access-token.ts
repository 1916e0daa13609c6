import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** 178 random bits and a CRC-32: we recognise invented tokens without the database, scanners leaked ones. */
const TOKEN_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const TOKEN_SHAPE = /^(dt[kh]?)_([0-9A-Za-z]{30,64})([0-9A-Za-z]{6})$/
/** Enough to recognise a token, too few to guess it. */
const SHOWN_LENGTH = 5

/** dt: new tokens. dtk: old API keys. dth: secrets of hooks. */
export type TokenForm = 'dt' | 'dtk' | 'dth'

export interface MintedToken {
  token: string
  hash: string
  prefix: string
}

export function mintAccessToken(form: TokenForm = 'dt'): MintedToken {
  const random = Array.from(
    { length: RANDOM_LENGTH },
    () => TOKEN_ALPHABET[randomInt(TOKEN_ALPHABET.length)],
  ).join('')
  const token = `${form}_${random}${checksum(random)}`
  return { token, hash: hashAccessToken(token), prefix: token.slice(0, form.length + 1 + SHOWN_LENGTH) }
}

export function isWellFormedAccessToken(text: string, form: TokenForm = 'dt'): boolean {
  const [, prefix, random, sum] = TOKEN_SHAPE.exec(text) ?? []
  return prefix === form && random !== undefined && sum === checksum(random)
}

const CANDIDATE = /dt[kh]?_([0-9A-Za-z]{36,})/g

export const holdsAccessToken = (text: string): boolean =>
  text.includes('dt') &&
  [...text.matchAll(CANDIDATE)].some(([, run]) => {
    const made = run!.slice(0, RANDOM_LENGTH)
    return run!.startsWith(checksum(made), RANDOM_LENGTH)
  })

export const hashAccessToken = (token: string): string => createHash('sha256').update(token).digest('hex')

export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function checksum(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = TOKEN_ALPHABET[rest % TOKEN_ALPHABET.length]! + text
    rest = Math.floor(rest / TOKEN_ALPHABET.length)
  }
  return text
}
