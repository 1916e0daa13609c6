import { setTimeout as pause } from 'node:timers/promises'
import type { Mail } from '../mail/mailer.ts'
import { addressKey } from './attempts.ts'
import type { IdentityDeps } from './deps.ts'

/** Milliseconds before each further try to hand a message on. */
const RETRY_AFTER = [1_000, 5_000, 20_000]

/**
 * Sends a message, in the background of a request. A mail server that is away is tried again for a while; an
 * address that has got many messages within an hour gets no more, so that no address is flooded in our name.
 */
export async function sendEmail(
  { mailer, limits }: Pick<IdentityDeps, 'mailer' | 'limits'>,
  mail: Mail,
): Promise<void> {
  const { isAllowed } = await limits.countAttempt('mail', addressKey(mail.to))
  if (!isAllowed) return
  for (const wait of RETRY_AFTER) {
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
