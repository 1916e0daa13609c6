import { addressBucket } from '../access/client-address.ts'
import type { RoutePolicy } from '../access/policy.ts'
import { keepBody } from '../http/body.ts'
import type { ApiContext, ApiMiddleware } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { standsOnceArrived } from '../http/sender.ts'
import { createTurns, NoTurn, type Turns } from '../http/turns.ts'

/** Requests that begin in one round of the event loop, and those of one sender that wait for theirs. */
const BEGUN_IN_A_ROUND = 2
const MAX_WAITING_TO_BEGIN = 1_000
/** Milliseconds that a request waits to begin: a burst of all that a minute allows passes, and its senders hang up later. */
const BEGIN_WITHIN_MS = 3_000
/**
 * Milliseconds for which nothing begins while requests arrive, and for which everything does after that. The system hands over one
 * connection in a round, so that a stop behind hundreds of others would arrive only after as many rounds of their work.
 */
const ARRIVING_AT_MOST_MS = 250
/** Milliseconds for which nothing else begins beside a request that stops trading. */
const HELD_AT_MOST_MS = 250
/** So many times as long as nothing was begun for a stop, stops hold nothing up any more: nobody silences others by stopping. */
const REST_AFTER_HOLD = 4

type Ctx = Parameters<ApiMiddleware>[0]

/**
 * Begins a few requests in each round of the event loop, those of each credential in turn, so that between two of them everything
 * else goes on: who sends hundreds at once waits for themselves. What stops trading waits for nothing but its like, and nothing else
 * begins beside it.
 *
 * @param routes all that there are
 */
export function rounds(routes: readonly { name: string; access: RoutePolicy }[]): ApiMiddleware {
  const bound = { atOnce: BEGUN_IN_A_ROUND, waiting: MAX_WAITING_TO_BEGIN, inAll: BEGUN_IN_A_ROUND }
  const turns = {
    ofStops: createTurns(bound, BEGIN_WITHIN_MS),
    ofOthers: createTurns(bound, BEGIN_WITHIN_MS),
  }
  const stops = createStops()
  const arrivals = createArrivals()
  const isStop = matcher(routes.filter(({ access }) => access.work === 'stopping'))
  const stands = matcher(routes.filter(({ access }) => standsOnceArrived(access.work)))
  return async (ctx, next) => {
    const asked = `${ctx.method} ${ctx.path}`
    if (stands(asked)) keepBody(ctx as ApiContext)
    arrivals.note()
    const begun = performance.now()
    const begin = async (to: Turns): Promise<void> => {
      const sender = { person: addressBucket(ctx.state.clientIp), sender: senderIn(ctx) }
      const leave = await to.enter(sender).catch(refused)
      if (to === turns.ofOthers) await stops.over()
      arrivals.onceOver(leave)
      ctx.state.waited += performance.now() - begun
    }
    if (isStop(asked))
      return stops.run(async () => {
        await begin(turns.ofStops)
        await next()
      })
    await begin(turns.ofOthers)
    await next()
  }
}

/** The requests under way that stop trading. */
function createStops() {
  let underWay = 0
  let restsUntil = 0
  let hold: { over: Promise<void>; end(): void } | null = null
  const begin = (): void => {
    const begun = performance.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = (): void => {
      clearTimeout(timer)
      restsUntil = performance.now() + REST_AFTER_HOLD * (performance.now() - begun)
      hold = null
      resolve()
    }
    const timer = setTimeout(end, HELD_AT_MOST_MS)
    hold = { over: promise, end }
  }
  return {
    async run(work: () => Promise<unknown>): Promise<void> {
      underWay += 1
      if (hold === null && performance.now() >= restsUntil) begin()
      try {
        await work()
      } finally {
        underWay -= 1
        if (underWay === 0) hold?.end()
      }
    },
    /** Resolves as soon as others may begin. */
    over: async (): Promise<void> => hold?.over,
  }
}

/** The requests that arrive. */
function createArrivals() {
  let count = 0
  let heldSince: number | null = null
  let restsUntil = 0
  /** Whether the next may begin, after a round before which so many had arrived; notes since when it has to wait. */
  const mayGoOn = (seen: number): boolean => {
    const now = performance.now()
    if (count === seen) {
      heldSince = null
      return true
    }
    if (now < restsUntil) return true
    heldSince ??= now
    if (now - heldSince < ARRIVING_AT_MOST_MS) return false
    heldSince = null
    restsUntil = now + ARRIVING_AT_MOST_MS
    return true
  }
  const onceOver = (then: () => void): void => {
    setImmediate((seen) => (mayGoOn(seen) ? then() : onceOver(then)), count)
  }
  return {
    note(): void {
      count += 1
    },
    /** Calls back after a round of the event loop in which nothing has arrived, or when that has taken too long. */
    onceOver,
  }
}

const refused = (error: unknown): never => {
  if (!(error instanceof NoTurn)) throw error
  const code = error.isOwn ? 'TOO_MANY_AT_ONCE' : 'TOO_BUSY'
  throw new ApiError(code, { headers: { 'Retry-After': '1' }, cause: error })
}

/** By which requests of one sender are told before anybody has looked a credential up: by that, or by the hook. */
const senderIn = (ctx: Ctx): string =>
  ctx.state.hookSecret === undefined ? ctx.get('Authorization') || ctx.get('X-API-Key') || ctx.path : ctx.path

/** Whether a method and path are those of one of the routes. */
function matcher(routes: readonly { name: string }[]): (asked: string) => boolean {
  const patterns = routes.map(({ name }) => name.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+'))
  const any = new RegExp(`^(?:${patterns.join('|')})$`)
  return (asked) => any.test(asked)
}
