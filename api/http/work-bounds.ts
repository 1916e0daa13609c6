import { ApiError } from './errors.ts'
import { createSlots, NoSlotFree, type Slots } from './slots.ts'

/** How much of one kind of work goes on at once in one API process. */
export interface WorkBound {
  /** Requests of one caller. */
  atOnce: number
  /** Requests of one caller that may wait for their turn. */
  waiting: number
  /** Requests of all callers together; nothing bounds them but the pool of the database where it is left out. */
  inAll?: number
}

/** Milliseconds that a request waits for its turn: then the database still has most of its own time. */
export const PATIENCE = 1_000

/**
 * The kinds of work, so that no caller takes from others more than a share of the process. Trading has connections to the
 * database that nothing else can take. Its bound stops a flood and lets every burst pass that the limit of a minute
 * lets pass.
 */
export const WORK_BOUNDS = {
  /** Signals, orders, decisions about them, cancels and halts. */
  trading: { atOnce: 100, waiting: 100 },
  /** Everything else that the database alone answers. */
  ordinary: { atOnce: 8, waiting: 100 },
  /** A broker is asked while the caller waits: dry runs, look-ups of assets, tests of connections, syncs. */
  broker: { atOnce: 3, waiting: 12, inAll: 24 },
} as const satisfies Record<string, WorkBound>

export type WorkKind = keyof typeof WORK_BOUNDS

/** Bounds the work of each caller, in one process. */
export interface WorkBounds {
  /**
   * Does the work as soon as the caller's bound allows it. Of several callers each gets their turn: nobody has more in
   * the common line than may go on at once for one of them. Throws {@link ApiError} TOO_MANY_AT_ONCE when the caller has
   * too much under way, and TOO_BUSY when all together have.
   *
   * @param caller a user, or the address of a caller without a credential
   */
  run<T>(kind: WorkKind, caller: string, work: () => Promise<T>): Promise<T>
}

/** Like {@link WorkBounds.run} for a request, which is told how many milliseconds it has waited. */
export function runBounded<T>(
  bounds: WorkBounds,
  kind: WorkKind,
  caller: string,
  request: { noteWait(milliseconds: number): void },
  work: () => Promise<T>,
): Promise<T> {
  const asked = performance.now()
  return bounds.run(kind, caller, () => {
    request.noteWait(performance.now() - asked)
    return work()
  })
}

export function createWorkBounds(bounds: Record<WorkKind, WorkBound> = WORK_BOUNDS): WorkBounds {
  const kinds = new Map(Object.entries(bounds).map(([kind, bound]) => [kind, boundedWork(bound)]))
  return { run: (kind, caller, work) => kinds.get(kind)!(caller, work) }
}

function boundedWork({ atOnce, waiting, inAll = Infinity }: WorkBound) {
  const all = createSlots(inAll, Infinity, PATIENCE)
  const byCaller = new Map<string, { slots: Slots; requests: number }>()
  return async <T>(caller: string, work: () => Promise<T>): Promise<T> => {
    const own = byCaller.get(caller) ?? { slots: createSlots(atOnce, waiting, PATIENCE), requests: 0 }
    byCaller.set(caller, own)
    own.requests += 1
    try {
      const leave = await own.slots.enter().catch(refuseAs('TOO_MANY_AT_ONCE'))
      try {
        const leaveAll = await all.enter().catch(refuseAs('TOO_BUSY'))
        try {
          return await work()
        } finally {
          leaveAll()
        }
      } finally {
        leave()
      }
    } finally {
      own.requests -= 1
      // Who has nothing under way is forgotten: callers come and go.
      if (own.requests === 0) byCaller.delete(caller)
    }
  }
}

const refuseAs =
  (code: 'TOO_MANY_AT_ONCE' | 'TOO_BUSY') =>
  (error: unknown): never => {
    if (!(error instanceof NoSlotFree)) throw error
    throw new ApiError(code, { headers: { 'Retry-After': '1' }, cause: error })
  }
