import { COUNT_TABLES, type CountStore } from '#db/engine/count-store.ts'
import { byServerClock } from '#db/engine/server-clock.ts'

/** Milliseconds between two tries of writing what was given back, while there is something. */
const GIVEN_BACK_PAUSE_MS = 200
/** Milliseconds after which a try has no effect any more: the next one repeats it. */
const IN_VAIN_AFTER = 700
/** Milliseconds by which the ends of one window may differ, as two clocks tell them. */
const SAME_WINDOW = 2_000

/** Takes requests off their counts again, in the window in which they were counted, without making anybody wait. */
export interface GivenBack {
  /**
   * @param key as the table of the counts has it
   * @param endsAt when the window ends, in milliseconds since 1970
   */
  note(key: string, endsAt: number): void
}

interface Noted {
  requests: number
  endsAt: number
}

/**
 * Everything that is noted is written by one statement, however much it is, and again and again while PostgreSQL is away,
 * until the window ends and the count with it. What a process has noted when it dies stays counted until then.
 */
export function createGivenBack(store: CountStore, pause = GIVEN_BACK_PAUSE_MS): GivenBack {
  let noted = new Map<string, Noted>()
  let timer: NodeJS.Timeout | undefined

  const add = (key: string, { requests, endsAt }: Noted): void => {
    noted.set(key, { requests: (noted.get(key)?.requests ?? 0) + requests, endsAt })
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
          `update ${COUNT_TABLES.quick} as c set points = greatest(c.points - given.requests, 0)
           from unnest($1::text[], $2::int[], $3::bigint[]) as given (key, requests, ends_at)
           where c.key = given.key and c.expire <= given.ends_at + ${SAME_WINDOW}
           returning not_later_than($4::float8)`,
          [
            open.map(([key]) => key),
            open.map(([, { requests }]) => requests),
            open.map(([, { endsAt }]) => Math.round(endsAt)),
            until,
          ],
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
    note(key, endsAt) {
      add(key, { requests: 1, endsAt })
      later()
    },
  }
}
