/** News between processes about requests to a broker; waits are milliseconds from that moment on. */
export interface RequestNews {
  requests: number
  /** The broker's limit was reached. `isReported`: the broker has named the wait. */
  refused: { wait: number; othersWait: number; isReported: boolean } | null
  isOpen: boolean
}

/** Of all processes for a connection; waits as in {@link RequestNews}, 0 for none. */
export interface RequestKnowledge {
  requests: number
  wait: number
  othersWait: number
  isReported: boolean
}

/** Returns the knowledge of these connections, and of every other that waits. */
export type RequestExchange = (
  news: (RequestNews & { connectionId: string })[],
) => Promise<(RequestKnowledge & { connectionId: string })[]>
