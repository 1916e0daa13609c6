import { nameActor } from '#db/identity/actor-names.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Logger } from 'pino'
import type { Principal } from '../http/principal.ts'
import { principalOf, type ApiContext } from '../http/context.ts'
import { beforeDatabaseDeadline } from '../http/database-deadline.ts'
import type { SignalGateway } from '../temporal/signals.ts'

/** What the commands about signals work with. */
export interface SignalDeps {
  gateway: SignalGateway
  logger: Logger
  /** How long after its arrival a request is answered, in milliseconds. */
  answerDeadline: number
  /** How long after its acceptance or approval an immediate signal may still be sent, in milliseconds. */
  maxStaleness: number
  /** Signals of one account that may wait for a decision or for their time. */
  maxWaiting: number
}

/** The request that a command came with, as far as commands need it. */
export interface Sender {
  em: EntityManager
  principal: Principal
  requestId: string
  /** Milliseconds of `performance.now()`. */
  receivedAt: number
  /** Bounds database work without which there is no answer. */
  beforeDatabaseDeadline: <T>(work: Promise<T>) => Promise<T>
}

export const senderOf = (ctx: ApiContext): Sender => ({
  em: ctx.state.em,
  principal: principalOf(ctx),
  requestId: ctx.state.requestId,
  receivedAt: ctx.state.receivedAt,
  beforeDatabaseDeadline: <T>(work: Promise<T>) => beforeDatabaseDeadline(ctx, work),
})

/** Who decides, as the timeline shows it. */
export const actorOf = ({ em, principal, beforeDatabaseDeadline }: Sender): Promise<string> =>
  beforeDatabaseDeadline(nameActor(em, principal.userId, principal.tokenId))

/** Somebody who decides on signals that are stored. */
export interface Decider extends Sender {
  /** As the timeline shows them. */
  by: string
}

export async function deciderOf(ctx: ApiContext): Promise<Decider> {
  const sender = senderOf(ctx)
  return { ...sender, by: await actorOf(sender) }
}

/** Even a late request gives the workflow engine this long, in milliseconds. */
const MIN_WAIT = 50

/** Milliseconds that are left for the workflow engine until the request is to be answered. */
export const timeLeft = (
  { receivedAt }: Sender,
  { answerDeadline }: Pick<SignalDeps, 'answerDeadline'>,
): number => Math.max(receivedAt + answerDeadline - performance.now(), MIN_WAIT)
