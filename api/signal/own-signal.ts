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
  /** In the name of the service. */
  database: Database
  background: Background
  gateway: SignalGateway
  logger: Logger
  /** Milliseconds from its arrival within which a request is answered. */
  answerDeadline: number
  /** Milliseconds after its acceptance or approval in which an immediate signal may still be sent. */
  signalTtl: number
  /** Milliseconds since the epoch by PostgreSQL's clock; by that of the process when left out. */
  now?: () => number
  /** Signals of one account that may wait for a decision or for their time. */
  maxWaiting: number
}

/** What it takes to accept a signal. */
export type AcceptanceDeps = Pick<
  SignalDeps,
  'answerDeadline' | 'logger' | 'signalTtl' | 'now' | 'maxWaiting'
> & {
  database: { em: EntityManager }
  background: Pick<Background, 'run'>
  gateway: Pick<SignalGateway, 'replace'>
  failpoint: Failpoint
}

/** Another's is answered like an absent one. */
export async function ownSignal(caller: Caller, id: string): Promise<Signal> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const signal = await inTime(findSignal(em, principal.userId, id))
  if (!signal) throw new ApiError('SIGNAL_NOT_FOUND')
  caller.noteSignal(signal.id)
  return signal
}

/** As {@link ownSignal}. A manual order is changed and cancelled by its order, for which a token needs another scope. */
export async function ownSignalToChange(caller: Caller, id: string): Promise<Signal> {
  const signal = await ownSignal(caller, id)
  if (signal.ask == null) return signal
  throw new ApiError('SIGNAL_NOT_FOUND', {
    message: `The signal is a manual order: cancel ${orderByHandId(id)} by DELETE /api/v1/orders`,
  })
}
