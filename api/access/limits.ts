import type { Context } from 'koa'
import { rateLimited } from '#contract/errors.ts'
import {
  type RateLimitState,
  ATTEMPTS,
  limitOf,
  RESERVE,
  TIERS,
  type AttemptKind,
  type Bound,
  type TierName,
} from './policy.ts'
import { COUNT_TABLES, type CountStore } from '#db/engine/count-store.ts'
import { byServerClock } from '#db/engine/query.ts'
import { toStorableJson } from '#db/engine/json.ts'
import type { Counted, RequestCount } from '#db/identity/request-count.ts'
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { createAddressLimits, type AddressLimits } from './address-limits.ts'

export function applyLimit(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  setLimitHeaders(ctx, state)
  if (!state.isAllowed) throw rateLimited(state.resetSeconds)
}

export function setLimitHeaders(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  ctx.set('RateLimit-Limit', String(state.limit))
  ctx.set('RateLimit-Remaining', String(state.remaining))
  ctx.set('RateLimit-Reset', String(state.resetSeconds))
}

export function refuseBeyond(ctx: Pick<Context, 'set'>, state: RateLimitState): void {
  if (!state.isAllowed) applyLimit(ctx, state)
}

const GIVEN_BACK_PAUSE_MS = 200
const IN_VAIN_AFTER_MS = 700
/** Milliseconds between two clocks' ends of one window. */
const SAME_WINDOW_MS = 2_000

interface GivenBack {
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

/** Retried until the window ends. After a crash the requests stay counted. */
function createGivenBack(store: CountStore, pause = GIVEN_BACK_PAUSE_MS): GivenBack {
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

interface AttemptState extends RateLimitState {
  isFirstRefusal: boolean
}

export interface Standing extends RateLimitState {
  isHere: boolean
  isReserved: boolean
}

interface Reserving {
  reserve: boolean
}

export interface Limits {
  /** Throws when a sign-in tier cannot be counted. */
  count(tier: TierName, key: string): Promise<Standing>
  countHere(tier: TierName, key: string, request: Reserving): Promise<Standing>
  /** Not for sign-in tiers. */
  besideHolder(tier: TierName, request: Reserving): RequestCount | null
  stateOf(tier: TierName, counted: Counted, request: Reserving): Standing
  /** Refunds a request answered 5xx; not for sign-in: our failures must not give attempts. */
  giveBack(tier: TierName, key: string, counted: Standing): RateLimitState
  countAttempt(kind: AttemptKind, key: string): Promise<AttemptState>
  forgive(kind: AttemptKind, key: string): Promise<void>
  takeBack(kind: AttemptKind, key: string): Promise<void>
  addresses: AddressLimits
}

/** Milliseconds. */
const COUNTING_LIMIT = 800

type Limiter = Pick<RateLimiterPostgres, 'consume' | 'delete' | 'reward' | 'points'>

export function createLimits(store: CountStore): Limits {
  const memoryFor = (most: (bound: Bound) => number) =>
    mapValues(
      TIERS,
      (bound, name) =>
        new RateLimiterMemory({ keyPrefix: name, points: most(bound), duration: bound.seconds }),
    )
  const [inMemory, reserveInMemory] = [memoryFor(({ limit }) => limit), memoryFor(() => RESERVE)]
  const tiers = mapValues(TIERS, ({ limit, seconds, by }, name) =>
    limiterOf(store, by === 'ip' ? 'durable' : 'quick', name, limit, seconds),
  )
  const attempts = mapValues(ATTEMPTS, (bounds: readonly Bound[], name) =>
    bounds.map(({ limit, seconds }) =>
      limiterOf(store, 'durable', `${name}-attempts-${seconds}`, limit, seconds),
    ),
  )
  const givenBack = createGivenBack(store)
  /** The window may be a new one. */
  const giveBackInMemory = async (memory: RateLimiterMemory, key: string): Promise<void> => {
    const held = await memory.get(key)
    if (held && held.consumedPoints > 0) await memory.reward(key, 1)
  }
  const countHere = async (tier: TierName, key: string, { reserve }: Reserving): Promise<Standing> => {
    const { limit } = TIERS[tier]
    const consume = async (memory: RateLimiterMemory, customDuration?: number) => {
      const found = await memory
        .consume(key, 1, customDuration === undefined ? {} : { customDuration })
        .catch(asRefusal)
      if (found.consumedPoints > memory.points) await giveBackInMemory(memory, key)
      return found
    }
    const { consumedPoints: requests, msBeforeNext: msLeft } = await consume(inMemory[tier])
    const { consumedPoints: reserved = 0 } =
      (reserve && requests > limit
        ? await consume(reserveInMemory[tier], msLeft / 1_000)
        : await reserveInMemory[tier].get(key)) ?? {}
    return { ...stateOf(tier, { requests, reserved, msLeft }, { reserve }), isHere: true }
  }
  return {
    addresses: createAddressLimits(),
    async count(tier, key) {
      const counted = consume(tiers[tier], key).then((state) => ({
        ...state,
        isHere: false,
        isReserved: false,
      }))
      // Without the database, memory counts ordinary requests.
      return TIERS[tier].by === 'ip' ? counted : counted.catch(() => countHere(tier, key, { reserve: false }))
    },
    countHere,
    besideHolder: (tier, { reserve }) => ({
      prefix: tier,
      windowMs: TIERS[tier].seconds * 1_000,
      most: TIERS[tier].limit,
      mostReserved: reserve ? RESERVE : null,
      limit: COUNTING_LIMIT,
    }),
    stateOf,
    giveBack(tier, key, counted) {
      if (TIERS[tier].by === 'ip' || !counted.isAllowed) return counted
      const { isHere, isReserved } = counted
      if (isHere) void giveBackInMemory((isReserved ? reserveInMemory : inMemory)[tier], key)
      else
        givenBack.note(`${tier}:${key}`, {
          isReserved,
          most: TIERS[tier].limit,
          mostReserved: RESERVE,
          endsAt: Date.now() + counted.resetSeconds * 1_000,
        })
      return { ...counted, remaining: Math.min(counted.remaining + 1, counted.limit) }
    },
    async countAttempt(kind, key) {
      const [first, ...others] = attempts[kind]
      let state = await consume(first!, key)
      for (const limiter of others) if (state.isAllowed) state = await consume(limiter, key)
      return state
    },
    async forgive(kind, key) {
      for (const limiter of attempts[kind]) await limiter.delete(key)
    },
    async takeBack(kind, key) {
      for (const limiter of attempts[kind]) await limiter.reward(key, 1)
    },
  }
}

/** @param keptIn counts of attempts survive a crash of the server */
const limiterOf = (
  store: CountStore,
  keptIn: keyof typeof COUNT_TABLES,
  name: string,
  points: number,
  duration: number,
): Limiter =>
  new RateLimiterPostgres({
    storeClient: store,
    storeType: 'pool',
    tableName: COUNT_TABLES[keptIn],
    tableCreated: true,
    keyPrefix: name,
    points,
    duration,
  })

const asRefusal = (error: unknown): RateLimiterRes => {
  if (error instanceof RateLimiterRes) return error
  throw error
}

const standing = (limit: number, requests: number, msLeft: number): RateLimitState => ({
  isAllowed: requests <= limit,
  limit,
  remaining: Math.max(limit - requests, 0),
  resetSeconds: secondsOf(msLeft),
})

function stateOf(tier: TierName, { requests, reserved, msLeft }: Counted, { reserve }: Reserving): Standing {
  const { limit } = TIERS[tier]
  const isReserved = reserve && requests > limit
  const used = isReserved ? limit + reserved : requests + (reserve ? Math.min(reserved, RESERVE) : 0)
  return { ...standing(limitOf(tier, { reserve }), used, msLeft), isHere: false, isReserved }
}

async function consume(limiter: Pick<Limiter, 'consume' | 'points'>, key: string): Promise<AttemptState> {
  try {
    return state(limiter.points, await limiter.consume(key), true)
  } catch (error) {
    if (error instanceof RateLimiterRes) return state(limiter.points, error, false)
    throw error
  }
}

const state = (limit: number, result: RateLimiterRes, isAllowed: boolean): AttemptState => ({
  isAllowed,
  limit,
  remaining: result.remainingPoints,
  resetSeconds: secondsOf(result.msBeforeNext),
  isFirstRefusal: result.consumedPoints === limit + 1,
})

const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1_000))

const mapValues = <Name extends string, From, To>(
  from: Record<Name, From>,
  map: (value: From, name: Name) => To,
): Record<Name, To> =>
  Object.fromEntries(
    (Object.entries(from) as [Name, From][]).map(([name, value]) => [name, map(value, name)]),
  ) as Record<Name, To>
