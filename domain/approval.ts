import type { Decimal } from './decimal.ts'
import { canChange, type DenialCode } from './denial.ts'
import type { TimelineEntry } from './timeline.ts'

/** The fields of a signal that the edits of an approval may change, as it was sent. */
interface AsSent {
  quantity: Decimal
  /** Dollars a share. */
  limitPrice: Decimal | null
}

/** An approval as the ledger has it. */
export interface GivenApproval {
  by: string
  /** UTC instant. */
  at: string
  asSent: AsSent
  /** Approvals of the signal that were refused before it. */
  refusals: number
}

/** An approval that was not taken: the reason, when it was given, and the signal without its edits. */
export interface RefusedApproval extends AsSent {
  code: DenialCode
  approvedAt: string
}

/**
 * Whether an approved signal that is denied waits on, in the place of being rejected: where the reason can change, and where the order
 * that was denied is not the one that was sent.
 *
 * @param order as it was approved
 */
export const waitsOn = (
  { asSent }: Pick<GivenApproval, 'asSent'>,
  order: AsSent,
  code: DenialCode,
): boolean => canChange(code) || order.quantity !== asSent.quantity || order.limitPrice !== asSent.limitPrice

/** An approval was not taken, because the order would have been refused for a reason that can change. */
export const approvalRefusedEntry = (
  at: string,
  by: string,
  detail: string,
  { code, approvedAt }: { code: DenialCode; approvedAt: string },
): TimelineEntry => ({
  key: `approval-refused-${approvedAt}`,
  kind: 'approval_refused',
  at,
  message: `The approval by ${by} was not taken, and it still waits: ${detail}`,
  data: { code },
})

/** A rule of its owner lets a person approve the entry before it is sent. */
export const heldEntry = (at: string, detail: string): TimelineEntry => ({
  key: 'held',
  kind: 'held',
  at,
  message: `It is held for approval: ${detail}`,
})
