import { randomUUID } from 'node:crypto'
import { isKeptOnArrival } from '../http/caller.ts'
import type { ApiMiddleware, ApiContext } from '../http/context.ts'
import { clientAddress, addressBucket } from '../access/client-address.ts'
import type { TrustedProxies } from '#contract/values/networks.ts'
import type { Database } from '#db/engine/database.ts'
import { asRequest } from '../http/deadline.ts'
import type { RoutePolicy } from '../access/policy.ts'
import { keepBody } from '../http/body.ts'
import { createFairQueue, QueueTimeout, type FairQueue, queueDenial } from '../http/work-bounds.ts'

export const requestId: ApiMiddleware = async (ctx, next) => {
  ctx.state.requestId = randomUUID()
  ctx.state.receivedAt = performance.now()
  ctx.state.waited = 0
  ctx.set('X-Request-Id', ctx.state.requestId)
  // Answers about money belong to one caller.
  ctx.set('Cache-Control', 'no-store')
  await next()
}

export const origin =
  (proxies: TrustedProxies): ApiMiddleware =>
  async (ctx, next) => {
    ctx.state.clientIp = clientAddress(
      ctx.req.socket.remoteAddress ?? '',
      ctx.get('X-Forwarded-For'),
      proxies,
    )
    await next()
  }

export const entityManager =
  (database: Database): ApiMiddleware =>
  async (ctx, next) => {
    ctx.state.em = database.em.fork()
    await asRequest(next)
  }

/** Requests per round, and waiting requests per sender. */
const BEGUN_IN_A_ROUND = 2
const MAX_WAITING_TO_BEGIN = 1_000
/** Milliseconds: a minute's burst passes, and senders hang up later. */
const BEGIN_WITHIN_MS = 3_000
/** Milliseconds, after which everything begins: the system passes only one connection a round. */
const ARRIVING_AT_MOST_MS = 250
/** Milliseconds in which only stops begin. */
const HELD_AT_MOST_MS = 250
/** Multiple of the last hold without another: stops must not block others for long. */
const REST_AFTER_HOLD = 4

type Ctx = Parameters<ApiMiddleware>[0]

/**
 * Begins a few requests per round of the event loop, round robin by credential. Stops wait only for stops, and nothing
 * else begins beside them.
 */
export function rounds(routes: readonly { name: string; access: RoutePolicy }[]): ApiMiddleware {
  const bound = { atOnce: BEGUN_IN_A_ROUND, waiting: MAX_WAITING_TO_BEGIN, inAll: BEGUN_IN_A_ROUND }
  const turns = {
    ofStops: createFairQueue(bound, BEGIN_WITHIN_MS),
    ofOthers: createFairQueue(bound, BEGIN_WITHIN_MS),
  }
  const stops = createStops()
  const arrivals = createArrivals()
  const isStop = matcher(routes.filter(({ access }) => access.work === 'stopping'))
  const stands = matcher(routes.filter(({ access }) => isKeptOnArrival(access.work)))
  return async (ctx, next) => {
    const asked = `${ctx.method} ${ctx.path}`
    if (stands(asked)) keepBody(ctx as ApiContext)
    arrivals.note()
    const begun = performance.now()
    const begin = async (to: FairQueue): Promise<void> => {
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
    over: async (): Promise<void> => hold?.over,
  }
}

function createArrivals() {
  let count = 0
  let heldSince: number | null = null
  let restsUntil = 0
  /** @param seen count of arrivals before the round */
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
    /** Resolves after a round without arrivals, or a limit. */
    onceOver,
  }
}

const refused = (error: unknown): never => {
  throw error instanceof QueueTimeout ? queueDenial(error) : error
}

/** Credential as sent, or the hook. */
const senderIn = (ctx: Ctx): string =>
  ctx.state.hookSecret === undefined ? ctx.get('Authorization') || ctx.get('X-API-Key') || ctx.path : ctx.path

function matcher(routes: readonly { name: string }[]): (asked: string) => boolean {
  const patterns = routes.map(({ name }) => name.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+'))
  const any = new RegExp(`^(?:${patterns.join('|')})$`)
  return (asked) => any.test(asked)
}
