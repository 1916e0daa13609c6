export type Expectation =
  /** A time of day in New York. */
  | { everySession: string }
  /** From the close of each session to that of the next. */
  | { atLeastEvery: 'day' }
