import type { Database, EntityManager } from '#db/engine/database.ts'
import type { Logger } from 'pino'
import type { Background } from '../http/background.ts'
import type { Failpoint } from '../http/failpoint.ts'
import type { SignalGateway } from '../temporal/calls.ts'
import type { Signal } from '#db/entities/index.ts'
import { orderByHandId } from '#db/order/by-hand.ts'
import { findSignal } from '#db/signal/signals.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'

export interface SignalDeps {
  /** Used on behalf of the service. */
  database: Database
  background: Background
  gateway: SignalGateway
  logger: Logger
  /** Milliseconds from arrival. */
  answerDeadline: number
  /** Milliseconds after acceptance or approval to send a signal. */
  signalTtl: number
  /** Milliseconds by PostgreSQL's clock; absent: the process's. */
  now?: () => number
  /** Limit of an account's waiting signals. */
  maxWaiting: number
}

export type AcceptanceDeps = Pick<
  SignalDeps,
  'answerDeadline' | 'logger' | 'signalTtl' | 'now' | 'maxWaiting'
> & {
  database: { em: EntityManager }
  background: Pick<Background, 'run'>
  gateway: Pick<SignalGateway, 'replace'>
  failpoint: Failpoint
}

/** Another user's signal counts as absent. */
export async function ownSignal(caller: Caller, id: string): Promise<Signal> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const signal = await inTime(findSignal(em, principal.userId, id))
  if (!signal) throw new ApiError('SIGNAL_NOT_FOUND')
  caller.noteSignal(signal.id)
  return signal
}

/** As {@link ownSignal}. Manual orders need another scope. */
export async function ownSignalToChange(caller: Caller, id: string): Promise<Signal> {
  const signal = await ownSignal(caller, id)
  if (signal.ask == null) return signal
  throw new ApiError('SIGNAL_NOT_FOUND', {
    message: `The signal is a manual order: cancel ${orderByHandId(id)} by DELETE /api/v1/orders`,
  })
}
