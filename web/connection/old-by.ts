/** Which news of the stream make old what was read under a key, and all keys that begin with it; the longest one counts. */
export interface OldBy {
  key: readonly string[]
  /** Events after which it is read again. */
  by?: readonly string[]
  /** Events that a shown list takes over by itself: it is old after them where none is shown, or while it is being read. */
  taken?: readonly string[]
  /** Only news of the record that the next part of the key names, and of what belongs to that signal. */
  isOfOne?: true
  /** It is read in a hidden tab too: a person comes back for it. */
  isReadHidden?: true
  /** Milliseconds between two readings, where they are not the usual ones. */
  pauseMs?: number
}

/** Milliseconds between two readings of a story, whose steps follow each other quickly. */
const STORY_PAUSE_MS = 400
/** What came between the first reading of a page and the beginning of its stream was never told to it. */
const BEGIN = 'ready'

/**
 * Every key of the application. A list without an event is read anew by its age, by what a person does, or when it is opened;
 * `test/architecture/keys-of-queries.test.ts` finds a key that has no line.
 */
export const OLD_BY: readonly OldBy[] = [
  { key: ['accounts'], taken: ['account'] },
  { key: ['accounts', 'removed'], by: ['account'] },
  { key: ['administration'] },
  { key: ['agenda'], by: ['signal', 'order', 'halt'] },
  // The remedy of an alert depends on the shares that are held, and on a stop.
  { key: ['alerts'], by: ['alert', 'halt', 'trade'] },
  { key: ['app'] },
  { key: ['asset'] },
  { key: ['assets'] },
  { key: ['balances'] },
  { key: ['bars'] },
  { key: ['benchmark'] },
  { key: ['broker-types'] },
  { key: ['brokers'], by: ['broker'] },
  // A card asks again by itself, and less often.
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
  // A stop that has moved is another order, and a level that is kept here is a change of its signal.
  { key: ['positions'], by: ['order', 'signal', BEGIN], taken: ['position'] },
  { key: ['push'] },
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
