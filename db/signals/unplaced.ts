import { isEntryOf } from '#domain/entry-order.ts'
import type { OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { Signal } from '../entities/index.ts'
import { exitIn } from './ledger-statement.ts'
import { termsOf } from './terms.ts'

/** A signal without an order according to the ledger, and the number of its next exit. */
export interface UnplacedSignal {
  terms: SignalTerms
  status: 'rejected' | 'error' | 'cancelled'
  nextExit: number
}

/**
 * The signal whose entry was recorded as rejected, not sent or expired, if the order is its entry; null for any other order, and
 * where a person has stopped the signal. Its size may be another than was decided: brokers change orders, people replace them,
 * and the ledger may have been restored to a time before the decision.
 */
export async function findUnplaced(
  em: EntityManager,
  signalId: string,
  order: OrderReport,
): Promise<UnplacedSignal | null> {
  const [row] = await em.execute<{ status: UnplacedSignal['status']; next_exit: number }[]>(
    `select status, exit_generation + 1 as next_exit
     from signals where id = ? and (status in ('rejected', 'error')
         and decisions -> 'entry' ->> 'outcome' in ('ready', 'denied')
       or status = 'cancelled' and status_reason = 'EXPIRED')`,
    [signalId],
  )
  if (!row) return null
  const { status, next_exit: nextExit } = row
  const terms = termsOf(await em.fork().findOneOrFail(Signal, { id: signalId }))
  return isEntryOf(terms, order) ? { terms, status, nextExit } : null
}

/** Stores the state to reopen a signal that ended without an order, unless one is stored already. */
export async function keepReopenState(
  em: EntityManager,
  signalId: string,
  reopenState: object,
): Promise<void> {
  await em.execute(
    `update signals set reopen_state = coalesce(reopen_state, ?::jsonb),
       exit_progress = coalesce(exit_progress, ?::jsonb), updated_at = now() where id = ?`,
    [toStorableJson(reopenState), toStorableJson(exitIn(reopenState)), signalId],
    'run',
  )
}
