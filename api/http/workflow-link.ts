import { workflowIdFor } from '#domain/signal.ts'
import type { Principal } from './principal.ts'
import type { WorkflowAnswer } from '#contract/envelopes.ts'

/** For administrators in person, not for tokens; null otherwise, and where the operator has named no UI. */
export const temporalUiFor = (
  { role, credential }: Pick<Principal, 'role' | 'credential'>,
  temporalUiUrl: string | null,
): string | null => (role === 'admin' && credential === 'jwt' ? temporalUiUrl : null)

export const presentWorkflow = (id: string, temporalUi: string | null): WorkflowAnswer => ({
  id,
  url: temporalUi && `${temporalUi}/workflows/${id}`,
})

export const workflowOf = (
  { signalId }: { signalId?: string | null | undefined },
  temporalUi: string | null,
): WorkflowAnswer | null => (signalId ? presentWorkflow(workflowIdFor(signalId), temporalUi) : null)
