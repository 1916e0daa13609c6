import { compare, decimal } from '#domain/decimal.ts'
import type { OrderReport } from '#domain/order.ts'
import { ENTRY_SIDE, type SignalTerms } from '#domain/signal.ts'
import type { EntityManager } from '../engine/database.ts'
import { Signal } from '../entities/index.ts'
import { termsOf } from './terms.ts'

/** A signal of which the ledger says that no order was placed, and the number that its next exit may have. */
export interface UnplacedSignal {
  terms: SignalTerms
  status: 'rejected' | 'error'
  nextExit: number
}

/**
 * The signal of an entry that was reported refused or not sent, if the order is the one that was decided for it; null for
 * any other. Whoever knows our ids can give an order of their own one of them.
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
    order.side.startsWith('BUY') === ENTRY_SIDE[terms.action].startsWith('BUY') &&
    compare(order.quantity, decimal(row.quantity)) === 0
  return isDecided ? { terms, status: row.status, nextExit: row.next_exit } : null
}

/** Keeps with what a signal goes on that had ended without an order, unless something is kept already. */
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
