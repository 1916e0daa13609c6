import { findAccountStanding } from '#db/accounts.ts'
import { nameActor } from '#db/actor-names.ts'
import { liftHalt, listHalts, raiseHalt, setHalt, type HaltTarget } from '#db/trading-halts.ts'
import { principalOf, type ApiContext } from '../context.ts'
import { beforeDatabaseDeadline } from '../database-deadline.ts'
import { standardSuccess } from '../envelopes.ts'
import { ApiError, fault } from '../errors.ts'
import { isFreshProof, requireFreshProof } from '../identity/verification.ts'
import { auditTrading } from '../trading-audit.ts'
import { isId, readQuery } from '../validation/query.ts'
import { readBody } from '../validation/request-body.ts'
import { presentHalt } from './presenter.ts'
import { haltListQuery, haltRequest } from './requests.ts'
import type { RouteList } from '../route-list.ts'

/**
 * The kill switch of a user and of one account. A program may throw it and make it more severe; only a person who has
 * just proven who they are may make it milder or lift it.
 */
export function addHaltRoutes(routes: RouteList): void {
  routes.get('/halts', async (ctx) => {
    const { limit } = readQuery(ctx, haltListQuery)
    const list = listHalts(ctx.state.em, principalOf(ctx).userId, limit)
    const halts = (await beforeDatabaseDeadline(ctx, list)).map(presentHalt)
    ctx.body = standardSuccess({ halts }, ctx.state.requestId)
  })

  routes.put('/halt', async (ctx) => throwSwitch(ctx, ownUser(ctx)))
  routes.delete('/halt', async (ctx) => releaseSwitch(ctx, ownUser(ctx)))
  routes.put('/halt/:accountId', async (ctx) => throwSwitch(ctx, await ownAccount(ctx)))
  routes.delete('/halt/:accountId', async (ctx) => releaseSwitch(ctx, await ownAccount(ctx)))
}

const ownUser = (ctx: ApiContext): HaltTarget => ({ scope: 'user', userId: principalOf(ctx).userId })

async function ownAccount(ctx: ApiContext): Promise<HaltTarget> {
  const { accountId } = ctx.params
  const { userId } = principalOf(ctx)
  const found = isId(accountId) && findAccountStanding(ctx.state.em, userId, accountId)
  const account = found && (await beforeDatabaseDeadline(ctx, found))
  if (!account) throw new ApiError('ACCOUNT_NOT_FOUND')
  return { scope: 'account', userId, accountId: account.id }
}

async function throwSwitch(ctx: ApiContext, target: HaltTarget): Promise<void> {
  const { level, reason } = await readBody(ctx, haltRequest)
  const { credential, userId, tokenId, verifiedAt } = principalOf(ctx)
  const { em } = ctx.state
  const mayMakeMilder = credential === 'jwt' && isFreshProof(verifiedAt)
  const set = mayMakeMilder ? setHalt : raiseHalt
  const by = await beforeDatabaseDeadline(ctx, nameActor(em, userId, tokenId))
  const halt = await beforeDatabaseDeadline(ctx, set(em, target, { level, reason, by }))
  if (credential === 'jwt' && halt.level !== level)
    requireFreshProof({ verifiedAt }, [fault(['level'], 'milder', `${halt.level} stands and is more severe`)])
  await beforeDatabaseDeadline(
    ctx,
    auditTrading(em, ctx, 'halt.set', { ...target, level: halt.level, reason: halt.reason }),
  )
  ctx.body = standardSuccess({ halt: presentHalt(halt) }, ctx.state.requestId)
}

async function releaseSwitch(ctx: ApiContext, target: HaltTarget): Promise<void> {
  const { userId, tokenId } = principalOf(ctx)
  const { em } = ctx.state
  const by = await beforeDatabaseDeadline(ctx, nameActor(em, userId, tokenId))
  const halt = await beforeDatabaseDeadline(ctx, liftHalt(em, target, by))
  if (!halt) throw new ApiError('HALT_NOT_FOUND')
  await beforeDatabaseDeadline(ctx, auditTrading(em, ctx, 'halt.lifted', { ...target, level: halt.level }))
  ctx.body = standardSuccess({ halt: presentHalt(halt) }, ctx.state.requestId)
}
