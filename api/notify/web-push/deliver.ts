import webPush from 'web-push'
import type { PushAddress } from '#db/notify/channels.ts'
import type { Urgency } from '#domain/alert/channels.ts'
import { plainTexts } from '../content.ts'
import { judge } from '../judge.ts'
import { inJsonBytes, shortened } from '../plain-text.ts'
import type { Deliver, Notice } from '../port.ts'

/** Seconds that a push service keeps a message without an end, while it is worth something. */
const PUSH_KEPT_SECONDS: Record<Urgency, number> = {
  alarm: 3_600,
  decision: 86_400,
  outcome: 21_600,
  letter: 43_200,
}
const TEST_KEPT_SECONDS = 60
/** A push service takes 4 KiB of JSON. */
const MAX_PUSH_BODY_BYTES = 2_000

/** RFC 8291 and 8030. */
export const deliverPush: Deliver<PushAddress> = async (to, notice, { push, requestService, now }) => {
  if (!push) return { is: 'refused', reason: 'notifications are off' }
  // The list may have changed since the subscription.
  if (!push.isPushService(to.endpoint))
    return { is: 'refused', reason: 'its push service is not on the list' }
  const pair = push.keys.pairOf(to.keyId)
  if (!pair) return { is: 'gone', reason: 'the key of its subscription is no longer used' }
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint: to.endpoint, keys: { p256dh: to.p256dh, auth: to.auth } },
    contentOf(notice),
    {
      vapidDetails: { subject: push.subject, ...pair },
      TTL: secondsOf(notice, now()),
      urgency: 'high',
      topic: topicOf(notice.tag),
    },
  )
  const answer = await requestService(to.endpoint, { headers: inText(headers), body: body ?? '' })
  return judge(answer, { service: 'the push service', now: now() })
}

function contentOf(notice: Notice): string {
  const { kind, tag, url, expiresAt } = notice
  // A locked screen has no room for details.
  const { title, body } = plainTexts({ ...notice, details: null })
  return JSON.stringify({
    kind,
    title,
    body: shortened(body, MAX_PUSH_BODY_BYTES, inJsonBytes),
    tag,
    url,
    expiresAt,
  })
}

function secondsOf({ kind, urgency, expiresAt }: Notice, now: number): number {
  if (expiresAt !== null) return Math.max(Math.ceil((Date.parse(expiresAt) - now) / 1_000), 0)
  return kind === 'test' ? TEST_KEPT_SECONDS : PUSH_KEPT_SECONDS[urgency]
}

/** At most 32 letters (RFC 8030, section 5.4). A settled signal replaces only its waiting message. */
function topicOf(tag: string): string {
  const [kind = '', ...rest] = tag.split('-')
  const id = rest.join('')
  const topic = kind === 'signal' || kind === 'alert' ? id : kind.charAt(0).toUpperCase() + id.slice(1)
  return topic.slice(0, 32)
}

const inText = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
