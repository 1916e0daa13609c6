/** A process's report about requests; waits in milliseconds from then on. */
export interface RequestNews {
  requests: number
  /** The broker's limit was reached. `isReported`: the broker gave the wait. */
  refused: { wait: number; othersWait: number; isReported: boolean } | null
  isOpen: boolean
}

/** Knowledge of all processes; waits as in {@link RequestNews}, 0 for none. */
export interface RequestKnowledge {
  requests: number
  wait: number
  othersWait: number
  isReported: boolean
}

/** Also returns other connections that wait. */
export type RequestExchange = (
  news: (RequestNews & { connectionId: string })[],
) => Promise<(RequestKnowledge & { connectionId: string })[]>
