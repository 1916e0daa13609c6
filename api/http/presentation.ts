import type { Decimal } from '#domain/decimal.ts'
import { workflowIdFor } from '#domain/signal.ts'
import type { Principal } from './principal.ts'
import type { WorkflowAnswer } from '#contract/envelopes.ts'

export const VERSION = '0.1.0'

export function toJsonNumber(value: Decimal): number
export function toJsonNumber(value: Decimal | null | undefined): number | null
export function toJsonNumber(value: Decimal | null | undefined): number | null {
  return value == null ? null : Number(value)
}

/** ISO 8601 in UTC with milliseconds. */
export function toIsoInstant(value: Date): string
export function toIsoInstant(value: Date | null | undefined): string | null
export function toIsoInstant(value: Date | null | undefined): string | null {
  return value?.toISOString() ?? null
}

export const isoInstantOfText = (text: string | null): string | null =>
  text === null ? null : toIsoInstant(new Date(text))

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
