import { compare, decimal } from '#domain/decimal.ts'
import { isEntryOf } from '#domain/entry-order.ts'
import type { OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { EntityManager } from '../engine/database.ts'
import { Signal } from '../entities/index.ts'
import { termsOf } from './terms.ts'

/** A signal without an order according to the ledger, and the number of its next exit. */
export interface UnplacedSignal {
  terms: SignalTerms
  status: 'rejected' | 'error' | 'cancelled'
  nextExit: number
}

/**
 * The signal whose entry was recorded as rejected, not sent or expired, if the order is its entry; null for any other order, and
 * where a person has stopped the signal. A person who knows our ids could give one to an order placed elsewhere: of an entry
 * that was decided to be sent, the size tells. Of one that was denied, or has expired, it does not: the decision under which its
 * order was sent was lost, as with a restoration of the ledger, and what was decided since was without knowledge of the order.
 */
export async function findUnplaced(
  em: EntityManager,
  signalId: string,
  order: OrderReport,
): Promise<UnplacedSignal | null> {
  const [row] = await em.execute<
    { status: UnplacedSignal['status']; quantity: string | null; next_exit: number }[]
  >(
    `select status, decisions -> 'entry' ->> 'quantity' as quantity, exit_generation + 1 as next_exit
     from signals where id = ? and (status in ('rejected', 'error')
         and decisions -> 'entry' ->> 'outcome' in ('ready', 'denied')
       or status = 'cancelled' and status_reason = 'EXPIRED')`,
    [signalId],
  )
  if (!row) return null
  const { status, quantity, next_exit: nextExit } = row
  const terms = termsOf(await em.fork().findOneOrFail(Signal, { id: signalId }))
  const isItsSize = quantity === null || compare(order.quantity, decimal(quantity)) === 0
  return isItsSize && isEntryOf(terms, order) ? { terms, status, nextExit } : null
}

/** Stores the state to reopen a signal that ended without an order, unless one is stored already. */
export async function keepReopenState(
  em: EntityManager,
  signalId: string,
  reopenState: object,
): Promise<void> {
  await em.execute(
    'update signals set reopen_state = coalesce(reopen_state, ?::jsonb), updated_at = now() where id = ?',
    [JSON.stringify(reopenState), signalId],
    'run',
  )
}
