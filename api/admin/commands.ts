import type { EntityManager } from '#db/engine/database.ts'
import { acceptPosition, type AcceptedPosition } from '#db/position/position-acceptance.ts'
import { declareOrderLost, type LostOrder } from '#db/watch/lost-orders.ts'
import { removeSecondFactor } from '#db/identity/second-factor.ts'
import { endSessions } from '#db/identity/sessions.ts'
import { insertToken } from '#db/identity/token-management.ts'
import {
  changeUser,
  findUser,
  insertUser,
  lockUser,
  type Plan,
  type Role,
  type UserRecord,
} from '#db/identity/users.ts'
import { mintAccessToken } from '../http/access-token.ts'
import type { Scope } from '#domain/risk/token-bounds.ts'
import { ApiError } from '#contract/errors.ts'
import { recordAdministration as record, type Administrator } from '../identity/audit.ts'
import { makePasswordSecret } from '../identity/passwords.ts'
import { checkTokenLife } from '../identity/tokens.ts'

const INVITATION_SECONDS = 24 * 60 * 60

export interface CreatedUser {
  user: UserRecord
  invitation: string
}

export const createUser = (
  em: EntityManager,
  by: Administrator,
  { email, role, plan }: { email: string; role: Role; plan: Plan },
): Promise<CreatedUser> =>
  em.transactional(async (inner) => {
    const user = await insertUser(inner, { email, role, plan, passwordHash: null })
    if (!user) throw new ApiError('EMAIL_TAKEN')
    const invitation = await makePasswordSecret(inner, user.id, INVITATION_SECONDS)
    await record(inner, by, user.id, 'admin.user_created', { email, role, plan })
    return { user, invitation }
  })

export interface UserChange {
  plan?: Plan | undefined
  role?: Role | undefined
  isDisabled?: boolean | undefined
}

/** Disabling ends sessions. Throws USER_NOT_FOUND, and OWN_ACCOUNT for locking oneself out. */
export const administerUser = (
  em: EntityManager,
  by: Administrator,
  userId: string,
  { plan, role, isDisabled }: UserChange,
): Promise<UserRecord> =>
  em.transactional(async (inner) => {
    if (userId === by.actorId && (role === 'member' || isDisabled === true)) throw new ApiError('OWN_ACCOUNT')
    const before = await lockUser(inner, userId)
    if (!before) throw new ApiError('USER_NOT_FOUND')
    const change = {
      ...(plan !== undefined && { plan }),
      ...(role !== undefined && { role }),
      ...(isDisabled !== undefined && { isDisabled }),
    }
    await changeUser(inner, userId, change)
    if (isDisabled === true) await endSessions(inner, userId, 'all', 'user_disabled')
    const was = { plan: before.plan, role: before.role, isDisabled: before.isDisabled }
    await record(inner, by, userId, 'admin.user_changed', { change, was })
    return (await findUser(inner, userId))!
  })

export interface IssuedKey {
  id: string
  key: string
  prefix: string
}

/** Throws USER_NOT_FOUND, and VALIDATION_ERROR for its lifetime. */
export const issueLegacyKey = (
  em: EntityManager,
  by: Administrator,
  userId: string,
  { label, scopes, expiresAt }: { label: string; scopes: readonly Scope[]; expiresAt: Date },
): Promise<IssuedKey> =>
  em.transactional(async (inner) => {
    if (!(await lockUser(inner, userId))) throw new ApiError('USER_NOT_FOUND')
    checkTokenLife(expiresAt)
    const { token: key, hash, prefix } = mintAccessToken('dtk')
    const id = await insertToken(inner, { userId, kind: 'legacy', label, hash, prefix, scopes, expiresAt })
    await record(inner, by, userId, 'admin.legacy_key_issued', { tokenId: id, label, scopes: [...scopes] })
    return { id, key, prefix }
  })

/** Returns the number of ended sessions, devices included. Throws USER_NOT_FOUND. */
export const endAllSessions = (em: EntityManager, by: Administrator, userId: string): Promise<number> =>
  em.transactional(async (inner) => {
    if (!(await lockUser(inner, userId))) throw new ApiError('USER_NOT_FOUND')
    const ended = await endSessions(inner, userId, 'all', 'ended_by_admin')
    await record(inner, by, userId, 'admin.sessions_ended', { sessions: ended })
    return ended.length
  })

/** Returns the number of ended sessions. Throws USER_NOT_FOUND and MFA_NOT_ENABLED. */
export const takeSecondFactorAway = (
  em: EntityManager,
  by: Administrator,
  userId: string,
  reason: string,
): Promise<number> =>
  em.transactional(async (inner) => {
    const user = await lockUser(inner, userId)
    if (!user) throw new ApiError('USER_NOT_FOUND')
    if (!user.hasSecondFactor) throw new ApiError('MFA_NOT_ENABLED')
    await removeSecondFactor(inner, userId)
    const ended = await endSessions(inner, userId, 'all', 'second_factor_changed')
    await record(inner, by, userId, 'admin.second_factor_removed', { reason, sessions: ended.length })
    return ended.length
  })

/** Throws ORDER_NOT_FOUND, and ORDER_NOT_CANCELLABLE once ended, or when the broker may know it. */
export async function declareLost(
  em: EntityManager,
  by: Administrator,
  orderId: string,
  reason: string,
): Promise<LostOrder> {
  const lost = await declareOrderLost(em, orderId, { by: 'an operator', missed: 0 })
  if (lost === 'unknown_here') throw new ApiError('ORDER_NOT_FOUND')
  if (lost === 'ended') throw new ApiError('ORDER_NOT_CANCELLABLE', { message: 'The order has ended' })
  if (lost === 'known_at_broker')
    throw new ApiError('ORDER_NOT_CANCELLABLE', {
      message: 'The broker has not yet been asked for the order; cancel it instead',
    })
  const { clientOrderId, symbol } = lost
  await record(em, by, lost.userId, 'admin.order_declared_lost', { orderId, clientOrderId, symbol, reason })
  return lost
}

export const positionUnreadable = (): ApiError =>
  new ApiError('POSITIONS_UNAVAILABLE', {
    message:
      'The account cannot be compared with its broker at the moment: executions that cannot be read now would count twice once they can. Accept the position when the alert about the comparison has ended',
  })

export async function acceptShownPosition(
  em: EntityManager,
  by: Administrator,
  { accountId, symbol, reason }: { accountId: string; symbol: string; reason: string },
): Promise<AcceptedPosition> {
  const accepted = await acceptPosition(em, accountId, symbol)
  if (accepted === 'unknown_account') throw new ApiError('ACCOUNT_NOT_FOUND')
  if (accepted === 'not_notified')
    throw new ApiError('POSITION_NOT_FOUND', {
      message: `No alert says that the broker shows another position in ${symbol} than its executions add up to`,
    })
  if (accepted === 'unreadable') throw positionUnreadable()
  if (accepted === 'changed')
    throw new ApiError('POSITION_NOT_FOUND', {
      message: `The position in ${symbol} differs from the alert by now; read the alert again`,
    })
  const { shown, executed } = accepted
  await record(em, by, accepted.userId, 'admin.position_accepted', {
    accountId,
    symbol,
    shown,
    executed,
    reason,
  })
  return accepted
}
