import { pauseAfter } from '#domain/async/backoff.ts'
import http from 'node:http'
import https from 'node:https'
import webPush from 'web-push'
import type { PushAddress } from '#db/notify/subscriptions.ts'
import type { PushMessage } from './message.ts'

const HOST = 'fcm.googleapis.com'
const DOMAINS: readonly string[] = ['.push.services.mozilla.com', '.push.apple.com', '.notify.windows.com']

/** Without a list users could have us send requests anywhere. */
export type IsPushService = (endpoint: string) => boolean

export function pushServices(others: readonly string[]): IsPushService {
  return (endpoint) => {
    if (!URL.canParse(endpoint)) return false
    const { protocol, hostname, port, origin, username, password } = new URL(endpoint)
    if (username !== '' || password !== '') return false
    if (others.includes(origin)) return true
    if (protocol !== 'https:' || port !== '') return false
    return hostname === HOST || DOMAINS.some((domain) => hostname.endsWith(domain))
  }
}

/** RFC 8292, section 2.1: our HTTPS address, else the mail sender's. */
export function pushSubject(settings: { PUBLIC_URL?: string | undefined; MAIL_FROM: string }): string {
  if (settings.PUBLIC_URL?.startsWith('https:')) return settings.PUBLIC_URL
  const [, address = settings.MAIL_FROM] = /<([^<>]+)>/.exec(settings.MAIL_FROM) ?? []
  return `mailto:${address.trim()}`
}

/** Milliseconds of growing pauses after failures. */
const PUSH_SERVICE_PAUSE_MS = { first: 5_000, most: 30_000 }
/** With fewer, their browsers may be at fault. */
const FAILING_USERS = 2
const PUSH_FAILURE_REMEMBERED_MS = 120_000

interface Trouble {
  users: Set<string>
  pauses: number
  failedAt: number
  leftAloneUntil: number
}

/** A service that fails for several users pauses, then gets one message at a time. */
export class ServiceHealth {
  readonly #troubles = new Map<string, Trouble>()
  readonly #answers = new Map<string, number>()

  /** Milliseconds of a pause, or null. An answer since `sentAt` clears a service. */
  failed(service: string, userId: string, sentAt: number): number | null {
    const now = performance.now()
    if ((this.#answers.get(service) ?? -Infinity) >= sentAt) return null
    const trouble = this.#troubleOf(service, now)
    trouble.failedAt = now
    if (trouble.users.size < FAILING_USERS) trouble.users.add(userId)
    if (trouble.users.size < FAILING_USERS || now < trouble.leftAloneUntil) return null
    trouble.pauses += 1
    const pause = pauseAfter(trouble.pauses, PUSH_SERVICE_PAUSE_MS)
    trouble.leftAloneUntil = now + pause
    return pause
  }

  answered(service: string): void {
    this.#troubles.delete(service)
    this.#answers.set(service, performance.now())
  }

  bounds(): Map<string, number> {
    const now = performance.now()
    for (const [service, { failedAt }] of this.#troubles)
      if (now - failedAt > PUSH_FAILURE_REMEMBERED_MS) this.#troubles.delete(service)
    for (const [service, answeredAt] of this.#answers)
      if (now - answeredAt > PUSH_FAILURE_REMEMBERED_MS) this.#answers.delete(service)
    const failing = [...this.#troubles].filter(([, { pauses }]) => pauses > 0)
    return new Map(failing.map(([service, { leftAloneUntil }]) => [service, now < leftAloneUntil ? 0 : 1]))
  }

  #troubleOf(service: string, now: number): Trouble {
    const known = this.#troubles.get(service)
    if (known && now - known.failedAt <= PUSH_FAILURE_REMEMBERED_MS) return known
    const trouble = { users: new Set<string>(), pauses: 0, failedAt: now, leftAloneUntil: 0 }
    this.#troubles.set(service, trouble)
    return trouble
  }
}

const PUSH_ANSWER_LIMIT_MS = 10_000

type Delivery =
  | { is: 'taken' }
  | { is: 'gone' }
  /** Retryable, after `retryAfter` milliseconds if given. */
  | { is: 'failed'; reason: string; retryAfter: number | null }
  | { is: 'refused'; reason: string }

/** VAPID keys (RFC 8292), in base64url. */
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
  /** https: or mailto:, for operators. */
  subject: string
}

export type Deliver = (to: PushAddress, message: PushMessage) => Promise<Delivery>

/**
 * RFC 8291 and 8030, without redirects.
 * @param timeLimit milliseconds
 */
export function createDelivery(
  { keys, isPushService, subject }: PushDependencies,
  timeLimit = PUSH_ANSWER_LIMIT_MS,
): Deliver {
  return async (to, message) => {
    // The list may have changed since the subscription.
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

/** Milliseconds of Retry-After, in seconds or as a date (RFC 9110, section 10.2.3); else null. */
function pauseOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null
  const pause = /^\d{1,6}$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(pause) ? null : Math.max(pause, 0)
}
