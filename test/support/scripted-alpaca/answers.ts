/** A request as it has arrived. */
export interface ArrivedRequest {
  method: string
  /** Without the query. */
  path: string
  query: URLSearchParams
  body: string
  /** Milliseconds since the epoch. */
  at: number
}

/** How requests of a kind are answered for a while. */
export interface OddAnswer {
  /** Requests that it is for, such as `POST /v2/orders`; `*` stands for any text. All by default. */
  to?: string
  /** What else must hold of a request. */
  when?: (request: ArrivedRequest) => boolean
  /** For so many requests; for all by default. */
  times?: number
  /** Until then, in milliseconds since the epoch. */
  until?: number
  /** The request takes effect, although it is answered so. */
  takesEffect?: boolean
  /** Milliseconds before the answer. */
  delay?: number
  /** hang: no answer ever comes. reset: the connection is cut. */
  instead?: 'hang' | 'reset'
  status?: number
  body?: unknown
  headers?: Record<string, string>
  /** Changes what would be answered; the status stays. */
  change?: (answer: never) => unknown
}

/** Odd answers, the first that fits wins. */
export class OddAnswers {
  readonly #odd: (OddAnswer & { left: number })[] = []

  /** Adds one; what comes back ends it. */
  add(odd: OddAnswer): () => void {
    const kept = { ...odd, left: odd.times ?? Number.POSITIVE_INFINITY }
    this.#odd.push(kept)
    return () => void (kept.left = 0)
  }

  /** The one for a request, which counts it. */
  take(request: ArrivedRequest): OddAnswer | undefined {
    const found = this.#odd.find(
      ({ left, until, to, when }) =>
        left > 0 &&
        (until === undefined || request.at < until) &&
        (to === undefined || fits(to, `${request.method} ${request.path}`)) &&
        (when === undefined || when(request)),
    )
    if (found) found.left -= 1
    return found
  }
}

/** Whether a text is of a pattern in which `*` stands for any text. */
export const fits = (pattern: string, text: string): boolean => {
  const parts = pattern.split('*')
  if (parts.length === 1) return text === pattern
  return (
    text.startsWith(parts[0]!) && text.endsWith(parts.at(-1)!) && parts.every((part) => text.includes(part))
  )
}

/** Requests that may come within a window, of one account or of all that share the limit. */
export class RequestLimit {
  readonly #most: number
  readonly #windowMs: number
  readonly #countsRefused: boolean
  readonly #headers: 'none' | 'retry-after' | 'x-ratelimit'
  /** When those came that count, in milliseconds since the epoch. */
  #counted: number[] = []
  /** When requests came, and whether they were refused. */
  readonly seen: { at: number; isRefused: boolean }[] = []

  constructor({
    most = 200,
    windowMs = 60_000,
    countsRefused = false,
    headers = 'none',
  }: {
    most?: number
    windowMs?: number
    /** Refused requests keep the limit reached. */
    countsRefused?: boolean
    headers?: 'none' | 'retry-after' | 'x-ratelimit'
  } = {}) {
    this.#most = most
    this.#windowMs = windowMs
    this.#countsRefused = countsRefused
    this.#headers = headers
  }

  /** As if another program had sent so many requests now. */
  spend(requests: number, now = Date.now()): void {
    this.#counted.push(...Array.from({ length: requests }, () => now))
  }

  /** Counts a request; whether it is refused, and what is said of the limit. */
  take(now: number): { isRefused: boolean; headers: Record<string, string> } {
    this.#counted = this.#counted.filter((at) => at > now - this.#windowMs)
    const isRefused = this.#counted.length >= this.#most
    this.seen.push({ at: now, isRefused })
    if (!isRefused || this.#countsRefused) this.#counted.push(now)
    return { isRefused, headers: this.#told(now) }
  }

  #told(now: number): Record<string, string> {
    const freeAt = (this.#counted[0] ?? now) + this.#windowMs
    if (this.#headers === 'retry-after')
      return { 'retry-after': String(Math.max(1, Math.ceil((freeAt - now) / 1_000))) }
    if (this.#headers === 'none') return {}
    return {
      'x-ratelimit-limit': String(this.#most),
      'x-ratelimit-remaining': String(Math.max(0, this.#most - this.#counted.length)),
      'x-ratelimit-reset': String(Math.ceil(freeAt / 1_000)),
    }
  }
}
