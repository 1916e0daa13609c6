import { findAccountStanding } from '#db/accounts.ts'
import type { EntityManager } from '#db/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { findLiveBySource, insertSignal, type NewSignal } from '#db/signals.ts'
import { findStrategyStanding } from '#db/strategies.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import { describeEntry } from '#workflows/summary.ts'
import { randomUUID } from 'node:crypto'
import type { Principal } from '../auth/principal.ts'
import { ApiError } from '../errors.ts'
import type { Failpoint } from '../failpoint.ts'
import { payloadHashOf } from './payload-hash.ts'
import type { Advisory, SignalRequest } from './request.ts'
import { termsOf } from './terms.ts'
import { replacementNotBuilt } from './unbuilt.ts'

/** Attempts at taking a sourceId that others take and free meanwhile. */
const MOST_ATTEMPTS = 5

/** A new signal, or the living one that holds the sourceId already. */
export type Acceptance = { stored: NewSignal } | Existing
interface Existing {
  existing: Signal
  advisories: Advisory[]
}

interface Sender {
  em: EntityManager
  principal: Principal
  requestId: string
}

/**
 * Checks the rules that need the database and stores the signal, or finds the one that holds its sourceId.
 * Throws {@link ApiError} for what is refused; then nothing is stored.
 */
export async function acceptSignal(
  { failpoint, maxStaleness }: { failpoint: Failpoint; maxStaleness: number },
  sender: Sender,
  request: SignalRequest,
): Promise<Acceptance> {
  const { em, principal } = sender
  const payloadHash = payloadHashOf(request)
  const refusal = await refusalOf(em, principal, request)
  if (refusal) {
    // A sender that repeats itself is told what became of its signal, though it would be refused today.
    const existing = await existingSignal(em, principal, request, payloadHash)
    if (existing) return existing
    throw refusal
  }
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const signal = newSignal(principal.userId, request, payloadHash, maxStaleness)
    await failpoint('api.before_commit')
    if (await insertSignal(em, signal, receivedEntry(signal, sender))) return { stored: signal }
    const existing = await existingSignal(em, principal, request, payloadHash)
    if (existing) return existing
  }
  throw new ApiError('SOURCE_ID_CONTENDED')
}

/** Why a signal may not be taken, whatever its body says; null when it may. */
async function refusalOf(
  em: EntityManager,
  { userId, tradingMode }: Principal,
  { accountId, strategyId }: SignalRequest,
): Promise<ApiError | null> {
  const account = await findAccountStanding(em, userId, accountId)
  if (!account) return new ApiError('ACCOUNT_NOT_FOUND')
  if (strategyId !== null) {
    const strategy = await findStrategyStanding(em, userId, strategyId)
    if (!strategy) return new ApiError('STRATEGY_NOT_FOUND')
    if (strategy.status === 'paused') return new ApiError('STRATEGY_PAUSED')
  }
  if (account.isDemo !== (tradingMode === 'PAPER')) {
    const kind = account.isDemo ? 'a demo' : 'a live'
    return new ApiError('MODE_MISMATCH', {
      message: `The account is ${kind} account and the mode is ${tradingMode}`,
    })
  }
  return null
}

async function existingSignal(
  em: EntityManager,
  { userId }: Principal,
  { accountId, sourceId, replaceExisting }: SignalRequest,
  payloadHash: string,
): Promise<Existing | null> {
  if (sourceId === null) return null
  const signal = await findLiveBySource(em, userId, accountId, sourceId)
  if (!signal) return null
  if (replaceExisting) throw replacementNotBuilt()
  const advisories =
    signal.payloadHash === payloadHash
      ? []
      : [
          {
            code: 'source_id_payload_mismatch',
            message: 'The existing signal with this sourceId asks for something else than this request',
          },
        ]
  return { existing: signal, advisories }
}

function newSignal(
  userId: string,
  request: SignalRequest,
  payloadHash: string,
  maxStaleness: number,
): NewSignal {
  const { replaceExisting: _, exit, ...wish } = request
  const acceptedAt = new Date()
  const validUntil = dateOrNull(request.validUntil)
  const isImmediate = request.executeMode === 'immediate'
  return {
    ...wish,
    id: randomUUID(),
    userId,
    payloadHash,
    exitRule: exit,
    expiresAt: dateOrNull(request.expiresAt),
    scheduledAt: dateOrNull(request.scheduledAt),
    validUntil,
    status: 'queued',
    acceptedAt,
    staleAfter: validUntil ?? (isImmediate ? new Date(acceptedAt.getTime() + maxStaleness) : null),
  }
}

const dateOrNull = (instant: string | null): Date | null => (instant === null ? null : new Date(instant))

const receivedEntry = (signal: NewSignal, { principal, requestId }: Sender): TimelineEntry => ({
  key: 'received',
  kind: 'received',
  at: signal.acceptedAt.toISOString(),
  message: `The signal was received: ${describeEntry(termsOf(signal))}`,
  data: { requestId, tokenId: principal.tokenId },
})
