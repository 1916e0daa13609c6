import { randomInt } from 'node:crypto'
import { USER_CODE_ALPHABET, USER_CODE_LENGTH } from '#contract/identity/user-code.ts'

export function newUserCode(): string {
  const code = Array.from(
    { length: USER_CODE_LENGTH },
    () => USER_CODE_ALPHABET[randomInt(USER_CODE_ALPHABET.length)],
  ).join('')
  return `${code.slice(0, 4)}-${code.slice(4)}`
}
