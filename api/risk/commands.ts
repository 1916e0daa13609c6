import { findOwnAccount } from '#db/account/accounts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { findUser, lockUser } from '#db/identity/users.ts'
import { liftHalt, raiseHalt, setHalt, type HaltTarget, type TradingHalt } from '#db/risk/halts.ts'
import { isFreshProof, requireFreshProof } from '../access/policy.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault, type Fault } from '#contract/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { recordAdministration as record, type Administrator } from '../identity/audit.ts'
import type { HaltRequest, RiskSettingsAnswer } from '#contract/risk/shapes.ts'
import { findRiskSettings, saveRiskSettings } from '#db/risk/settings.ts'
import { riskLimits, type RiskLimits, type RiskSettings } from '#domain/risk/limits.ts'
import { loosenedLimits } from '#domain/risk/loosening.ts'
import { presentRiskSettings } from './present.ts'

export async function ownAccount(
  { em, principal: { userId } }: Caller,
  accountId: string,
): Promise<HaltTarget> {
  if (!(await findOwnAccount(em, userId, accountId))) throw new ApiError('ACCOUNT_NOT_FOUND')
  return { scope: 'account', userId, accountId }
}

/** Throws VERIFICATION_REQUIRED for a milder halt without a fresh proof. */
export async function putHalt(
  caller: Caller,
  target: HaltTarget,
  { level, reason }: HaltRequest,
): Promise<TradingHalt> {
  const { em, principal } = caller
  const { credential, verifiedAt } = principal
  const mayMakeMilder = credential === 'jwt' && isFreshProof(verifiedAt)
  const set = mayMakeMilder ? setHalt : raiseHalt
  const halt = await set(em, target, { level, reason, by: await caller.actorName() })
  if (credential === 'jwt' && halt.level !== level)
    requireFreshProof({ verifiedAt }, [fault(['level'], 'milder', `${halt.level} is set and is more severe`)])
  await auditTrading(em, caller, 'halt.set', { ...target, level: halt.level, reason: halt.reason })
  return halt
}

export async function deleteHalt(caller: Caller, target: HaltTarget): Promise<TradingHalt> {
  const halt = await liftHalt(caller.em, target, await caller.actorName())
  if (!halt) throw new ApiError('HALT_NOT_FOUND')
  await auditTrading(caller.em, caller, 'halt.lifted', { ...target, level: halt.level })
  return halt
}

const OPERATOR = 'operator'
const EVERYBODY = { scope: 'global' } as const

/** The halt must not wait for the log. */
export async function haltEverybody(
  em: EntityManager,
  by: Administrator,
  { level, reason }: HaltRequest,
): Promise<TradingHalt> {
  const halt = await setHalt(em, EVERYBODY, { level, reason, by: OPERATOR })
  await record(em, by, null, 'admin.halt_set', { level, reason })
  return halt
}

/** Halts of users and accounts remain. Throws HALT_NOT_FOUND. */
export async function resumeEverybody(em: EntityManager, by: Administrator): Promise<TradingHalt> {
  const halt = await liftHalt(em, EVERYBODY, OPERATOR)
  if (!halt) throw new ApiError('HALT_NOT_FOUND')
  await record(em, by, null, 'admin.halt_lifted', { level: halt.level, reason: halt.reason })
  return halt
}

/** The user can neither lift nor weaken it. The halt precedes the log. Throws USER_NOT_FOUND. */
export async function haltUser(
  em: EntityManager,
  by: Administrator,
  userId: string,
  { level, reason }: HaltRequest,
): Promise<TradingHalt> {
  if (!(await findUser(em, userId))) throw new ApiError('USER_NOT_FOUND')
  const halt = await setHalt(em, { scope: 'operator', userId }, { level, reason, by: OPERATOR })
  await record(em, by, userId, 'admin.halt_set', { scope: 'operator', level, reason })
  return halt
}

/** The global and the user's own halts remain. Throws HALT_NOT_FOUND. */
export async function resumeUser(em: EntityManager, by: Administrator, userId: string): Promise<TradingHalt> {
  if (!(await findUser(em, userId))) throw new ApiError('USER_NOT_FOUND')
  const halt = await liftHalt(em, { scope: 'operator', userId }, OPERATOR)
  if (!halt) throw new ApiError('HALT_NOT_FOUND')
  const { level, reason } = halt
  await record(em, by, userId, 'admin.halt_lifted', { scope: 'operator', level, reason })
  return halt
}

const faultOfLoosened = (name: keyof RiskLimits): Fault =>
  fault([name], 'loosened', `${name} allows more than before`)

/** Throws ACCOUNT_NOT_FOUND, and VERIFICATION_REQUIRED for a loosened limit without a fresh proof. */
export const replaceLimits = (
  caller: Caller,
  accountId: string,
  set: RiskSettings,
): Promise<RiskSettingsAnswer> =>
  caller.em.transactional(async (em) => {
    const { userId } = caller.principal
    // The second of two concurrent changes is compared with the first.
    await lockUser(em, userId)
    const before = riskLimits(await findRiskSettings(em, userId, accountId))
    const limits = await saveRiskSettings(em, userId, accountId, set)
    if (!limits) throw new ApiError('ACCOUNT_NOT_FOUND')
    const loosened = loosenedLimits(before, limits)
    if (loosened.length > 0) requireFreshProof(caller.principal, loosened.map(faultOfLoosened))
    await auditTrading(em, caller, 'risk_limits.changed', { accountId, set })
    return presentRiskSettings(accountId, set)
  })
