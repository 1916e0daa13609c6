import { setTradingMode } from '#db/identity/users.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault } from '../http/errors.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { ownUser, withSession } from '../identity/own-user.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { renewVerification, type Proof } from '../identity/verification-commands.ts'
import { auditTrading } from '../http/trading-audit.ts'
import type { ModeSwitchAnswer } from './answers.ts'
import type { TradingMode } from './schema.ts'

export interface TradingModeDeps extends Pick<IdentityDeps, 'limits' | 'secretKeys'> {
  liveTrading: boolean
}

/** Throws {@link ApiError} LIVE_TRADING_DISABLED, INSUFFICIENT_SCOPES, VERIFICATION_REQUIRED, WRONG_PASSWORD, WRONG_CODE. */
export async function switchMode(
  deps: TradingModeDeps,
  caller: Caller,
  mode: TradingMode,
  proof: Proof,
): Promise<ModeSwitchAnswer> {
  if (mode === 'LIVE') await permitLive(deps, caller, proof)
  const { userId } = caller.principal
  const before = await caller.em.transactional(async (em) => {
    const replaced = await setTradingMode(em, userId, mode)
    if (replaced !== mode)
      await auditTrading(em, caller, 'trading_mode.changed', { from: replaced, to: mode })
    return replaced
  })
  return { success: true, mode, message: describe(mode, before) }
}

async function permitLive(deps: TradingModeDeps, caller: Caller, proof: Proof): Promise<void> {
  if (!deps.liveTrading) throw new ApiError('LIVE_TRADING_DISABLED')
  const { credential, verifiedAt } = caller.principal
  if (credential !== 'jwt')
    throw new ApiError('INSUFFICIENT_SCOPES', {
      details: [fault(['mode'], 'credential_not_accepted', 'Only a signed-in person may switch to LIVE')],
    })
  if (proof.password !== undefined || proof.code !== undefined) {
    const person = withSession(caller)
    await renewVerification(deps, person, { user: await ownUser(person), proof })
  } else requireFreshProof({ verifiedAt })
}

function describe(mode: TradingMode, before: TradingMode): string {
  if (mode === before) return `The mode is ${mode} already`
  return mode === 'LIVE'
    ? 'The mode is LIVE: orders go to live accounts, for real money'
    : 'The mode is PAPER: orders go to demo accounts'
}
