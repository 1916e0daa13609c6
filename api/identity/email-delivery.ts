import { setTimeout as pause } from 'node:timers/promises'
import { addressBucket } from '../access/client-address.ts'
import type { Origin } from '../http/caller.ts'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { addressKey } from './attempts.ts'
import type { IdentityDeps } from './deps.ts'

/** Milliseconds before each further try to hand a message on. */
const EMAIL_RETRIES_MS = [1_000, 5_000, 20_000]

type Delivery = Pick<IdentityDeps, 'mailer' | 'limits'>

/**
 * Sends a message that somebody asked for, in the background of their request. An address that has got many of them within
 * an hour gets no more, so that no address is flooded in our name; those that one stranger asks for do not use up those of
 * its owner.
 */
export async function sendEmail(
  { mailer, limits }: Delivery,
  mail: Mail,
  { ip }: Pick<Origin, 'ip'>,
): Promise<void> {
  const recipient = addressKey(mail.to)
  for (const [kind, key] of [
    ['mail', `${recipient}:${addressBucket(ip)}`],
    ['mailInAll', recipient],
  ] as const)
    if (!(await limits.countAttempt(kind, key)).isAllowed) return
  await deliver(mailer, mail)
}

/**
 * Tells the owner of an account of a change or an attack. No count holds it back: a stranger could use that up first. Each
 * has to be earned by a password, a link or a code.
 */
export const sendWarning = ({ mailer }: Pick<Delivery, 'mailer'>, mail: Mail): Promise<void> =>
  deliver(mailer, mail)

/** A mail server that is away is tried again for a while. */
async function deliver(mailer: Mailer, mail: Mail): Promise<void> {
  for (const wait of EMAIL_RETRIES_MS) {
    try {
      await mailer.send(mail)
      return
    } catch {
      // The last try reports what is wrong.
      await pause(wait)
    }
  }
  await mailer.send(mail)
}
