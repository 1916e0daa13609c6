import { ApiError } from '#contract/errors.ts'

export class QueueTimeout extends Error {
  override readonly name = 'QueueTimeout'
  readonly isOwn: boolean

  constructor(isOwn: boolean) {
    super(
      `${isOwn ? 'work of this caller' : 'work of all callers together'} takes all that may go on at once`,
    )
    this.isOwn = isOwn
  }
}

export interface QueueBound {
  atOnce: number
  waiting: number
  ofPerson?: number
  inAll?: number
}

export type QueueCaller = string | { person: string; sender: string }

interface TurnUse {
  underWay: number
  waiting: number
}

export interface FairQueue {
  /** Returns an idempotent release. Round robin between people, then senders. Throws {@link QueueTimeout}. */
  enter(caller: QueueCaller): Promise<() => void>
  use(): TurnUse
}

interface Line {
  underWay: number
  waiting: (() => void)[]
}

interface Person {
  underWay: number
  lines: Map<string, Line>
}

/** @param patience milliseconds */
export function createFairQueue(bound: QueueBound, patience: number): FairQueue {
  const { atOnce, waiting, ofPerson = Infinity, inAll = Infinity } = bound
  const people = new Map<string, Person>()
  let underWay = 0

  const placeOf = (caller: QueueCaller) => {
    const name = typeof caller === 'string' ? { person: caller, sender: caller } : caller
    const person: Person = people.get(name.person) ?? { underWay: 0, lines: new Map() }
    const line: Line = person.lines.get(name.sender) ?? { underWay: 0, waiting: [] }
    return {
      person,
      line,
      join(): void {
        people.set(name.person, person)
        person.lines.set(name.sender, line)
      },
      moveToTheBack(): void {
        people.delete(name.person)
        people.set(name.person, person)
        person.lines.delete(name.sender)
        person.lines.set(name.sender, line)
      },
      forget(): void {
        if (line.underWay > 0 || line.waiting.length > 0) return
        person.lines.delete(name.sender)
        if (person.lines.size === 0) people.delete(name.person)
      },
    }
  }
  type Place = ReturnType<typeof placeOf>

  const isOwnInTheWay = (person: Person, line: Line): boolean =>
    line.underWay >= atOnce || person.underWay >= ofPerson

  const change = ({ person, line }: Place, by: number): void => {
    underWay += by
    person.underWay += by
    line.underWay += by
  }
  const begin = (place: Place): (() => void) => {
    change(place, 1)
    place.moveToTheBack()
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      change(place, -1)
      place.moveToTheBack()
      beginNext()
      place.forget()
    }
  }
  const beginNext = (): void => {
    if (underWay >= inAll) return
    for (const person of people.values())
      for (const line of person.lines.values())
        if (line.waiting.length > 0 && !isOwnInTheWay(person, line)) return line.waiting.shift()!()
  }
  const wait = (place: Place): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const { person, line } = place
      const beginNow = () => {
        clearTimeout(timer)
        resolve(begin(place))
      }
      const giveUp = () => {
        line.waiting.splice(line.waiting.indexOf(beginNow), 1)
        reject(new QueueTimeout(isOwnInTheWay(person, line)))
        place.forget()
      }
      const timer = setTimeout(giveUp, patience)
      line.waiting.push(beginNow)
    })

  return {
    async enter(caller) {
      const place = placeOf(caller)
      const { person, line } = place
      if (!isOwnInTheWay(person, line) && underWay < inAll) return begin(place)
      if (line.waiting.length >= waiting) throw new QueueTimeout(isOwnInTheWay(person, line))
      place.join()
      return wait(place)
    },
    use: () => ({
      underWay,
      waiting: [...people.values()]
        .flatMap(({ lines }) => [...lines.values()])
        .reduce((sum, line) => sum + line.waiting.length, 0),
    }),
  }
}

export interface WorkBound extends QueueBound {
  /** Milliseconds until the slot is freed; absent: at the request's end. */
  heldAtMost?: number
}

/** Milliseconds, which leave the database most of its time. */
export const TURN_PATIENCE_MS = 1_000

/** Milliseconds, after which an entry only waits for its broker. */
const ENTRY_HELD_AT_MOST = 1_000

/** Trading, stopping and signals have separate database connections. */
export const WORK_BOUNDS = {
  trading: { atOnce: 100, waiting: 100 },
  stopping: { atOnce: 100, waiting: 100 },
  /** Per token: any burst within a minute's limit. Starts count as entries too. */
  signals: { atOnce: 200, waiting: 0 },
  ordinary: { atOnce: 8, waiting: 100 },
  broker: { atOnce: 3, waiting: 12, inAll: 24 },
  /** Each keeps the event loop busy between its pages. */
  exports: { atOnce: 2, waiting: 10, inAll: 4 },
  /** Long bodies: {@link readInTurn}. */
  reading: { atOnce: 1, waiting: 200, inAll: 1 },
} as const satisfies Record<string, WorkBound>

/** More at once lower the throughput (docs/build/performance.md). One person leaves a quarter. */
export const entryBound = (signalsAtOnce: number): WorkBound => ({
  atOnce: Math.ceil(signalsAtOnce * 0.75),
  ofPerson: Math.ceil(signalsAtOnce * 0.75),
  waiting: WORK_BOUNDS.signals.atOnce,
  inAll: signalsAtOnce,
  heldAtMost: ENTRY_HELD_AT_MOST,
})

export type RouteWork = Exclude<keyof typeof WORK_BOUNDS, 'reading'>
export const WORK_KINDS = [
  'trading',
  'stopping',
  'signals',
  'ordinary',
  'broker',
  'exports',
  'reading',
  'entries',
] as const
export type WorkKind = (typeof WORK_KINDS)[number]

export interface WorkBounds {
  run<T>(
    kind: WorkKind,
    caller: QueueCaller,
    work: () => Promise<T>,
    instead?: () => Promise<T | null>,
  ): Promise<T>
}

export interface WorkUse {
  use(): Record<WorkKind, TurnUse>
}

export function runBounded<T>(
  bounds: WorkBounds,
  kind: WorkKind,
  caller: QueueCaller,
  request: { noteWait(milliseconds: number): void },
  work: () => Promise<T>,
): Promise<T> {
  const asked = performance.now()
  return bounds.run(kind, caller, () => {
    request.noteWait(performance.now() - asked)
    return work()
  })
}

const READ_AT_ONCE_BYTES = 1_024

/** The event loop does other work between bodies. */
export function readInTurn<T>(
  bounds: WorkBounds,
  caller: QueueCaller,
  request: { noteWait(milliseconds: number): void; requireSender(): void },
  bytes: number,
  read: () => T,
): T | Promise<T> {
  if (bytes < READ_AT_ONCE_BYTES) return read()
  return runBounded(bounds, 'reading', caller, request, async () => {
    request.requireSender()
    try {
      return read()
    } finally {
      await nextRoundOfLoop()
    }
  })
}

export const queueDenial = (cause: QueueTimeout): ApiError =>
  new ApiError(cause.isOwn ? 'TOO_MANY_AT_ONCE' : 'TOO_BUSY', { headers: { 'Retry-After': '1' }, cause })

const nextRoundOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export function createWorkBounds(
  bounds: Record<WorkKind, WorkBound>,
  countRefused: (kind: WorkKind) => void = () => {},
): WorkBounds & WorkUse {
  const turns = mapKinds(bounds, (bound) => createFairQueue(bound, TURN_PATIENCE_MS))
  return {
    async run(kind, caller, work, instead = async () => null) {
      let leave: () => void
      try {
        leave = await turns[kind].enter(caller)
      } catch (error) {
        if (!(error instanceof QueueTimeout)) throw error
        const done = await instead()
        if (done !== null) return done
        countRefused(kind)
        throw queueDenial(error)
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
