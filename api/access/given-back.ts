import { COUNT_TABLES, type CountStore } from '#db/engine/count-store.ts'
import { byServerClock } from '#db/engine/server-clock.ts'
import { toStorableJson } from '#db/engine/json.ts'

const GIVEN_BACK_PAUSE_MS = 200
const IN_VAIN_AFTER_MS = 700
/** Milliseconds between two clocks' ends of one window. */
const SAME_WINDOW_MS = 2_000

export interface GivenBack {
  note(key: string, request: CountedRequest): void
}

interface CountedRequest {
  isReserved: boolean
  most: number
  mostReserved: number
  /** Milliseconds since 1970. */
  endsAt: number
}

interface Noted extends Omit<CountedRequest, 'isReserved'> {
  requests: number
  reserved: number
}

/** One statement for all notes, repeated until the window ends. A process that dies leaves them counted. */
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
        const until = await byServerClock(store, performance.now() + IN_VAIN_AFTER_MS)
        await store.query(
          `update ${COUNT_TABLES.quick} as c set points = greatest(least(c.points, given.most) - given.requests, 0),
             reserved = greatest(least(c.reserved, given."mostReserved") - given.reserved, 0)
           from jsonb_to_recordset($1::jsonb) as given (
             key text, requests int, reserved int, most int, "mostReserved" int, "endsAt" float8)
           where c.key = given.key and c.expire <= given."endsAt" + ${SAME_WINDOW_MS}
           returning not_later_than($2::float8)`,
          [toStorableJson(open.map(([key, one]) => ({ key, ...one }))), until],
        )
      }
    } catch {
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
