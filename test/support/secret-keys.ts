import { randomBytes } from 'node:crypto'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'

/** The key under which rows of tests are sealed; one for the whole run, so that every part can open them. */
export const secretKeys: EncryptionKeys = { current: 'test', keys: new Map([['test', randomBytes(32)]]) }
