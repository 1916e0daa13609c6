import { orderWorkflowIdFor } from '#domain/manual-order.ts'
import { workflowIdFor } from '#domain/signal.ts'
import { z } from 'zod'
import type { Principal } from './principal.ts'

/** A workflow in Temporal, and the way to its page. */
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

/**
 * Where workflows are in Temporal's UI, as far as the caller is to know it; null otherwise. Tokens are not told: the page is
 * for a person.
 *
 * @param temporalUiUrl null where the operator has named none
 */
export const temporalUiFor = (
  { role, credential }: Pick<Principal, 'role' | 'credential'>,
  temporalUiUrl: string | null,
): string | null => (role === 'admin' && credential === 'jwt' ? temporalUiUrl : null)

/** @param temporalUi of {@link temporalUiFor} */
export const presentWorkflow = (id: string, temporalUi: string | null): WorkflowAnswer => ({
  id,
  url: temporalUi && `${temporalUi}/workflows/${id}`,
})

/**
 * What carries a signal, or a manual order, through; null where there is neither.
 *
 * @param temporalUi of {@link temporalUiFor}
 */
export function workflowOf(
  { signalId, orderId }: { signalId?: string | null | undefined; orderId?: string | null | undefined },
  temporalUi: string | null,
): WorkflowAnswer | null {
  if (signalId) return presentWorkflow(workflowIdFor(signalId), temporalUi)
  return orderId ? presentWorkflow(orderWorkflowIdFor(orderId), temporalUi) : null
}
