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
