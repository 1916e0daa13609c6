import { isEntryOf } from '#domain/entry-order.ts'
import type { OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { Signal } from '../entities/index.ts'
import { exitIn } from './ledger-statement.ts'
import { termsOf } from './terms.ts'

export interface UnplacedSignal {
  terms: SignalTerms
  status: 'rejected' | 'error' | 'cancelled'
  nextExit: number
}

/** Null unless its signal's entry ended without an order; the size may differ from the decision's. */
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

/** For a signal that ended without an order; a stored state stays. */
export async function keepReopenState(
  em: EntityManager,
  signalId: string,
  reopenState: object,
): Promise<void> {
  await em.execute(
    `update signals set reopen_state = coalesce(reopen_state, ?::jsonb),
       exit_progress = coalesce(exit_progress, ?::jsonb), updated_at = now() where id = ?`,
    [toStorableJson(reopenState), toStorableJson(exitIn(reopenState)), signalId],
  )
}
