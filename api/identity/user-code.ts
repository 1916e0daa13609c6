import { randomInt } from 'node:crypto'
import { z } from 'zod'

/** Consonants that form no words and are not misread; RFC 8628, section 6.1. */
const USER_CODE_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const USER_CODE_LENGTH = 8

export function newUserCode(): string {
  const code = Array.from(
    { length: USER_CODE_LENGTH },
    () => USER_CODE_ALPHABET[randomInt(USER_CODE_ALPHABET.length)],
  ).join('')
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

export function parseUserCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[^A-Z]/g, '')
  return code.length === USER_CODE_LENGTH &&
    Array.from(code).every((letter) => USER_CODE_ALPHABET.includes(letter))
    ? `${code.slice(0, 4)}-${code.slice(4)}`
    : null
}

export const userCode = () =>
  z
    .string()
    .refine((text) => parseUserCode(text) !== null)
    .transform((text) => parseUserCode(text)!)
    .describe('The code that the device shows; case and dashes do not matter')
