import type { EntityManager } from '#db/engine/database.ts'
import type { UserRecord } from '#db/identity/users.ts'
import type { Origin } from '../http/caller.ts'
import { countAttempt, deviceKey, forgiveAttempts, tooManyAttempts } from './attempts.ts'
import { isShapedLikeBackupCode } from './backup-codes.ts'
import type { IdentityDeps } from './deps.ts'
import { sendWarning } from './email-delivery.ts'
import { isCodeOf } from './second-factor-commands.ts'

export type SignInCodeDeps = Pick<
  IdentityDeps,
  'limits' | 'secretKeys' | 'deviceKeys' | 'background' | 'mailer' | 'emailTemplates'
>

/** Six digits are counted by account too, over all devices; backup codes are not: they are the owner's way in
 * meanwhile. Throws RATE_LIMIT_EXCEEDED. */
export async function isSignInCode(
  deps: SignInCodeDeps,
  em: EntityManager,
  { user, code }: { user: UserRecord; code: string },
  caller: Origin,
): Promise<boolean> {
  const { limits } = deps
  const count = { account: user.id, apart: deviceKey(deps, user, caller.deviceToken) }
  await countAttempt(limits, 'secondFactor', count)
  const canBeGuessed = !isShapedLikeBackupCode(code)
  if (canBeGuessed) await countInAll(deps, user)
  if (!(await isCodeOf(deps, em, user.id, code))) return false
  await forgiveAttempts(limits, 'secondFactor', count)
  if (canBeGuessed) await limits.takeBack('secondFactorInAll', user.id)
  return true
}

async function countInAll(deps: SignInCodeDeps, user: UserRecord): Promise<void> {
  const state = await deps.limits.countAttempt('secondFactorInAll', user.id)
  if (state.isFirstRefusal)
    deps.background.run('telling of many wrong codes', () =>
      sendWarning(deps, deps.emailTemplates.manyCodesTried(user.email)),
    )
  if (!state.isAllowed) throw tooManyAttempts(state, 'use a backup code, or wait')
}
