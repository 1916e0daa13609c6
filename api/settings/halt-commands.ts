import { findOwnAccount } from '#db/accounts/accounts.ts'
import { liftHalt, raiseHalt, setHalt, type HaltTarget, type TradingHalt } from '#db/risk/halts.ts'
import type { HaltLevel } from '#domain/halt.ts'
import { isFreshProof } from '../access/fresh-proof.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault } from '../http/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { requireFreshProof } from '../identity/verification-commands.ts'

/** An account of the caller, to be halted. Throws ACCOUNT_NOT_FOUND. */
export async function ownAccount(
  { em, principal: { userId } }: Caller,
  accountId: string,
): Promise<HaltTarget> {
  if (!(await findOwnAccount(em, userId, accountId))) throw new ApiError('ACCOUNT_NOT_FOUND')
  return { scope: 'account', userId, accountId }
}

/** Throws VERIFICATION_REQUIRED where the halt would become milder and the caller has no fresh proof. */
export async function putHalt(
  caller: Caller,
  target: HaltTarget,
  { level, reason }: { level: HaltLevel; reason: string },
): Promise<TradingHalt> {
  const { em, principal } = caller
  const { credential, verifiedAt } = principal
  const mayMakeMilder = credential === 'jwt' && isFreshProof(verifiedAt)
  const set = mayMakeMilder ? setHalt : raiseHalt
  const halt = await set(em, target, { level, reason, by: await caller.actorName() })
  if (credential === 'jwt' && halt.level !== level)
    requireFreshProof({ verifiedAt }, [fault(['level'], 'milder', `${halt.level} stands and is more severe`)])
  await auditTrading(em, caller, 'halt.set', { ...target, level: halt.level, reason: halt.reason })
  return halt
}

/** Throws HALT_NOT_FOUND. */
export async function deleteHalt(caller: Caller, target: HaltTarget): Promise<TradingHalt> {
  const halt = await liftHalt(caller.em, target, await caller.actorName())
  if (!halt) throw new ApiError('HALT_NOT_FOUND')
  await auditTrading(caller.em, caller, 'halt.lifted', { ...target, level: halt.level })
  return halt
}
