import type { NewSignal, WholeNewSignal } from '#db/signals/storing.ts'
import { isZero } from '#domain/decimal.ts'
import { nominalPosition } from '#domain/moves.ts'
import { isOpening, type Target } from '#domain/signal.ts'
import { beforeResolution } from '#domain/target.ts'
import { FIRST_STATUS } from '#domain/signal-status.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import { describeEntry } from '#workflows/steps/describe.ts'
import { randomUUID } from 'node:crypto'
import type { Principal } from '../http/principal.ts'
import type { SignalSummary } from '../intake/wish.ts'
import { payloadHashOf } from './payload-hash.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'
import { termsOf } from '#db/signals/terms.ts'

/** A field of a request that no signal has would be accepted and lost: it does not compile. */
type Stored<Wish> = { [Field in keyof Wish]: Field extends keyof NewSignal ? unknown : never }

/** `acceptedAt`: by PostgreSQL's clock. `maxStaleness`: milliseconds after its acceptance or its time in which it may be sent. */
export function newSignal(
  { userId, credential }: Pick<Principal, 'userId' | 'credential'>,
  request: SignalRequest,
  acceptedAt: Date,
  maxStaleness: number,
): WholeNewSignal {
  const {
    replaceExisting: _,
    dryRun: __,
    overdue: ___,
    exit,
    protection,
    targetPosition: ____,
    targetAt: _____,
    move: ______,
    senderHolds: _______,
    ...wish
  } = request
  const target = targetOf(request)
  const opensNothing = target !== null && isZero(target.position)
  const validUntil = dateOrNull(request.validUntil)
  const scheduledAt = dateOrNull(request.scheduledAt)
  return {
    ...(wish satisfies Stored<typeof wish>),
    ...(target && beforeResolution(target, wish)),
    target,
    manages:
      target === null && isOpening(wish.action)
        ? null
        : (request.manages ?? (target === null ? 'position' : 'own')),
    id: randomUUID(),
    userId,
    origin: credential === 'hook' ? 'hook' : 'sender',
    payloadHash: payloadHashOf(request),
    exitRule: opensNothing ? null : exit,
    protection: opensNothing ? null : protection,
    expiresAt: dateOrNull(request.expiresAt),
    scheduledAt,
    validUntil,
    status: FIRST_STATUS[request.executeMode],
    acceptedAt,
    // The approval of a signal that waits for a person says until when it may be sent.
    sendBefore:
      validUntil ??
      (request.executeMode === 'pending'
        ? null
        : new Date((scheduledAt ?? acceptedAt).getTime() + maxStaleness)),
  }
}

function targetOf({
  targetPosition,
  targetAt,
  move,
  senderHolds,
  exit,
  protection,
  ...size
}: SignalRequest): Target | null {
  const claim = senderHolds === null ? {} : { senderHolds }
  const exits = { exit, ...(protection !== null && { protection }) }
  if (targetPosition !== null) return { position: targetPosition, ...exits, at: targetAt, ...claim }
  if (move === null) return null
  const { quantity, quantityType } = size
  const sized = move.kind === 'trade' ? { ...move, quantity, quantityType } : move
  return { position: nominalPosition(move), ...exits, at: null, move: sized, ...claim }
}

const dateOrNull = (instant: string | null): Date | null => (instant === null ? null : new Date(instant))

export const receivedEntry = (
  signal: NewSignal,
  { principal, requestId }: { principal: Principal; requestId: string },
): TimelineEntry => ({
  key: 'received',
  kind: 'received',
  at: signal.acceptedAt.toISOString(),
  message: `The signal was received: ${describeEntry(termsOf(signal))}`,
  data: { requestId, tokenId: principal.tokenId },
})

export const freshState = (signal: NewSignal): SignalSummary => ({
  ...signal,
  orderId: null,
  statusReason: null,
  statusDetail: null,
})
