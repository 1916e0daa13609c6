import { ApiError } from './errors.ts'
import { createTurns, NoTurn, type TurnBound, type TurnCaller, type TurnUse } from './turns.ts'

/** How many requests of one kind of work go on at once in one API process. */
export interface WorkBound extends TurnBound {
  /** Milliseconds after which a request that still goes on counts no more; it counts until its end where it is left out. */
  heldAtMost?: number
}

/** Milliseconds that a request waits for its turn: then the database still has most of its own time. */
export const TURN_PATIENCE_MS = 1_000

/** Milliseconds. An entry without an outcome by then waits for its broker, which costs this machine next to nothing. */
const ENTRY_HELD_AT_MOST = 1_000

/**
 * The kinds of work, so that no caller takes from others more than a share of the process. Trading and signals have
 * connections to the database that nothing else can take, and so has stopping.
 */
export const WORK_BOUNDS = {
  /** Orders, approvals and changes of exits: what people do, which no flood of signals may hold up. */
  trading: { atOnce: 100, waiting: 100 },
  /** Halts, cancels, closing, and declining: they have connections that not even trading can take. */
  stopping: { atOnce: 100, waiting: 100 },
  /**
   * Signals as they come in, of one token: every burst passes that the limit of a minute lets pass. Those that begin
   * something are bounded as entries besides.
   */
  signals: { atOnce: 200, waiting: 0 },
  /** Everything else that the database alone answers. */
  ordinary: { atOnce: 8, waiting: 100 },
  /** A broker is asked while the caller waits: dry runs, look-ups of assets, tests of connections, syncs. */
  broker: { atOnce: 3, waiting: 12, inAll: 24 },
  /** Bodies that take a while to read, one after another: see {@link readInTurn}. */
  reading: { atOnce: 1, waiting: 200, inAll: 1 },
} as const satisfies Record<string, WorkBound>

/**
 * Signals that are stored and sent. More of them at once take longer each and are fewer a second, because they take the
 * processors from each other (docs/performance.md). A quarter is out of reach of any one person, by however many tokens:
 * who sends one signal beside a flood of somebody else waits for nobody.
 */
export const entryBound = (signalsAtOnce: number): WorkBound => ({
  atOnce: Math.ceil(signalsAtOnce * 0.75),
  ofPerson: Math.ceil(signalsAtOnce * 0.75),
  waiting: WORK_BOUNDS.signals.atOnce,
  inAll: signalsAtOnce,
  heldAtMost: ENTRY_HELD_AT_MOST,
})

/** The kinds that bound whole routes. */
export type RouteWork = Exclude<keyof typeof WORK_BOUNDS, 'reading'>
/** Those, and as what the reading of a body, and a signal that begins something, are bounded besides. */
export const WORK_KINDS = [
  'trading',
  'stopping',
  'signals',
  'ordinary',
  'broker',
  'reading',
  'entries',
] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/** Bounds the work of each caller, in one process. */
export interface WorkBounds {
  /**
   * Does the work as soon as the bounds of the caller and of all together allow it; callers who wait take turns. Throws
   * {@link ApiError} TOO_MANY_AT_ONCE when the caller has too much under way, and TOO_BUSY when all together have.
   *
   * @param caller a user, by a token where it sends signals, or the address of a caller without a credential
   * @param instead what is done for a caller who gets no turn; null where that is nothing, and the caller is refused
   */
  run<T>(
    kind: WorkKind,
    caller: TurnCaller,
    work: () => Promise<T>,
    instead?: () => Promise<T | null>,
  ): Promise<T>
}

/** Tells of the work in one process. */
export interface WorkUse {
  /** How many requests go on and wait at this moment. */
  use(): Record<WorkKind, TurnUse>
}

/** Like {@link WorkBounds.run} for a request, which is told how many milliseconds it has waited. */
export function runBounded<T>(
  bounds: WorkBounds,
  kind: WorkKind,
  caller: TurnCaller,
  request: { noteWait(milliseconds: number): void },
  work: () => Promise<T>,
): Promise<T> {
  const asked = performance.now()
  return bounds.run(kind, caller, () => {
    request.noteWait(performance.now() - asked)
    return work()
  })
}

/** Bytes below which a body is read sooner than a turn is waited for. */
const READ_AT_ONCE = 1_024

/**
 * Reads a body when its sender's turn comes. Reading holds the event loop, which works everything else off between two bodies:
 * whoever sends one waits for one, however many others have come before.
 */
export function readInTurn<T>(
  bounds: WorkBounds,
  caller: TurnCaller,
  request: { noteWait(milliseconds: number): void; requireSender(): void },
  bytes: number,
  read: () => T,
): T | Promise<T> {
  if (bytes < READ_AT_ONCE) return read()
  return runBounded(bounds, 'reading', caller, request, async () => {
    request.requireSender()
    try {
      return read()
    } finally {
      await nextRoundOfLoop()
    }
  })
}

const nextRoundOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** @param countRefused told of every request that is refused */
export function createWorkBounds(
  bounds: Record<WorkKind, WorkBound>,
  countRefused: (kind: WorkKind) => void = () => {},
): WorkBounds & WorkUse {
  const turns = mapKinds(bounds, (bound) => createTurns(bound, TURN_PATIENCE_MS))
  return {
    async run(kind, caller, work, instead = async () => null) {
      let leave: () => void
      try {
        leave = await turns[kind].enter(caller)
      } catch (error) {
        if (!(error instanceof NoTurn)) throw error
        const done = await instead()
        if (done !== null) return done
        countRefused(kind)
        const code = error.isOwn ? 'TOO_MANY_AT_ONCE' : 'TOO_BUSY'
        throw new ApiError(code, { headers: { 'Retry-After': '1' }, cause: error })
      }
      const { heldAtMost } = bounds[kind]
      const held = heldAtMost === undefined ? undefined : setTimeout(leave, heldAtMost)
      try {
        return await work()
      } finally {
        clearTimeout(held)
        leave()
      }
    },
    use: () => mapKinds(turns, ({ use }) => use()),
  }
}

const mapKinds = <From, To>(kinds: Record<WorkKind, From>, map: (value: From) => To): Record<WorkKind, To> =>
  Object.fromEntries(
    (Object.entries(kinds) as [WorkKind, From][]).map(([kind, value]) => [kind, map(value)]),
  ) as Record<WorkKind, To>
