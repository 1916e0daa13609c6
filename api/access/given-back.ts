import { COUNT_TABLES, type CountStore } from '#db/engine/count-store.ts'
import { byServerClock } from '#db/engine/server-clock.ts'
import { toStorableJson } from '#db/engine/json.ts'

/** Milliseconds between two tries of writing what was given back, while there is something. */
const GIVEN_BACK_PAUSE_MS = 200
/** Milliseconds after which a try has no effect any more: the next one repeats it. */
const IN_VAIN_AFTER = 700
/** Milliseconds by which the ends of one window may differ, as two clocks tell them. */
const SAME_WINDOW = 2_000

/** Takes requests off their counts again, in the window in which they were counted, without making anybody wait. */
export interface GivenBack {
  /** @param key as the table of the counts has it */
  note(key: string, request: CountedRequest): void
}

interface CountedRequest {
  /** It was counted in the reserve. */
  isReserved: boolean
  /** Requests in a window that are answered, but for the reserve, and in the reserve: behind them a place stands for all others. */
  most: number
  mostReserved: number
  /** When the window ends, in milliseconds since 1970. */
  endsAt: number
}

interface Noted extends Omit<CountedRequest, 'isReserved'> {
  requests: number
  reserved: number
}

/**
 * Everything that is noted is written by one statement, however much it is, and again and again while PostgreSQL is away,
 * until the window ends and the count with it. What a process has noted when it dies stays counted until then.
 */
export function createGivenBack(store: CountStore, pause = GIVEN_BACK_PAUSE_MS): GivenBack {
  let noted = new Map<string, Noted>()
  let timer: NodeJS.Timeout | undefined

  const add = (key: string, one: Noted): void => {
    const { requests, reserved } = noted.get(key) ?? { requests: 0, reserved: 0 }
    noted.set(key, { ...one, requests: requests + one.requests, reserved: reserved + one.reserved })
  }
  const later = (): void => {
    timer ??= setTimeout(() => void write(), pause)
    timer.unref()
  }
  const write = async (): Promise<void> => {
    const now = Date.now()
    const open = [...noted].filter(([, { endsAt }]) => endsAt > now)
    noted = new Map()
    try {
      if (open.length > 0) {
        const until = await byServerClock(store, performance.now() + IN_VAIN_AFTER)
        await store.query(
          `update ${COUNT_TABLES.quick} as c set points = greatest(least(c.points, given.most) - given.requests, 0),
             reserved = greatest(least(c.reserved, given."mostReserved") - given.reserved, 0)
           from jsonb_to_recordset($1::jsonb) as given (
             key text, requests int, reserved int, most int, "mostReserved" int, "endsAt" float8)
           where c.key = given.key and c.expire <= given."endsAt" + ${SAME_WINDOW}
           returning not_later_than($2::float8)`,
          [toStorableJson(open.map(([key, one]) => ({ key, ...one }))), until],
        )
      }
    } catch {
      // A request that waits for nothing is told nothing: the health of PostgreSQL is told elsewhere.
      for (const [key, one] of open) add(key, one)
    }
    timer = undefined
    if (noted.size > 0) later()
  }
  return {
    note(key, { isReserved, ...request }) {
      add(key, { ...request, requests: isReserved ? 0 : 1, reserved: isReserved ? 1 : 0 })
      later()
    },
  }
}
