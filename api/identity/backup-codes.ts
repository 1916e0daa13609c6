import { randomInt } from 'node:crypto'
import { hashOpaqueSecret } from '../access/opaque-secret.ts'

/** Without 0, O, 1, I, L and U, which are misread. */
const BACKUP_CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const BACKUP_CODE_GROUPS = 6
const GROUP_LENGTH = 4
const BACKUP_CODES = 10

const normalise = (code: string): string => code.toUpperCase().replace(/[\s-]/g, '')

export interface BackupCode {
  /** Shown once: six groups of four characters, 117 bits. */
  text: string
  hash: string
}

/** Ten codes. At 117 bits a plain SHA-256 is safe in a stolen database (ASVS 6.5.2 asks for 112). */
export const newBackupCodes = (): BackupCode[] =>
  Array.from({ length: BACKUP_CODES }, () => {
    const text = Array.from({ length: BACKUP_CODE_GROUPS }, group).join('-')
    return { text, hash: hashBackupCode(text) }
  })

export const hashBackupCode = (code: string): string => hashOpaqueSecret(normalise(code))

/** Whether a text could be a backup code, rather than the six digits of an authenticator. */
export const isShapedLikeBackupCode = (code: string): boolean =>
  normalise(code).length === BACKUP_CODE_GROUPS * GROUP_LENGTH

const group = (): string =>
  Array.from(
    { length: GROUP_LENGTH },
    () => BACKUP_CODE_ALPHABET[randomInt(BACKUP_CODE_ALPHABET.length)],
  ).join('')
