import type { EntityManager } from '#db/engine/database.ts'
import { insertEventTicket } from '#db/identity/event-tickets.ts'
import { mintOpaqueSecret } from '../access/opaque-secret.ts'

/** Seconds until a ticket that was not used is worthless: a page asks for one when it opens its stream. */
const TICKET_SECONDS = 30

/** Lets a page that holds a session open one event stream without a header. The text is shown once. */
export async function issueEventTicket(
  em: EntityManager,
  holder: { userId: string; sessionId: string },
): Promise<{ ticket: string; expiresAt: Date }> {
  const { text, hash } = mintOpaqueSecret()
  const { expiresAt } = await insertEventTicket(em, { hash, ...holder, seconds: TICKET_SECONDS })
  return { ticket: text, expiresAt }
}
