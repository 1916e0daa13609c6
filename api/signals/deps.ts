import type { Database } from '#db/engine/database.ts'
import type { Logger } from 'pino'
import type { Background } from '../http/background.ts'
import type { SignalGateway } from '../temporal/signals.ts'

/** The parts with which the commands about signals work. */
export interface SignalDeps {
  /** In the name of the service. */
  database: Database
  background: Background
  gateway: SignalGateway
  logger: Logger
  /** How long after its arrival a request is answered, in milliseconds. */
  answerDeadline: number
  /** How long after its acceptance or approval an immediate signal may still be sent, in milliseconds. */
  maxStaleness: number
  /** The time by PostgreSQL's clock, in milliseconds since the epoch; by that of the process when left out. */
  now?: () => number
  /** Signals of one account that may wait for a decision or for their time. */
  maxWaiting: number
}
