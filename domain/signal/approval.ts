import type { Decimal } from '../money/decimal.ts'
import { canChange, type DenialCode } from '../risk/denial.ts'
import type { TimelineEntry } from './timeline.ts'

interface AsSent {
  quantity: Decimal
  limitPrice: Decimal | null
}

export interface GivenApproval {
  by: string
  at: string
  asSent: AsSent
  refusals: number
}

export interface RefusedApproval extends AsSent {
  code: DenialCode
  approvedAt: string
}

/** It waits on if the reason can change, or the approval's edits (in `order`) caused the denial. */
export const waitsOn = (
  { asSent }: Pick<GivenApproval, 'asSent'>,
  order: AsSent,
  code: DenialCode,
): boolean => canChange(code) || order.quantity !== asSent.quantity || order.limitPrice !== asSent.limitPrice

export const approvalRefusedEntry = (
  at: string,
  by: string,
  detail: string,
  { code, approvedAt }: { code: DenialCode; approvedAt: string },
): TimelineEntry => ({
  key: `approval-refused-${approvedAt}`,
  kind: 'approval_refused',
  at,
  message: `The approval by ${by} was not accepted, and it still waits: ${detail}`,
  data: { code },
})

export const entryForApproval = (at: string, detail: string): TimelineEntry => ({
  key: 'held',
  kind: 'held',
  at,
  message: `It needs approval: ${detail}`,
})
