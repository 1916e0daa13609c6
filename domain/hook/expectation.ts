/** The times at which something is expected to come of a hook or a strategy. */
export type Expectation =
  /** One of each session's own day, by this time of day in New York. */
  | { everySession: string }
  /** One from the close of each session to that of the next. */
  | { atLeastEvery: 'day' }
