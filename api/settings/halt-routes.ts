import { findOwnAccount } from '#db/accounts/accounts.ts'
import { nameActor } from '#db/identity/actor-names.ts'
import { liftHalt, listHalts, raiseHalt, setHalt, type HaltTarget } from '#db/risk/halts.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError, fault } from '../http/errors.ts'
import { requireFreshProof } from '../identity/verification-commands.ts'
import { isFreshProof } from '../access/fresh-proof.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { isId, readQuery } from '../http/validation/query.ts'
import { readBody } from '../http/validation/request-body.ts'
import { presentHalt } from './record.ts'
import { haltListQuery, haltRequest } from './halt-schema.ts'
import type { RouteList } from '../http/route-list.ts'

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

  routes.put('/halt', async (ctx) => putHalt(ctx, ownUser(ctx)))
  routes.delete('/halt', async (ctx) => deleteHalt(ctx, ownUser(ctx)))
  routes.put('/halt/:accountId', async (ctx) => putHalt(ctx, await ownAccount(ctx)))
  routes.delete('/halt/:accountId', async (ctx) => deleteHalt(ctx, await ownAccount(ctx)))
}

const ownUser = (ctx: ApiContext): HaltTarget => ({ scope: 'user', userId: principalOf(ctx).userId })

async function ownAccount(ctx: ApiContext): Promise<HaltTarget> {
  const { accountId } = ctx.params
  const { userId } = principalOf(ctx)
  const found = isId(accountId) && findOwnAccount(ctx.state.em, userId, accountId)
  const account = found && (await beforeDatabaseDeadline(ctx, found))
  if (!account) throw new ApiError('ACCOUNT_NOT_FOUND')
  return { scope: 'account', userId, accountId: account.id }
}

async function putHalt(ctx: ApiContext, target: HaltTarget): Promise<void> {
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

async function deleteHalt(ctx: ApiContext, target: HaltTarget): Promise<void> {
  const { userId, tokenId } = principalOf(ctx)
  const { em } = ctx.state
  const by = await beforeDatabaseDeadline(ctx, nameActor(em, userId, tokenId))
  const halt = await beforeDatabaseDeadline(ctx, liftHalt(em, target, by))
  if (!halt) throw new ApiError('HALT_NOT_FOUND')
  await beforeDatabaseDeadline(ctx, auditTrading(em, ctx, 'halt.lifted', { ...target, level: halt.level }))
  ctx.body = standardSuccess({ halt: presentHalt(halt) }, ctx.state.requestId)
}
