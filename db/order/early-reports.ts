import { isPositive } from '#domain/money/decimal.ts'
import { executionSide, isTerminal, type OrderReport, type OrderRole } from '#domain/order/order.ts'
import { acknowledgedEntry, progressEntry } from '#domain/signal/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { toStorableJson } from '../engine/json.ts'
import { LEAVING } from '../engine/query.ts'
import { noEarlierThanFirst } from './decisions.ts'
import { asFirstReported, hasProgress, orderInsert } from './order-rows.ts'

/**
 * Inserts an order reported before its acceptance; without progress if replaced or ended incomplete, which the caller
 * merges. Null then, and for known or foreign orders.
 */
export async function placeHeard(
  em: EntityManager,
  accountId: string,
  { signalId, role }: { signalId: string; role: OrderRole },
  report: OrderReport,
): Promise<{ orderId: string; isReportedByAcceptance: boolean } | null> {
  const isWhole =
    !report.links && (isPositive(report.filledQuantity) ? !isUnfilledEnd(report) : !isTerminal(report.status))
  const first = isWhole ? report : asFirstReported(report)
  const { sql, parameters } = orderInsert(first, 'held')
  const isFurther = hasProgress(first)
  const entries = [acknowledgedEntry(report), ...(isFurther ? [progressEntry(first, first.submittedAt)] : [])]
  const [placed] = await em.execute<{ id: string; to_be_accepted: boolean }[]>(
    `with held as materialized (
       select id, user_id, account_id, time_in_force, expires_at, status from signals
       where id = ? and account_id = ? and symbol = ? and (?::text = 'exit' or ${MAY_TRADE_ON} ?) for no key update),
     placed as (${sql} returning id, signal_id, role),
     ${
       isFurther
         ? `mirrored as (
       update signals set filled_quantity = ?, avg_fill_price = ?, updated_at = now()
         ${isTerminal(first.status) ? ', entry_ended_at = coalesce(entry_ended_at, now())' : ''}
       from placed where signals.id = placed.signal_id and placed.role <> 'exit' returning signals.id),`
         : ''
     }
     ${entries
       .map(
         (_, at) => `told${at} as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select signal_id, ?, ?, ${noEarlierThanFirst('placed.signal_id')}, ?, ?::jsonb from placed
       ${at > 0 ? 'where (select count(*) from told0) >= 0' : ''}
       on conflict (signal_id, key) do nothing returning key)`,
       )
       .join(', ')}
     select merged.id, ${TO_BE_ACCEPTED} as to_be_accepted from placed merged, held`,
    [
      signalId,
      accountId,
      report.symbol,
      role,
      executionSide(report.side),
      ...parameters,
      ...(isFurther ? [first.filledQuantity, first.avgFillPrice] : []),
      ...entries.flatMap(({ key, kind, at, message, data }) => [
        key,
        kind,
        at,
        message,
        toStorableJson(data ?? null),
      ]),
    ],
  )
  return placed && isWhole ? { orderId: placed.id, isReportedByAcceptance: placed.to_be_accepted } : null
}

/** A GTD order may expire by the ledger's date. */
const isUnfilledEnd = ({ status }: OrderReport): boolean => isTerminal(status) && status !== 'FILLED'

/** SQL condition on signal `held` and order `merged`: the workflow has yet to record the acceptance. */
export const TO_BE_ACCEPTED = `(merged.role <> 'exit' and held.status in ${LEAVING})`

/** As `isEntryOf`: an undecided target may trade on either side. */
const MAY_TRADE_ON = `target is not null or case when action in ('openLong', 'closeShort') then 'BUY' else 'SELL' end =`

/** Frees the sourceId after a foreign order under the entry's id. */
export async function freeSource(em: EntityManager, accountId: string, signalId: string): Promise<void> {
  await em.execute(
    'update signals set may_have_order = false where id = ? and account_id = ? and may_have_order',
    [signalId, accountId],
  )
}
