import { approvalRefusedEntry, type GivenApproval } from '#domain/signal/approval.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import type { EntryForApproval } from '#domain/risk/entry-check.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { readDecision } from '../order/decisions.ts'
import { readEntryFacts } from '../order/entry-facts.ts'
import { hold, OUT_OF_TURN } from './decision-ledger.ts'

/** Pending again, as sent, after a denial that can change. Returns and throws as `recordRequiresApproval`. */
export async function recordApprovalRefused<T>(
  em: EntityManager,
  signalId: string,
  at: string,
  {
    approval: { by, at: approvedAt, asSent, refusals },
    code,
    detail,
    validUntil,
  }: { approval: GivenApproval; code: DenialCode; detail: string; validUntil: string | null },
): Promise<EntryForApproval | T> {
  const { quantity, limitPrice } = asSent
  const refused = { code, approvedAt, quantity, limitPrice }
  const held: EntryForApproval = { outcome: 'held', detail, refused }
  return hold<T>(em, signalId, held, {
    status: 'pending',
    set: {
      ...OUT_OF_TURN,
      send_before: validUntil,
      quantity,
      limit_price: limitPrice,
      decided_by: null,
      decided_at: null,
      approval_refused: toStorableJson({ code, message: detail, at, count: refusals + 1 }),
    },
    holds: held,
    refusesAfter: refusals,
    timeline: [approvalRefusedEntry(at, by, detail, refused)],
  })
}

export async function recordDecisionLapsed<T>(
  em: EntityManager,
  signalId: string,
  at: string,
  why: { detail: string; validUntil: string | null },
): Promise<EntryForApproval | T> {
  const facts = await readEntryFacts(em, signalId)
  if (facts?.approval)
    return recordApprovalRefused(em, signalId, at, { approval: facts.approval, code: 'STALE', ...why })
  const kept = await readDecision<EntryForApproval | T>(em, signalId, 'entry')
  if (kept === null) throw new Error(`no person has approved ${signalId}`)
  return kept
}
