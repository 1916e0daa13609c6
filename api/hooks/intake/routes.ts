import { hookSender } from '../../access/policy.ts'
import type { Caller } from '../../http/caller.ts'
import type { ApiContext } from '../../http/context.ts'
import { ApiError } from '#contract/errors.ts'
import { Reply, route } from '../../route/route.ts'
import { JUDGED } from '../../signals/bounds.ts'
import type { IntakeDeps } from './deps.ts'
import { receive } from './receive.ts'
import { intakeEndpoints } from '#contract/hooks/intake/endpoints.ts'

interface Sent {
  caller: Caller
  http: ApiContext
  body: string
}

async function take(
  { caller, body: text, http }: Sent,
  deps: IntakeDeps,
): Promise<Reply<Record<string, unknown>>> {
  if (!deps.signalsEnabled) throw new ApiError('SERVICE_DISABLED')
  const { outcome, status, body } = await receive(deps, caller, http.state.hook!, {
    text,
    via: 'sender',
    again: null,
    signature: http.state.hookSignature ?? null,
  })
  const signalId = outcome.signals.find(({ id }) => id !== null)?.id
  if (signalId) caller.noteSignal(signalId)
  if (outcome.outcome === 'dry_run') http.state.isDryRun = true
  if (outcome.code !== null) http.state.refusal = { code: outcome.code, error: outcome.message }
  return new Reply(status, body as Record<string, unknown>)
}

/** The path has no version, because it stands in the settings of others. */
export const intakeRoutes = [
  route(intakeEndpoints['POST /hooks/:hookId/:secret'], {
    access: hookSender(JUDGED),
    run: (asked, deps: IntakeDeps) => take(asked, deps),
  }),
  route(intakeEndpoints['POST /hooks/:hookId'], {
    access: hookSender(JUDGED),
    run: (asked, deps: IntakeDeps) => take(asked, deps),
  }),
]
