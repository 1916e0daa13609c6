import { workflowIdFor } from '#domain/signal.ts'
import { z } from 'zod'
import type { Principal } from './principal.ts'

export const workflowAnswer = z
  .strictObject({
    id: z.string(),
    url: z
      .url()
      .nullable()
      .describe(
        'Its page in Temporal’s UI: for administrators in person, where the operator has named the UI',
      ),
  })
  .meta({ id: 'Workflow' })

export type WorkflowAnswer = z.output<typeof workflowAnswer>

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
