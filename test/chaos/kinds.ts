/** How often each kind comes, in relation to the others. Nearly two of ten are replaced, one is withdrawn. */
export const KINDS = {
  market: 8,
  'market without exit': 3,
  'limit that fills': 7,
  'limit good till a date': 5,
  rejected: 4,
  scheduled: 8,
  'scheduled and withdrawn': 6,
  approved: 7,
  'approved and declined': 3,
  'approved and withdrawn': 3,
  declined: 2,
  undecided: 2,
  'replaced while it waits': 10,
  'replaced while it works': 10,
  'exit at a clock time': 5,
  'exit before the close': 4,
  'exit in the closing auction': 5,
  'exit at a stop': 5,
  'exit by a plan': 7,
  'exit withdrawn': 3,
  close: 8,
  'sold manually': 4,
  'resting beside others': 4,
  reversal: 8,
}
export type Kind = keyof typeof KINDS

/** The same, where three of four signals are to have an exit plan. */
export const PLANS = { ...KINDS, 'exit by a plan': 372 } satisfies typeof KINDS

/** Whether its entry waits at the broker for a price. */
export const restsFirst = (kind: Kind): boolean =>
  kind === 'limit that fills' || kind === 'limit good till a date' || kind === 'replaced while it works'
