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
  /** The connection is cut. */
  instead?: 'reset'
  status: number
  body?: unknown
  headers?: Record<string, string>
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

const MOST_REQUESTS = 200

/** 200 requests that may come within a window, of all accounts that share the limit; refused ones count too. */
export class RequestLimit {
  readonly #windowMs: number
  /** When requests came, in milliseconds since the epoch. */
  #counted: number[] = []

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** As if another program had sent as many requests as may come now. */
  spend(now = Date.now()): void {
    this.#counted.push(...Array.from({ length: MOST_REQUESTS }, () => now))
  }

  /** Counts a request; the headers with which it is refused, null where it may come. */
  take(now: number): Record<string, string> | null {
    this.#counted = this.#counted.filter((at) => at > now - this.#windowMs)
    const isRefused = this.#counted.length >= MOST_REQUESTS
    const freeAt = (this.#counted[0] ?? now) + this.#windowMs
    this.#counted.push(now)
    return isRefused ? { 'retry-after': String(Math.max(1, Math.ceil((freeAt - now) / 1_000))) } : null
  }
}
