import type { IncomingHttpHeaders } from 'node:http'
import type { RequestKnowledge, RequestNews } from '#domain/request-news.ts'
import { MINUTE_MS } from '#domain/time-units.ts'
import { askedWait, limitReached, MAX_ASKED_WAIT } from './asked-wait.ts'
import {
  BrokerBudgetSpent,
  BrokerBusy,
  type RequestClass,
  type RequestGate,
  type RequestPass,
} from './port.ts'

/** How long after a refusal that named no wait orders ask again, in milliseconds: less than the two seconds of an exit. */
const PROBE_EVERY = 1_500
/** The least wait after a refusal, whatever the broker says. */
const MIN_REFUSAL_WAIT_MS = 1_000
/** After the end of a wait the other classes stay back so long, twice as long with each refusal, in milliseconds. */
const STAY_BACK = { first: 4_000, most: 30_000 }
/** By how much look-ups come before what is compared, in milliseconds. */
const LOOKUP_LEAD = 1_000
/** By how much what is only for show comes after what is compared, in milliseconds. */
const SHOW_LAG = 2_000
/** An order that was held is expected back so many milliseconds after its wait. Until then no other class asks in its stead. */
const ORDER_COMES_WITHIN = 3_000
/** A request of another class that waits for the answer to the one that was let out to try comes again after so long. */
const PROBE_ANSWERED_WITHIN = 1_000

/**
 * The part of a minute's requests up to which a class is let out, all classes counted together. Orders are never held by our
 * own count.
 */
const SHARE = { lookups: 0.85, comparison: 0.7, show: 0.45 } as const
/** The same while the counts of other processes are not known. */
const SHARE_WHEN_ALONE = 0.3

export interface GateOptions {
  /** Requests a minute that the broker allows a connection; null where only its answers tell. */
  perMinute: number | null
  /** Requests a minute of this process that are only for show. */
  showPerMinute: number
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Milliseconds since the epoch, for words and headers. */
  wallClock(): number
  observe: GateObserver
}

/** Told of what a gate does. */
interface GateObserver {
  left(kind: RequestClass): void
  held(kind: RequestClass, why: 'limit' | 'budget'): void
  /** The broker's limit is reached for so many seconds; 0: it is not any more. */
  waits(seconds: number): void
}

/**
 * Decides which request of one connection may leave, for one process. It knows the instant before which the broker wants no
 * request, and counts those of a minute. Pure but for its clock; {@link BrokerGates} shares what it knows with other processes.
 *
 * After a refusal nothing leaves until the wait is over. Then orders go; the other classes follow seconds later, ever later with
 * each refusal in a row, and one request at a time until the broker has answered one. Where no wait is told, orders try every
 * {@link PROBE_EVERY} ms, and no other class tries while an order does.
 */
export class ConnectionGate implements RequestGate {
  readonly #options: GateOptions
  /** By the gate's clock. */
  readonly begunAt: number
  /** Limit of a minute, as the broker tells it or as it is known. */
  #limit: number | null
  /** When requests of this process left, in the last minute. */
  readonly #left: number[] = []
  readonly #shown: number[] = []
  #sum = 0
  #unreported = 0
  /** Of an exchange that is under way. */
  #beingTold = 0
  /** The broker's own count, as it told it, and how many requests of ours had left by then. */
  #told: { used: number; sum: number; until: number } | null = null
  #known: { requests: number; at: number } | null = null

  /** Refusals in a row; 0 while the broker answers. */
  #refusals = 0
  /** How many requests had left by the last refusal. */
  #refusedAfter = 0
  #isTold = false
  #openAt = Number.NEGATIVE_INFINITY
  #othersAt = Number.NEGATIVE_INFINITY
  #orderComesBy = Number.NEGATIVE_INFINITY
  #openedAt = Number.NEGATIVE_INFINITY
  /** A request of another class than orders is out to try whether the broker answers again. */
  #isTrying = false
  #news: Omit<RequestNews, 'requests'> = { refused: null, isOpen: false }
  /** Whether the counts of the other processes cannot be had. */
  isAlone = false

  constructor(options: GateOptions) {
    this.#options = options
    this.begunAt = options.now()
    this.#limit = options.perMinute
  }

  /** Requests that left and are not known to the others yet. */
  get unknownToOthers(): number {
    return this.#beingTold + this.#unreported
  }

  /** Nothing is known here that would be missed. */
  get isIdle(): boolean {
    const lastLeft = this.#left.at(-1) ?? Number.NEGATIVE_INFINITY
    return this.#refusals === 0 && !this.hasNews && this.#options.now() - lastLeft > MINUTE_MS
  }

  get hasNews(): boolean {
    return this.#unreported > 0 || this.hasTurned
  }

  /** The broker's limit was reached, or is not any more, and the others do not know yet. */
  get hasTurned(): boolean {
    return this.#news.refused !== null || this.#news.isOpen
  }

  /** @throws BrokerBusy when it may not leave now */
  enter(kind: RequestClass): RequestPass {
    const now = this.#options.now()
    const isProbe = this.#passLimit(kind, now)
    if (kind !== 'orders') this.#passBudget(kind, now)
    if (isProbe && kind !== 'orders') this.#isTrying = true
    if (isProbe && kind === 'orders' && !this.#isTold) this.#openAt = now + PROBE_EVERY
    forget(this.#left, now)
    this.#left.push(now)
    if (kind === 'show') this.#shown.push(now)
    this.#sum += 1
    const number = this.#sum
    this.#unreported += 1
    this.#options.observe.left(kind)
    let isOver = false
    return {
      over: (status, headers) => {
        if (isOver) return
        isOver = true
        if (isProbe && kind !== 'orders') this.#isTrying = false
        if (status !== null) this.#hear({ status, headers, kind, number })
      },
    }
  }

  /** Throws while the broker's limit is reached. True for a request that finds out whether it still is. */
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

  /** Requests of the last minute, by the highest count that is known. */
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
    const asked = askedWait(headers, this.#options.wallClock())
    if (status === 429 || (status === 503 && headers['retry-after'] !== undefined && asked !== null))
      this.#refuse(asked, kind, number, now)
    else if (this.#refusals > 0 && number > this.#refusedAfter) this.#open(kind)
  }

  #refuse(asked: number | null, kind: RequestClass, number: number, now: number): void {
    // Requests that were under way together are refused together.
    if (this.#refusals === 0 || number > this.#refusedAfter) this.#refusals += 1
    this.#refusedAfter = this.#sum
    // A reset that lies in the past tells nothing.
    this.#isTold = asked !== null && asked > 0
    const wait = this.#isTold ? Math.max(asked!, MIN_REFUSAL_WAIT_MS) : PROBE_EVERY
    this.#openAt = Math.max(this.#openAt, now + wait)
    const stayBack = Math.min(STAY_BACK.first * 2 ** (this.#refusals - 1), STAY_BACK.most)
    this.#othersAt = Math.max(this.#othersAt, (this.#isTold ? now + wait : now) + stayBack)
    if (kind === 'orders') this.#orderComesBy = this.#openAt + ORDER_COMES_WITHIN
    const refused = { wait, othersWait: this.#othersAt - now, isTold: this.#isTold }
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
      headers['x-ratelimit-reset'] === undefined ? null : askedWait(headers, this.#options.wallClock())
    this.#told = { used: Math.max(0, limit - remaining), sum: this.#sum, until: now + (reset ?? MINUTE_MS) }
  }

  /** The news that the others do not know yet; to be followed by {@link wasTold} or {@link giveBack}. */
  takeNews(): RequestNews {
    const news = { ...this.#news, requests: this.#unreported }
    this.#beingTold = this.#unreported
    this.#news = { refused: null, isOpen: false }
    this.#unreported = 0
    return news
  }

  /** The others know the news. */
  wasTold(): void {
    if (this.#known !== null) this.#known.requests += this.#beingTold
    this.#beingTold = 0
  }

  /** The news could not be told. */
  giveBack({ requests, refused, isOpen }: RequestNews): void {
    this.#unreported += requests
    this.#beingTold = 0
    if (this.#news.refused === null && !this.#news.isOpen) this.#news = { refused, isOpen }
  }

  /**
   * Takes over what all processes know together, this one's requests as of its latest news included.
   *
   * @param asOf when they were asked, by the gate's clock: what the broker has answered since is newer
   */
  learn({ requests, wait, othersWait, isTold }: RequestKnowledge, asOf: number): void {
    const now = this.#options.now()
    this.#known = { requests, at: now }
    if ((wait <= 0 && othersWait <= 0) || this.#openedAt >= asOf) return
    if (this.#refusals === 0) {
      this.#refusals = 1
      this.#refusedAfter = this.#sum
      this.#isTold = isTold
    }
    this.#openAt = Math.max(this.#openAt, now + Math.min(wait, MAX_ASKED_WAIT))
    this.#othersAt = Math.max(this.#othersAt, now + othersWait)
  }
}

function forget(instants: number[], now: number): void {
  const kept = instants.findIndex((at) => at > now - MINUTE_MS)
  instants.splice(0, kept === -1 ? instants.length : kept)
}

/** Milliseconds until so many and one more of the requests are older than a minute. */
function leavesIn(instants: readonly number[], over: number, now: number): number {
  const last = instants[Math.min(over, instants.length - 1)]
  return last === undefined
    ? MIN_REFUSAL_WAIT_MS
    : Math.min(Math.max(MIN_REFUSAL_WAIT_MS, last + MINUTE_MS - now), MINUTE_MS)
}
