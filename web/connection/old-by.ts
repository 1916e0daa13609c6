/** Stream events that make data under a key old, and under keys that begin with it; the longest key counts. */
export interface OldBy {
  key: readonly string[]
  /** Events after which it is read again. */
  by?: readonly string[]
  /** Events that a shown list applies itself: it is old only where none is shown, or while it is read. */
  taken?: readonly string[]
  /** Only events of the record in the next part of the key, or of that signal. */
  isOfOne?: true
  /** Read in a hidden tab too, because a person returns for it. */
  isReadHidden?: true
  /** Milliseconds between two readings, unless the default. */
  pauseMs?: number
}

/** Milliseconds between two readings of a story, whose steps follow quickly. */
const STORY_PAUSE_MS = 400
/** Covers events between a page's first reading and the start of its stream. */
const BEGIN = 'ready'

/**
 * Keys of all queries. A list without an event is read again by age, by an action, or when opened;
 * `test/architecture/keys-of-queries.test.ts` finds a key without a row.
 */
export const OLD_BY: readonly OldBy[] = [
  { key: ['accounts'], taken: ['account'] },
  { key: ['accounts', 'removed'], by: ['account'] },
  { key: ['administration'] },
  { key: ['agenda'], by: ['signal', 'order', 'halt'] },
  // The remedy of an alert depends on held shares and on a halt.
  { key: ['alerts'], by: ['alert', 'halt', 'trade'] },
  { key: ['app'] },
  { key: ['asset'] },
  { key: ['assets'] },
  { key: ['balances'] },
  { key: ['bars'] },
  { key: ['benchmark'] },
  { key: ['broker-types'] },
  { key: ['brokers'], by: ['broker'] },
  { key: ['channels'] },
  // A card checks again by itself, less often.
  { key: ['check'], taken: ['halt', 'order', 'signal', 'user'] },
  { key: ['equity-today'], by: ['account'] },
  { key: ['flatten'] },
  { key: ['group'], by: ['signal', BEGIN] },
  { key: ['halts'], by: ['halt'] },
  { key: ['hooks', 'address'] },
  { key: ['hooks', 'list'], by: ['alert'] },
  { key: ['hooks', 'one'], by: ['trade'] },
  { key: ['hooks', 'request'], by: ['signal'] },
  { key: ['hooks', 'today'], by: ['signal', 'alert'] },
  { key: ['hooks', 'requests'], by: ['signal', 'alert'] },
  { key: ['market sessions'] },
  { key: ['me'], by: ['user'] },
  { key: ['order to change'] },
  { key: ['orders'], by: ['order'] },
  { key: ['orders', 'working'], by: ['order', BEGIN] },
  { key: ['orders', 'one'], by: ['order'], isOfOne: true },
  { key: ['orders', 'life'], by: ['order'], isOfOne: true },
  { key: ['performance'], by: ['trade'] },
  // A moved stop is another order, and a level kept here changes its signal.
  { key: ['positions'], by: ['order', 'signal', BEGIN], taken: ['position'] },
  { key: ['quotes'] },
  { key: ['readiness'] },
  { key: ['risk-limits'] },
  { key: ['risk-usage'], by: ['order', 'account'] },
  { key: ['security-log'] },
  { key: ['sessions'] },
  {
    key: ['signal'],
    by: ['signal', 'order', 'trade', BEGIN],
    isOfOne: true,
    pauseMs: STORY_PAUSE_MS,
  },
  { key: ['signals', 'any'], taken: ['signal'] },
  { key: ['signals', 'closes'], by: ['signal', BEGIN] },
  { key: ['signals', 'exits'], by: ['signal', BEGIN] },
  { key: ['signals', 'list'], by: [BEGIN], taken: ['signal'] },
  { key: ['signals', 'newest'], by: ['signal'] },
  { key: ['signals', 'pending'], by: [BEGIN], taken: ['signal'], isReadHidden: true },
  { key: ['source of a signal'] },
  { key: ['statistics'], by: ['trade'] },
  { key: ['strategies'] },
  { key: ['summary', 'accounts'], taken: ['figures'] },
  { key: ['summary', 'all'], taken: ['figures'] },
  { key: ['summary', 'broker'], by: ['order', 'position'] },
  { key: ['tokens'] },
  { key: ['trades'], by: ['trade'] },
]
