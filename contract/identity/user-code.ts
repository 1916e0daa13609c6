import { z } from 'zod'

/** Consonants that form no words and are not misread; RFC 8628, section 6.1. */
export const USER_CODE_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'

export const USER_CODE_LENGTH = 8

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
