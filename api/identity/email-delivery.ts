import { setTimeout as pause } from 'node:timers/promises'
import { addressBucket } from '../access/client-address.ts'
import type { Origin } from '../http/caller.ts'
import type { Mail, Mailer } from '../mail/mail.ts'
import { addressKey } from './attempts.ts'
import type { IdentityDeps } from './deps.ts'

const EMAIL_RETRIES_MS = [1_000, 5_000, 20_000]

export type Delivery = Pick<IdentityDeps, 'mailer' | 'limits'>

/** Limits floods by address, and each stranger separately. */
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

/** Uncounted: strangers could use up a count. */
export const sendWarning = ({ mailer }: Pick<Delivery, 'mailer'>, mail: Mail): Promise<void> =>
  deliver(mailer, mail)

async function deliver(mailer: Mailer, mail: Mail): Promise<void> {
  for (const wait of EMAIL_RETRIES_MS) {
    try {
      await mailer.send(mail)
      return
    } catch {
      // The last try reports the error.
      await pause(wait)
    }
  }
  await mailer.send(mail)
}
