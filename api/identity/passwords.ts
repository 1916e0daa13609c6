import { hash, verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { createSlots } from '#domain/slots.ts'

/** OWASP's Password Storage Cheat Sheet for argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * Hashing is the most expensive thing that a stranger can ask for: more at once than processors would only
 * slow everybody, signals included, and half of them are left for the rest.
 */
const slots = createSlots(Math.max(1, Math.floor(availableParallelism() / 2)), 200)

/** The argon2id hash of a password, in PHC form with its own salt. Takes about 50 ms. */
export const hashPassword = (password: string): Promise<string> => slots.run(() => hash(password, COST))

let decoy: Promise<string> | undefined

/**
 * Whether the password is the one that was hashed. Without a hash, that is for an address without a user, a decoy
 * is verified all the same: the time taken must not tell whether there is such a user.
 */
export async function isRightPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const known = passwordHash ?? (await (decoy ??= hashPassword('nobody has this password')))
  const matches = await slots.run(() => verify(known, password))
  return matches && passwordHash !== null
}
