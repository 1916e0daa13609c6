import { hash, verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { createSemaphore } from '#domain/async/semaphore.ts'

const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Half of the processors stay free for signals. */
const slots = createSemaphore(Math.max(1, Math.floor(availableParallelism() / 2)), 200)

/** Argon2id in PHC form with its own salt; about 50 ms. */
export const hashPassword = (password: string): Promise<string> => slots.run(() => hash(password, COST))

let decoy: Promise<string> | undefined

/** A decoy keeps the time equal for unknown users. */
export async function isRightPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const known = passwordHash ?? (await (decoy ??= hashPassword('no user has this password')))
  const matches = await slots.run(() => verify(known, password))
  return matches && passwordHash !== null
}
