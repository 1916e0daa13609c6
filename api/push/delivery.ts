import http from 'node:http'
import https from 'node:https'
import webPush from 'web-push'
import type { PushAddress } from '#db/push/subscriptions.ts'
import type { PushMessage } from './message.ts'
import type { IsPushService } from './services.ts'

const PUSH_ANSWER_LIMIT_MS = 10_000

type Delivery =
  | { is: 'taken' }
  | { is: 'gone' }
  /** Worth another try, after these milliseconds if the push service names them. */
  | { is: 'failed'; reason: string; retryAfter: number | null }
  | { is: 'refused'; reason: string }

/** Our identity at push services (RFC 8292), in base64url. */
interface PushKeyPair {
  publicKey: string
  privateKey: string
}

interface PushKeys {
  current: string
  pairOf(id: string): PushKeyPair | null
}

export interface PushDependencies {
  keys: PushKeys
  isPushService: IsPushService
  /** https: or mailto:, for the operators of push services. */
  subject: string
}

export type Deliver = (to: PushAddress, message: PushMessage) => Promise<Delivery>

/** RFC 8291 and 8030, without redirects. `timeLimit`: milliseconds. */
export function createDelivery(
  { keys, isPushService, subject }: PushDependencies,
  timeLimit = PUSH_ANSWER_LIMIT_MS,
): Deliver {
  return async (to, message) => {
    // The list of hosts may have changed since the subscription.
    if (!isPushService(to.endpoint)) return { is: 'refused', reason: 'its push service is not on the list' }
    const pair = keys.pairOf(to.keyId)
    if (!pair) return { is: 'gone' }
    try {
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint: to.endpoint, keys: { p256dh: to.p256dh, auth: to.auth } },
        JSON.stringify(message.content),
        {
          vapidDetails: { subject, ...pair },
          TTL: message.seconds,
          urgency: 'high',
          topic: message.topic,
        },
      )
      return judge(await post(to.endpoint, { headers, signal: AbortSignal.timeout(timeLimit) }, body))
    } catch (error) {
      const { code, message: words } = error as NodeJS.ErrnoException
      return { is: 'failed', reason: code ?? words, retryAfter: null }
    }
  }
}

interface PushAnswer {
  status: number
  retryAfter: string | undefined
}

function post(endpoint: string, options: http.RequestOptions, body: Buffer | null): Promise<PushAnswer> {
  const client = endpoint.startsWith('https:') ? https : http
  return new Promise((resolve, reject) => {
    const request = client.request(endpoint, { method: 'POST', ...options })
    request.on('error', reject)
    request.on('response', (response) => {
      resolve({ status: response.statusCode!, retryAfter: response.headers['retry-after'] })
      response.destroy()
    })
    request.end(body)
  })
}

function judge({ status, retryAfter }: PushAnswer): Delivery {
  if (status >= 200 && status < 300) return { is: 'taken' }
  if (status === 404 || status === 410) return { is: 'gone' }
  const reason = `the push service answered ${status}`
  if (status === 408 || status === 429 || status >= 500)
    return { is: 'failed', reason, retryAfter: pauseOf(retryAfter) }
  return { is: 'refused', reason }
}

/** Milliseconds of Retry-After, in seconds or as a date (RFC 9110, section 10.2.3); null for anything else. */
function pauseOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null
  const pause = /^\d{1,6}$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(pause) ? null : Math.max(pause, 0)
}
