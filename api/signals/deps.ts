import type { Database, EntityManager } from '#db/engine/database.ts'
import type { Logger } from 'pino'
import type { Background } from '../http/background.ts'
import type { Failpoint } from '../http/failpoint.ts'
import type { SignalGateway } from '../temporal/signals.ts'

export interface SignalDeps {
  /** In the name of the service. */
  database: Database
  background: Background
  gateway: SignalGateway
  logger: Logger
  /** Milliseconds from its arrival within which a request is answered. */
  answerDeadline: number
  /** Milliseconds after its acceptance or approval in which an immediate signal may still be sent. */
  maxStaleness: number
  /** Milliseconds since the epoch by PostgreSQL's clock; by that of the process when left out. */
  now?: () => number
  /** Signals of one account that may wait for a decision or for their time. */
  maxWaiting: number
}

/** What it takes to accept a signal. */
export type AcceptanceDeps = Pick<
  SignalDeps,
  'answerDeadline' | 'logger' | 'maxStaleness' | 'now' | 'maxWaiting'
> & {
  database: { em: EntityManager }
  background: Pick<Background, 'run'>
  gateway: Pick<SignalGateway, 'replace'>
  failpoint: Failpoint
}
