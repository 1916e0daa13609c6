import type { Urgency } from '#domain/alert/channels.ts'
import { linkOf, unlinkedTexts } from '../content.ts'
import { fieldsOf, judge, unconfirmed } from '../judge.ts'
import { inJsonBytes } from '../plain-text.ts'
import type { Deliver } from '../port.ts'

interface NtfySettings {
  /** Its root. */
  server: string
  /** A secret, which suffices to read and write. */
  topic: string
  /** Access token of a protected topic. */
  token: string | null
}

const PRIORITIES: Record<Urgency, number> = { alarm: 5, decision: 4, outcome: 3, letter: 2 }
/** Shown as emoji. */
const TAGS: Record<Urgency, string[]> = {
  alarm: ['rotating_light'],
  decision: ['raised_hand'],
  outcome: [],
  letter: [],
}
/** A longer message becomes an attachment, or is refused; the JSON around it may take the same again. */
const MAX_NTFY_BYTES = 4_096

export const deliverNtfy: Deliver<NtfySettings> = async ({ server, topic, token }, notice, deps) => {
  const { title, body } = unlinkedTexts(notice, MAX_NTFY_BYTES, inJsonBytes)
  const answer = await deps.request(String(new URL('/', server)), {
    headers: {
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      topic,
      title,
      // Without a text ntfy shows the word "triggered".
      message: body || title,
      priority: PRIORITIES[notice.urgency],
      tags: TAGS[notice.urgency],
      click: linkOf(notice, deps),
      // A repetition updates the first message; older servers ignore it.
      sequence_id: notice.id.replaceAll(/[^\w-]/g, '-').slice(0, 64),
    }),
  })
  if (answer.status === 200 && typeof fieldsOf(answer)['id'] !== 'string')
    return unconfirmed('the ntfy server')
  return judge(answer, { service: 'the ntfy server', now: deps.now() })
}
