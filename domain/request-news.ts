/** The news that processes tell each other of their requests to a broker; waits are milliseconds from that moment on. */
export interface RequestNews {
  /** Requests that have left since the last news. */
  requests: number
  /** The broker's limit was reached: null when it was not. `isTold`: the broker itself has named the wait. */
  refused: { wait: number; othersWait: number; isTold: boolean } | null
  /** The broker answers again. */
  isOpen: boolean
}

/** The knowledge of all processes together of the requests of a connection; waits as in {@link RequestNews}, 0 for none. */
export interface RequestKnowledge {
  /** Requests within a minute. */
  requests: number
  /** Until orders may leave. */
  wait: number
  /** Until other requests may. */
  othersWait: number
  isTold: boolean
}

/** Tells the other processes of connections, and returns what all know of these, and of every other that waits. */
export type RequestExchange = (
  news: (RequestNews & { connectionId: string })[],
) => Promise<(RequestKnowledge & { connectionId: string })[]>
