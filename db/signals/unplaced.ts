import { compare, decimal } from '#domain/decimal.ts'
import { executionSide, type OrderReport } from '#domain/order.ts'
import { ENTRY_SIDE, type SignalTerms } from '#domain/signal.ts'
import type { EntityManager } from '../engine/database.ts'
import { Signal } from '../entities/index.ts'
import { termsOf } from './terms.ts'

/** A signal without an order according to the ledger, and the number of its next exit. */
export interface UnplacedSignal {
  terms: SignalTerms
  status: 'rejected' | 'error'
  nextExit: number
}

/**
 * The signal whose entry was recorded as rejected or not sent, if the order is the one that was decided for it; null for
 * any other order. A person who knows our ids could give one to an order placed elsewhere.
 */
export async function findUnplaced(
  em: EntityManager,
  signalId: string,
  order: Pick<OrderReport, 'symbol' | 'side' | 'quantity'>,
): Promise<UnplacedSignal | null> {
  const [row] = await em.execute<
    { status: 'rejected' | 'error'; quantity: string | null; next_exit: number }[]
  >(
    `select status, decisions -> 'entry' ->> 'quantity' as quantity, exit_generation + 1 as next_exit
     from signals where id = ? and status in ('rejected', 'error') and decisions -> 'entry' ->> 'outcome' = 'ready'`,
    [signalId],
  )
  if (!row || row.quantity === null) return null
  const terms = termsOf(await em.fork().findOneOrFail(Signal, { id: signalId }))
  const isDecided =
    order.symbol === terms.symbol &&
    // A broker may not tell a short sale from a sale.
    executionSide(order.side) === executionSide(ENTRY_SIDE[terms.action]) &&
    compare(order.quantity, decimal(row.quantity)) === 0
  return isDecided ? { terms, status: row.status, nextExit: row.next_exit } : null
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
