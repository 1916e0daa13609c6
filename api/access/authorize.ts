import { ApiError, databaseUnavailable, fault } from '#contract/errors.ts'
import { requireSender, SenderGone, isKeptOnArrival } from '../http/caller.ts'
import { type Principal, senderOf } from '../http/principal.ts'
import type { ApiContext, RouteMiddleware, ApiState, ApiMiddleware } from '../http/context.ts'
import type { Database } from '#db/engine/database.ts'
import type { HookHolder } from '#db/hook/hook-auth.ts'
import { isKnownSignature } from '#db/hook/requests.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { actAs } from '#db/engine/row-security.ts'
import {
  hasReserve,
  type RoutePolicy,
  TIERS,
  type TierName,
  requireOpenToBounds,
  isFreshProof,
} from './policy.ts'
import { keepBody } from '../http/body.ts'
import { beforeDatabaseDeadline, STOPPING_DEADLINE_MS } from '../http/deadline.ts'
import { noteProven } from '../http/server.ts'
import { applyRate, heldToRate, identifyHook, type HookElsewhere } from './hook-credential.ts'
import { addressBucket } from './client-address.ts'
import { type Limits, type Standing, applyLimit, setLimitHeaders } from './limits.ts'
import { type QueueCaller, runBounded, type WorkBounds } from '../http/work-bounds.ts'
import { outcomeOfSignal, type Refusals } from './denied-requests.ts'
import {
  findAndCount,
  isJwt,
  presentedCredential,
  principalOfCredential,
  withoutCredential,
  type Counting,
  type CredentialDeps,
  type Identified,
} from './credential.ts'
import Router from '@koa/router'

export interface AuthorizeDeps extends CredentialDeps {
  limits: Limits
  work: WorkBounds
  refusals: Refusals
  hookElsewhere: HookElsewhere
  secretKeys: EncryptionKeys
  stoppingDatabase: Database
  ordinaryDatabase: Database
  keyInQuery: boolean
}

/** Counts by principal once proven, else by address: invented credentials open no new count. */
export const authorize =
  (deps: AuthorizeDeps) =>
  (policy: RoutePolicy): RouteMiddleware =>
  async (ctx, next) => {
    if (policy.work === 'stopping') {
      ctx.state.em = deps.stoppingDatabase.em.fork()
      ctx.state.databaseDeadline = STOPPING_DEADLINE_MS
    } else if (!HAS_TRADING_CONNECTIONS.has(policy.work)) ctx.state.em = deps.ordinaryDatabase.em.fork()
    if (isKeptOnArrival(policy.work)) keepBody(ctx)
    const isCountedFirst = policy.tier !== null && TIERS[policy.tier].by === 'ip'
    if (isCountedFirst) await countRequest(deps.limits, ctx, policy, addressKey(ctx))
    const { principal, counted, isRefused, hook } = await identify(deps, ctx, policy, isCountedFirst)
    const bucket = hook !== null && (await isReplay(ctx, hook)) ? addressKey(ctx) : bucketOf(ctx, principal)
    const reserving = { reserve: hasReserve(policy, principal?.credential === 'jwt') }
    let standing: Standing | null = null
    let ofPerson: Standing | null = null
    const noteOutcome = (error?: unknown): void => {
      if (policy.work === 'signals' && principal?.tokenId != null)
        outcomeOfSignal(deps.refusals, ctx, { tokenId: principal.tokenId, isRefused }, error)
    }
    const giveBack = (): void => {
      if (standing && policy.tier !== null)
        setLimitHeaders(ctx, deps.limits.giveBack(policy.tier, bucket, standing))
      if (ofPerson && hook) deps.limits.giveBack('hooksOfPerson', hook.userId, ofPerson)
    }
    try {
      if (!isCountedFirst && policy.tier !== null) {
        standing = counted
          ? deps.limits.stateOf(policy.tier, counted, reserving)
          : principal && hook === null
            ? await deps.limits.countHere(policy.tier, bucket, reserving)
            : await count(deps.limits, ctx, policy.tier, bucket)
        if (hook === null) applyLimit(ctx, standing)
        else {
          standing = heldToRate(standing, hook)
          applyRate(ctx, standing, hook)
          ofPerson = await deps.limits.countHere('hooksOfPerson', hook.userId, reserving)
          if (!ofPerson.isAllowed) applyRate(ctx, ofPerson, hook)
        }
      }
      if (hook !== null) ctx.state.hook = hook
      if (principal) {
        // Set first: the log names denied callers.
        ctx.state.principal = principal
        noteProven(ctx.req.socket)
        checkAuthority(policy, principal)
        // Administrators see all users.
        if (!policy.admin) actAs(ctx.state.em, principal.userId)
      }
      ctx.state.isAuthorized = true
      const noteWait = (milliseconds: number) => void (ctx.state.waited += milliseconds)
      const unlessGone = (): Promise<unknown> => {
        requireSender(ctx, policy.work)
        return next()
      }
      if (policy.work === null) await unlessGone()
      else
        await runBounded(
          deps.work,
          policy.work,
          boundedCaller(ctx, policy, principal),
          { noteWait },
          unlessGone,
        )
      noteOutcome()
      if (ctx.status >= 500) giveBack()
    } catch (error) {
      noteOutcome(error)
      if (isOurFault(error)) giveBack()
      throw error
    }
  }

const isOurFault = (error: unknown): boolean =>
  !(error instanceof SenderGone) && !(error instanceof ApiError && error.status < 500)

const HAS_TRADING_CONNECTIONS: ReadonlySet<RoutePolicy['work']> = new Set(['trading', 'signals'])

function boundedCaller(ctx: ApiContext, { work }: RoutePolicy, principal: Principal | null): QueueCaller {
  if (!principal) return addressKey(ctx)
  return work === 'signals' ? senderOf(principal) : principal.userId
}

const NOBODY = { principal: null, counted: null, isRefused: false, hook: null } as const

async function identify(
  deps: AuthorizeDeps,
  ctx: ApiContext,
  policy: RoutePolicy,
  isCounted: boolean,
): Promise<(Identified & { hook: HookHolder | null }) | typeof NOBODY> {
  if (policy.credentials.length === 0) return NOBODY
  try {
    if (isForHooks(policy)) {
      const counting = countingBeside(deps.limits, ctx, policy, false)
      const ask: Parameters<typeof identifyHook>[2] = (find, isCounted) =>
        findAndCount(ctx, isCounted ? counting : null, find)
      return await identifyHook(deps.secretKeys, ctx, ask, deps.hookElsewhere)
    }
    const inQuery = { key: policy.keyInQuery && deps.keyInQuery, ticket: policy.ticketInQuery }
    const presented = presentedCredential(ctx, inQuery)
    if (presented) {
      const counting = isCounted ? null : countingBeside(deps.limits, ctx, policy, isJwt(presented))
      return { ...(await principalOfCredential(deps, ctx, presented, counting)), hook: null }
    }
    if (policy.mayBeAnonymous) return NOBODY
    throw withoutCredential(ctx)
  } catch (error) {
    const isRejection = error instanceof ApiError && error.status < 500
    if (isRejection && !isCounted) await countRequest(deps.limits, ctx, policy, addressKey(ctx))
    throw error
  }
}

/** Replays do not use up the hook's limit. */
const isReplay = async (ctx: ApiContext, { hookId }: HookHolder): Promise<boolean> =>
  ctx.state.hookSignature !== undefined &&
  beforeDatabaseDeadline(ctx, isKnownSignature(ctx.state.em, hookId, ctx.state.hookSignature))

const isForHooks = ({ credentials }: RoutePolicy): boolean => credentials.includes('hook')

/** Counts in the statement that finds the holder; null where nothing is counted. */
function countingBeside(
  limits: Limits,
  ctx: ApiContext,
  policy: RoutePolicy,
  isPerson: boolean,
): Counting | null {
  const { tier } = policy
  if (tier === null) return null
  const reserving = { reserve: hasReserve(policy, isPerson) }
  const count = limits.besideHolder(tier, reserving)
  return (
    count && {
      count,
      giveBack: (principal, counted) =>
        void limits.giveBack(tier, bucketOf(ctx, principal), limits.stateOf(tier, counted, reserving)),
    }
  )
}

function checkAuthority(policy: RoutePolicy, principal: Principal): void {
  const { credential, scopes, role } = principal
  if (!policy.credentials.includes(credential)) {
    const kinds = policy.credentials.join(', ')
    throw insufficient(fault([], 'credential_not_accepted', `This route takes ${kinds} only`), null)
  }
  if (policy.scope !== null && !scopes.has(policy.scope))
    throw insufficient(fault([], 'missing_scope', `The scope ${policy.scope} is needed`), policy.scope)
  requireOpenToBounds(principal, policy.bounds)
  if (policy.admin && role !== 'admin')
    throw insufficient(fault([], 'admin_only', 'This route is for administrators'), null)
  if (policy.fresh && !isFreshProof(principal.verifiedAt)) throw new ApiError('VERIFICATION_REQUIRED')
  if (policy.admin && !isFreshProof(principal.secondFactorAt)) throw new ApiError('SECOND_FACTOR_REQUIRED')
}

const insufficient = (detail: ReturnType<typeof fault>, scope: string | null): ApiError =>
  new ApiError('INSUFFICIENT_SCOPES', {
    details: [detail],
    headers: {
      'WWW-Authenticate': `Bearer realm="durable-trader", error="insufficient_scope"${scope === null ? '' : `, scope="${scope}"`}`,
    },
  })

async function countRequest(
  limits: Limits,
  ctx: ApiContext,
  { tier }: RoutePolicy,
  key: string,
): Promise<void> {
  if (tier !== null) applyLimit(ctx, await count(limits, ctx, tier, key))
}

const count = (limits: Limits, ctx: ApiContext, tier: TierName, key: string): Promise<Standing> =>
  beforeDatabaseDeadline(ctx, limits.count(tier, key)).catch((error: unknown) => {
    // An uncounted caller must not try passwords.
    throw error instanceof ApiError ? error : databaseUnavailable(error)
  })

function bucketOf(ctx: ApiContext, principal: Principal | null): string {
  if (!principal) return addressKey(ctx)
  return principal.tokenId === null ? `user:${principal.userId}` : `token:${principal.tokenId}`
}

const addressKey = (ctx: ApiContext): string => `ip:${addressBucket(ctx.state.clientIp)}`

export interface ServedRoute {
  name: string
  access: RoutePolicy
  handler: RouteMiddleware
}

/** The only place that makes routes reachable, behind their policies' guards. */
export function createRouter(
  routes: readonly ServedRoute[],
  authorize: (policy: RoutePolicy) => RouteMiddleware,
): Router<ApiState> {
  const router = new Router<ApiState>({
    sensitive: true,
    strict: true,
    // The fewest parameters win.
    exclusive: 'specificity',
  })
  const names = new Set<string>()
  for (const { name, access, handler } of routes) {
    // Access must not rest on the type alone.
    if (!(access as RoutePolicy | undefined)) throw new Error(`No policy says who may use ${name}`)
    if (names.has(name)) throw new Error(`${name} is declared twice`)
    names.add(name)
    const [method, address] = name.split(' ') as [string, string]
    router.register(address, [method], [authorize(access), handler])
  }
  return router
}

/** No answer is sent unauthorized: throws (500), removes headers, cuts off a stream. */
export const authorizedAnswers: ApiMiddleware = async (ctx, next) => {
  const before = new Set(Object.keys(ctx.response.headers))
  await next()
  if (ctx.state.isAuthorized) return
  for (const name of Object.keys(ctx.response.headers)) if (!before.has(name)) ctx.remove(name)
  if (ctx.respond === false) ctx.res.destroy()
  throw new Error(`${ctx.method} ${ctx.path} was answered without having been authorized`)
}
