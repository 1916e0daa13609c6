import { instantAfter } from '#domain/instants.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { EntryFacts } from '#db/orders/entry-facts.ts'
import { recordSequencingWait } from '#db/orders/sequencing.ts'
import type { ClosingTime } from '#domain/closing-time.ts'
import { predecessors } from '#domain/entry-check.ts'
import { SEQUENCING_TIMEOUT } from '#domain/sequence.ts'
import { isOpening, type SignalTerms } from '#domain/signal.ts'
import type { PreparedEntry } from '../contract.ts'

export type Turn = Extract<PreparedEntry, { outcome: 'not_yet' }>

/** Null without a wait, or after enough of it. */
export function turnOf(terms: SignalTerms, facts: EntryFacts): Turn | null {
  const { asOf, sequencingUntil } = facts
  const behind = predecessors(terms, facts)
  if (behind.length === 0 || (sequencingUntil !== null && asOf >= sequencingUntil)) return null
  return { outcome: 'not_yet', behind, until: sequencingUntil ?? sequencingDeadline(terms, asOf) }
}

/** Null when something has come meanwhile that has to be looked at first. */
export async function waitForTurn(
  { em }: { em: EntityManager },
  { signalId }: SignalTerms,
  { earlier }: EntryFacts,
  turn: Turn,
): Promise<Turn | null> {
  const newestStatus = earlier.find(({ id }) => id === turn.behind.at(-1))!.status
  const wait = await recordSequencingWait(em, signalId, { ...turn, newestStatus })
  return wait.hasChanged ? null : { ...turn, until: wait.until }
}

function sequencingDeadline({ action, validUntil }: SignalTerms, asOf: string): string {
  const until = new Date(
    Date.parse(asOf) + SEQUENCING_TIMEOUT[isOpening(action) ? 'opening' : 'closing'],
  ).toISOString()
  if (validUntil === null) return until
  return isOpening(action) || validUntil < until ? validUntil : until
}

export function isInTime(
  { validUntil, sendBefore }: SignalTerms,
  { asOf, sequencingUntil }: EntryFacts,
): boolean {
  if (validUntil !== null || sendBefore === null) return validUntil === null || asOf < validUntil
  return asOf < sendBefore || (sequencingUntil !== null && asOf < sequencingUntil)
}

/** A close that waited for earlier signals counts from the end of that wait at the latest. */
export function timeOf(
  { acceptedAt, scheduledAt, dueAt, sendBefore, validUntil }: SignalTerms,
  { sequencingUntil }: Pick<EntryFacts, 'sequencingUntil'>,
): ClosingTime {
  if (validUntil !== null || sendBefore === null)
    return { sendBefore: sendBefore ?? validUntil, worthFor: null }
  const worthFor = Date.parse(sendBefore) - Date.parse(scheduledAt ?? dueAt ?? acceptedAt)
  const inTurn = sequencingUntil === null ? sendBefore : instantAfter(sequencingUntil, worthFor)
  return { sendBefore: inTurn > sendBefore ? inTurn : sendBefore, worthFor }
}
