import type { EntityManager } from '#db/engine/database.ts'
import { Order, Signal, SignalEvent } from '#db/entities/index.ts'

/** What the ledger holds, read afresh at each call. */

export const signalIn = (em: EntityManager, id: string): Promise<Signal> =>
  em.fork().findOneOrFail(Signal, { id })

export const orderIn = (em: EntityManager, clientOrderId: string): Promise<Order> =>
  em.fork().findOneOrFail(Order, { clientOrderId })

export const ordersOf = (em: EntityManager, signalId: string): Promise<Order[]> =>
  em.fork().find(Order, { signalId }, { orderBy: { clientOrderId: 'asc' } })

/** A signal's timeline, in the order in which it was written. */
export const timelineOf = (em: EntityManager, signalId: string): Promise<SignalEvent[]> =>
  em.fork().find(SignalEvent, { signalId }, { orderBy: { sequence: 'asc' } })
