import type { IncomingHttpHeaders } from 'node:http'
import type { RequestKnowledge, RequestNews } from '#domain/account/request-gate-sync.ts'
import { MINUTE_MS } from '#domain/time/instants.ts'
import { retryAfterMs, limitReached, MAX_RETRY_AFTER_MS } from './retry-after.ts'
import {
  BrokerBudgetSpent,
  BrokerBusy,
  type RequestClass,
  type RequestGate,
  type RequestPass,
} from './port.ts'

/** Milliseconds between tries of orders after a refusal without a wait. */
const PROBE_EVERY = 1_500
const MIN_REFUSAL_WAIT_MS = 1_000
/** Milliseconds that other classes stay back, doubled by each refusal. */
const STAY_BACK = { first: 4_000, most: 30_000 }
/** Milliseconds that look-ups precede comparisons. */
const LOOKUP_LEAD = 1_000
/** Milliseconds that requests for show follow comparisons. */
const SHOW_LAG = 2_000
/** Milliseconds in which a delayed order is expected back. */
const ORDER_COMES_WITHIN = 3_000
/** Milliseconds for the answer to a try. */
const PROBE_ANSWERED_WITHIN = 1_000

/** Largest part of a minute's requests that lets a class leave. Our own count never delays orders. */
const SHARE = { lookups: 0.85, comparison: 0.7, show: 0.45 } as const
/** The same while the counts of other processes are unknown. */
const SHARE_WHEN_ALONE = 0.3

export interface GateOptions {
  perMinute: number | null
  showPerMinute: number
  /** Monotonic clock in milliseconds. */
  now(): number
  wallClock(): number
  observe: GateObserver
}

interface GateObserver {
  left(kind: RequestClass): void
  held(kind: RequestClass, why: 'limit' | 'budget'): void
  /** Seconds; 0: the limit is no longer reached. */
  waits(seconds: number): void
}

/**
 * Decides which request of one connection may leave this process. After a refusal nothing leaves until the wait has
 * ended; then orders go, and other classes follow seconds later, one request at a time until one was answered. Without
 * a wait of the broker only orders try, every {@link PROBE_EVERY} ms.
 */
export class ConnectionGate implements RequestGate {
  readonly #options: GateOptions
  readonly begunAt: number
  #limit: number | null
  readonly #left: number[] = []
  readonly #shown: number[] = []
  #sum = 0
  #unreported = 0
  #beingNotified = 0
  /** The broker's own count, and the number of our requests by then. */
  #told: { used: number; sum: number; until: number } | null = null
  #known: { requests: number; at: number } | null = null

  /** Refusals in a row; 0 while the broker answers. */
  #refusals = 0
  /** Requests that had left by the last refusal. */
  #refusedAfter = 0
  #isReported = false
  #openAt = Number.NEGATIVE_INFINITY
  #othersAt = Number.NEGATIVE_INFINITY
  #orderComesBy = Number.NEGATIVE_INFINITY
  #openedAt = Number.NEGATIVE_INFINITY
  /** A request other than an order tries whether the broker answers again. */
  #isTrying = false
  #news: Omit<RequestNews, 'requests'> = { refused: null, isOpen: false }
  isAlone = false

  constructor(options: GateOptions) {
    this.#options = options
    this.begunAt = options.now()
    this.#limit = options.perMinute
  }

  get unknownToOthers(): number {
    return this.#beingNotified + this.#unreported
  }

  get isIdle(): boolean {
    const lastLeft = this.#left.at(-1) ?? Number.NEGATIVE_INFINITY
    return this.#refusals === 0 && !this.hasNews && this.#options.now() - lastLeft > MINUTE_MS
  }

  get hasNews(): boolean {
    return this.#unreported > 0 || this.hasTurned
  }

  get hasTurned(): boolean {
    return this.#news.refused !== null || this.#news.isOpen
  }

  /** @throws BrokerBusy when it may not leave now */
  enter(kind: RequestClass): RequestPass {
    const now = this.#options.now()
    const isProbe = this.#passLimit(kind, now)
    if (kind !== 'orders') this.#passBudget(kind, now)
    if (isProbe && kind !== 'orders') this.#isTrying = true
    if (isProbe && kind === 'orders' && !this.#isReported) this.#openAt = now + PROBE_EVERY
    forget(this.#left, now)
    this.#left.push(now)
    if (kind === 'show') this.#shown.push(now)
    this.#sum += 1
    const number = this.#sum
    this.#unreported += 1
    this.#options.observe.left(kind)
    let hasEnded = false
    return {
      over: (status, headers) => {
        if (hasEnded) return
        hasEnded = true
        if (isProbe && kind !== 'orders') this.#isTrying = false
        if (status !== null) this.#hear({ status, headers, kind, number })
      },
    }
  }

  /** True for a request that tries the limit. Throws while the broker's limit is reached. */
  #passLimit(kind: RequestClass, now: number): boolean {
    if (this.#refusals === 0) return false
    const wait = this.#limitWait(kind, now)
    if (wait <= 0) return true
    if (kind === 'orders') this.#orderComesBy = now + wait + ORDER_COMES_WITHIN
    this.#options.observe.held(kind, 'limit')
    throw new BrokerBusy(limitReached(this.#options.wallClock() + wait), Math.ceil(wait))
  }

  #limitWait(kind: RequestClass, now: number): number {
    const open = this.#openAt - now
    if (kind === 'orders') return open
    const lag = { lookups: -LOOKUP_LEAD, comparison: 0, show: SHOW_LAG }[kind]
    const order = this.#orderComesBy - now
    return Math.max(open, this.#othersAt + lag - now, order, this.#isTrying ? PROBE_ANSWERED_WITHIN : 0)
  }

  #passBudget(kind: Exclude<RequestClass, 'orders'>, now: number): void {
    forget(this.#left, now)
    forget(this.#shown, now)
    const { showPerMinute } = this.#options
    const shown = kind === 'show' ? this.#shown.length - showPerMinute : -1
    const allowed =
      this.#limit === null ? Number.POSITIVE_INFINITY : Math.floor(this.#limit * this.#share(kind))
    const used = this.#used(now) - allowed
    if (shown < 0 && used < 0) return
    const waits = [
      ...(shown >= 0 ? [leavesIn(this.#shown, shown, now)] : []),
      ...(used >= 0 ? [leavesIn(this.#left, used, now)] : []),
    ]
    this.#options.observe.held(kind, 'budget')
    throw new BrokerBudgetSpent(
      'The rest of the broker’s request limit is kept for orders',
      Math.ceil(Math.max(...waits)),
    )
  }

  #share(kind: keyof typeof SHARE): number {
    return SHARE[kind] * (this.isAlone ? SHARE_WHEN_ALONE : 1)
  }

  #used(now: number): number {
    const known = this.#known !== null && now - this.#known.at < MINUTE_MS ? this.#known.requests : 0
    const told =
      this.#told !== null && now < this.#told.until ? this.#told.used + this.#sum - this.#told.sum : 0
    return Math.max(this.#left.length, known + this.unknownToOthers, told)
  }

  #hear(answer: { status: number; headers: IncomingHttpHeaders; kind: RequestClass; number: number }): void {
    const { status, headers, kind, number } = answer
    const now = this.#options.now()
    this.#readBudget(headers, now)
    const asked = retryAfterMs(headers, this.#options.wallClock())
    if (status === 429 || (status === 503 && headers['retry-after'] !== undefined && asked !== null))
      this.#refuse(asked, kind, number, now)
    else if (this.#refusals > 0 && number > this.#refusedAfter) this.#open(kind)
  }

  #refuse(asked: number | null, kind: RequestClass, number: number, now: number): void {
    // Concurrent requests are refused together.
    if (this.#refusals === 0 || number > this.#refusedAfter) this.#refusals += 1
    this.#refusedAfter = this.#sum
    this.#isReported = asked !== null && asked > 0
    const wait = this.#isReported ? Math.max(asked!, MIN_REFUSAL_WAIT_MS) : PROBE_EVERY
    this.#openAt = Math.max(this.#openAt, now + wait)
    const stayBack = Math.min(STAY_BACK.first * 2 ** (this.#refusals - 1), STAY_BACK.most)
    this.#othersAt = Math.max(this.#othersAt, (this.#isReported ? now + wait : now) + stayBack)
    if (kind === 'orders') this.#orderComesBy = this.#openAt + ORDER_COMES_WITHIN
    const refused = { wait, othersWait: this.#othersAt - now, isReported: this.#isReported }
    this.#news = { refused, isOpen: false }
    this.#options.observe.waits((this.#openAt - now) / 1_000)
  }

  #open(kind: RequestClass): void {
    this.#refusals = 0
    this.#openedAt = this.#options.now()
    this.#openAt = Number.NEGATIVE_INFINITY
    this.#othersAt = Number.NEGATIVE_INFINITY
    if (kind === 'orders') this.#orderComesBy = Number.NEGATIVE_INFINITY
    this.#news = { refused: null, isOpen: true }
    this.#options.observe.waits(0)
  }

  #readBudget(headers: IncomingHttpHeaders, now: number): void {
    const limit = Number(headers['x-ratelimit-limit'])
    const remaining = Number(headers['x-ratelimit-remaining'])
    if (!(limit > 0 && remaining >= 0)) return
    this.#limit = limit
    const reset =
      headers['x-ratelimit-reset'] === undefined ? null : retryAfterMs(headers, this.#options.wallClock())
    this.#told = { used: Math.max(0, limit - remaining), sum: this.#sum, until: now + (reset ?? MINUTE_MS) }
  }

  /** Call {@link wasNotified} or {@link giveBack} afterwards. */
  takeNews(): RequestNews {
    const news = { ...this.#news, requests: this.#unreported }
    this.#beingNotified = this.#unreported
    this.#news = { refused: null, isOpen: false }
    this.#unreported = 0
    return news
  }

  wasNotified(): void {
    if (this.#known !== null) this.#known.requests += this.#beingNotified
    this.#beingNotified = 0
  }

  /** After a failed exchange. */
  giveBack({ requests, refused, isOpen }: RequestNews): void {
    this.#unreported += requests
    this.#beingNotified = 0
    if (this.#news.refused === null && !this.#news.isOpen) this.#news = { refused, isOpen }
  }

  /** `asOf`: time of the question by the gate's clock. */
  learn({ requests, wait, othersWait, isReported }: RequestKnowledge, asOf: number): void {
    const now = this.#options.now()
    this.#known = { requests, at: now }
    if ((wait <= 0 && othersWait <= 0) || this.#openedAt >= asOf) return
    if (this.#refusals === 0) {
      this.#refusals = 1
      this.#refusedAfter = this.#sum
      this.#isReported = isReported
    }
    this.#openAt = Math.max(this.#openAt, now + Math.min(wait, MAX_RETRY_AFTER_MS))
    this.#othersAt = Math.max(this.#othersAt, now + othersWait)
  }
}

function forget(instants: number[], now: number): void {
  const kept = instants.findIndex((at) => at > now - MINUTE_MS)
  instants.splice(0, kept === -1 ? instants.length : kept)
}

/** Milliseconds until `over` + 1 of the requests are older than a minute. */
function leavesIn(instants: readonly number[], over: number, now: number): number {
  const last = instants[Math.min(over, instants.length - 1)]
  return last === undefined
    ? MIN_REFUSAL_WAIT_MS
    : Math.min(Math.max(MIN_REFUSAL_WAIT_MS, last + MINUTE_MS - now), MINUTE_MS)
}
