import { randomUUID } from 'node:crypto'
import { standsOnceArrived } from '../http/caller.ts'
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
  // Answers are about money and belong to one caller: nothing in between may keep them.
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

/** In one round of the event loop, and waiting ones of one sender. */
const BEGUN_IN_A_ROUND = 2
const MAX_WAITING_TO_BEGIN = 1_000
/** Milliseconds of waiting: a burst of a minute's limit passes, and senders hang up later. */
const BEGIN_WITHIN_MS = 3_000
/** Then everything begins for as long. The system hands over one connection a round: a stop behind hundreds
 * would wait for as many rounds of work. */
const ARRIVING_AT_MOST_MS = 250
/** Milliseconds in which nothing else begins beside a stop. */
const HELD_AT_MOST_MS = 250
/** Times the last hold, in which stops hold nothing up: nobody silences others by stopping. */
const REST_AFTER_HOLD = 4

type Ctx = Parameters<ApiMiddleware>[0]

/** Begins a few requests in each round of the event loop, those of each credential in turn: a sender of
 * hundreds waits for itself. Stops wait only for stops, and nothing else begins beside them. */
export function rounds(routes: readonly { name: string; access: RoutePolicy }[]): ApiMiddleware {
  const bound = { atOnce: BEGUN_IN_A_ROUND, waiting: MAX_WAITING_TO_BEGIN, inAll: BEGUN_IN_A_ROUND }
  const turns = {
    ofStops: createFairQueue(bound, BEGIN_WITHIN_MS),
    ofOthers: createFairQueue(bound, BEGIN_WITHIN_MS),
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
  /** `seen` had arrived before the round; notes since when the next has to wait. */
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
    /** After a round of the event loop without arrivals, or when that takes too long. */
    onceOver,
  }
}

const refused = (error: unknown): never => {
  throw error instanceof QueueTimeout ? queueDenial(error) : error
}

/** By the credential as sent, or the hook: nothing has been looked up yet. */
const senderIn = (ctx: Ctx): string =>
  ctx.state.hookSecret === undefined ? ctx.get('Authorization') || ctx.get('X-API-Key') || ctx.path : ctx.path

function matcher(routes: readonly { name: string }[]): (asked: string) => boolean {
  const patterns = routes.map(({ name }) => name.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+'))
  const any = new RegExp(`^(?:${patterns.join('|')})$`)
  return (asked) => any.test(asked)
}
