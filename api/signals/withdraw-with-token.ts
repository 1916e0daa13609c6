import { dueWithdrawals } from '#db/signals/of-tokens.ts'
import { findSignal } from '#db/signals/signals.ts'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import type { Caller } from '../http/caller.ts'
import { GatewayUnavailable, UpdateRejected, WorkflowOver } from '../temporal/signals.ts'
import { timeLeft } from '../temporal/time-left.ts'
import type { SignalDeps } from './deps.ts'
import { recipientOf } from './recipient.ts'

const WITHDRAWN_AT_ONCE = 16
const WITHDRAWN_BEFORE_ANSWER = 500

/** As far as it can be done before the answer is due; the supervisor does the rest. Never throws, for the token is revoked by now. */
export async function withdrawWithToken(
  deps: Pick<SignalDeps, 'gateway' | 'logger' | 'answerDeadline'>,
  caller: Caller,
  tokenId: string,
): Promise<{ withdrawn: number; over: number }> {
  const done = { withdrawn: 0, over: 0 }
  let isOutage = false
  try {
    const find = dueWithdrawals(caller.em, tokenId, [], WITHDRAWN_BEFORE_ANSWER)
    await forEachAtMost(
      WITHDRAWN_AT_ONCE,
      await caller.beforeDatabaseDeadline(find),
      async ({ signal, by }) => {
        if (isOutage) return
        try {
          await deps.gateway.withdraw(recipientOf(signal), { by }, timeLeft(caller, deps))
          done.withdrawn++
        } catch (error) {
          if (error instanceof UpdateRejected || error instanceof WorkflowOver) {
            const now = await caller.beforeDatabaseDeadline(findSignal(caller.em, signal.userId, signal.id))
            // The supervisor may have been faster.
            done[now?.statusReason === 'WITHDRAWN' ? 'withdrawn' : 'over']++
          } else if (error instanceof GatewayUnavailable) isOutage = true
          else throw error
        }
      },
    )
  } catch (error) {
    deps.logger.warn({ err: error, tokenId }, 'signals of a revoked token are left to the supervisor')
  }
  return done
}
