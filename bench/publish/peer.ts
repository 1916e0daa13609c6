/**
 * OpenAlgo with its sandbox, which keeps orders in memory, measured in November 2026 on the machine on which the floor of
 * this benchmark took {@link PEER.floor}: one order after another, then 50 at once, each from the request to its answer.
 */
export const PEER = {
  name: 'OpenAlgo',
  concurrency: 50,
  alone: { p50: 44, answeredPerSecond: 24 },
  together: { answeredPerSecond: 36 },
  floor: { p50: 16, answeredPerSecond: 91 },
  /** Webhooks that it had acknowledged before `kill -9`, and how many of their orders were never sent. */
  killed: { acknowledged: 100, lost: 82 },
} as const
