import type { EntityManager } from '#db/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { findSignal, type NewSignal } from '#db/signals.ts'
import type { Logger } from 'pino'
import type { Principal } from '../auth/principal.ts'
import { within } from '../deadline.ts'
import type { Failpoint } from '../failpoint.ts'
import { GatewayUnavailable, type SignalGateway } from '../signal-gateway.ts'
import { acceptSignal } from './acceptance.ts'
import type { Advisory, SignalRequest } from './request.ts'
import { termsOf } from './terms.ts'

export interface CreateSignalDeps {
  gateway: SignalGateway
  logger: Logger
  failpoint: Failpoint
  /** How long after its arrival a request is answered, in milliseconds. */
  answerDeadline: number
  /** How long after its acceptance an immediate signal may still be sent, in milliseconds. */
  maxStaleness: number
}

/** The request a signal came with, as far as the command needs it. */
export interface SignalSender {
  em: EntityManager
  principal: Principal
  requestId: string
  /** Milliseconds of `performance.now()`. */
  receivedAt: number
  /** Bounds the work before the commit. */
  beforeDatabaseDeadline: <T>(work: Promise<T>) => Promise<T>
}

/** How a signal stands when its sender is answered. */
export type SignalStanding = Pick<
  Signal,
  | 'id'
  | 'status'
  | 'executeMode'
  | 'orderId'
  | 'scheduledAt'
  | 'sourceId'
  | 'staleAfter'
  | 'statusReason'
  | 'statusDetail'
>

export interface SignalAnswer {
  /** false when an earlier signal holds the sourceId and nothing was stored. */
  isNew: boolean
  signal: SignalStanding
  advisories: Advisory[]
}

/** Even a late request gives the workflow engine this long, in milliseconds. */
const SHORTEST_WAIT = 50
/** For one look at how a signal stands, in milliseconds. */
const LOOK_LIMIT = 300

/**
 * Accepts a signal: stores it, starts its workflow and waits for its entry as long as the answer deadline
 * allows. What is refused by a rule is not stored. Once stored it is accepted, whatever fails afterwards: the
 * sweeper starts what was not started.
 *
 * Throws {@link ApiError} ACCOUNT_NOT_FOUND, STRATEGY_NOT_FOUND, STRATEGY_PAUSED, MODE_MISMATCH,
 * NOT_IMPLEMENTED, SOURCE_ID_CONTENDED, DATABASE_UNAVAILABLE.
 */
export async function createSignal(
  deps: CreateSignalDeps,
  sender: SignalSender,
  request: SignalRequest,
): Promise<SignalAnswer> {
  const accepted = await sender.beforeDatabaseDeadline(acceptSignal(deps, sender, request))
  if ('existing' in accepted) {
    return { isNew: false, signal: accepted.existing, advisories: accepted.advisories }
  }
  await deps.failpoint('api.after_commit')
  const signal = await standingAfterEntry(deps, sender, accepted.stored)
  await deps.failpoint('api.after_start')
  return { isNew: true, signal, advisories: request.advisories }
}

/**
 * How a stored signal stands once its entry is settled or the answer is due. Never throws: the signal is
 * accepted, and an error would make its sender send it again.
 */
async function standingAfterEntry(
  { gateway, logger, answerDeadline }: CreateSignalDeps,
  { em, requestId, receivedAt }: SignalSender,
  signal: NewSignal,
): Promise<SignalStanding> {
  const fresh: SignalStanding = { ...signal, orderId: null, statusReason: null, statusDetail: null }
  const log = { requestId, signalId: signal.id }
  const left = Math.max(receivedAt + answerDeadline - performance.now(), SHORTEST_WAIT)
  try {
    const { status, orderId, reason, detail } = await gateway.startAndAwaitEntry(termsOf(signal), left)
    return { ...fresh, status, orderId, statusReason: reason, statusDetail: detail }
  } catch (error) {
    const level = error instanceof GatewayUnavailable ? 'warn' : 'error'
    logger[level]({ ...log, err: error }, 'the entry was not settled before the answer was due')
  }
  try {
    return (await within(LOOK_LIMIT, 'the database', findSignal(em, signal.userId, signal.id))) ?? fresh
  } catch (error) {
    logger.warn({ ...log, err: error }, 'the signal could not be read again')
    return fresh
  }
}
