import { lockUser } from '#db/identity/users.ts'
import { findRiskSettings, saveRiskSettings } from '#db/risk/settings.ts'
import { riskLimits, type RiskLimits, type RiskSettings } from '#domain/risk-limits.ts'
import { loosenedLimits } from '#domain/risk-loosening.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault, type Fault } from '../http/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import type { RiskSettingsAnswer } from './answers.ts'
import { presentRiskSettings } from './record.ts'

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
    // Of two concurrent changes the second is compared with the first.
    await lockUser(em, userId)
    const before = riskLimits(await findRiskSettings(em, userId, accountId))
    const limits = await saveRiskSettings(em, userId, accountId, set)
    if (!limits) throw new ApiError('ACCOUNT_NOT_FOUND')
    const loosened = loosenedLimits(before, limits)
    if (loosened.length > 0) requireFreshProof(caller.principal, loosened.map(faultOfLoosened))
    await auditTrading(em, caller, 'risk_limits.changed', { accountId, set })
    return presentRiskSettings(accountId, set)
  })
