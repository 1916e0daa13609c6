import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { linkOf, plainTexts } from '../content.ts'
import { deliveryOf } from '../failures.ts'
import { REDIRECTED } from '../judge.ts'
import type { OutgoingAnswer } from '../outgoing.ts'
import type { ChannelDeps, Deliver, Delivery } from '../port.ts'
import { pauseOf } from '../retry-after.ts'

/** Standard Webhooks 1.0.0. */
interface WebhookSettings {
  url: string
  /** `whsec_…`: the present one, and while it is replaced the earlier one. */
  secrets: string[]
}

export interface WebhookEvent {
  /** The same at every attempt. */
  id: string
  /** Words with dots between, such as `signal.executed`. */
  type: string
  /** UTC instant of the event. */
  timestamp: string
  data: object
}

const WEBHOOK_SECRET_BYTES = 32

export const newWebhookSecret = (): string => `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}`

/** Throws nothing but programming errors. */
export const postEvent = (
  settings: WebhookSettings,
  { id, type, timestamp, data }: WebhookEvent,
  deps: Pick<ChannelDeps, 'request' | 'now'>,
): Promise<Delivery> =>
  deliveryOf(settings, async () => {
    const body = JSON.stringify({ type, timestamp, data })
    const sentAt = new Date(deps.now())
    const signatures = settings.secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
      'webhook-signature': signatures.join(' '),
    }
    return judgeWebhook(await deps.request(settings.url, { headers, body }), deps.now())
  })

export const deliverWebhook: Deliver<WebhookSettings> = (settings, notice, deps) =>
  postEvent(
    settings,
    {
      id: notice.id,
      type: `notice.${notice.kind}`,
      timestamp: new Date(deps.now()).toISOString(),
      data: { ...plainTexts(notice), url: linkOf(notice, deps), expiresAt: notice.expiresAt },
    },
    deps,
  )

/** Only 410 ends it: a receiver may be mended, so that everything else is tried again. */
function judgeWebhook({ status, headers }: OutgoingAnswer, now: number): Delivery {
  if (status >= 200 && status < 300) return { is: 'taken' }
  const reason = `the receiver answered ${status}`
  if (status === 410) return { is: 'gone', reason }
  if (status >= 300 && status < 400) return { is: 'failed', reason: REDIRECTED, retryAfter: null }
  return { is: 'failed', reason, retryAfter: pauseOf(headers, now) }
}
