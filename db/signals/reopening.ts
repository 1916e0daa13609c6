import type { AlertNotice } from '#domain/alert.ts'
import { reopenedEntry } from '#domain/timeline.ts'
import type { AcknowledgedEnd } from '#domain/order.ts'
import { UNLESS_OPEN } from '../risk/alerts.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'

export async function readReopenState<T>(em: EntityManager, signalId: string): Promise<T | null> {
  const [row] = await em.execute<{ reopen_state: T | null }[]>(
    'select reopen_state from signals where id = ?',
    [signalId],
  )
  return row?.reopen_state ?? null
}

/** SQL condition on `signals`: the saved state has all fills. Of two runs for one fill the first may have ended. */
const COUNTS_ALL_FILLS = `exists (
  select from jsonb_array_elements(coalesce(reopen_state #> '{resumeState,reports}', '[]')) as known,
    orders o
  where o.client_order_id = signals.id || '-e1' and known #>> '{report,clientOrderId}' = o.client_order_id
    and o.filled_quantity <= (known #>> '{report,filledQuantity}')::numeric)`

/** For the run `by` and its repetitions; null for another run: two with the same state would send the same exits. */
export async function reopenSignal<T>(
  em: EntityManager,
  signalId: string,
  at: string,
  by: string,
): Promise<T | null> {
  const notice: AlertNotice = {
    kind: 'fill_after_end',
    message: 'The broker reported a fill after the signal had ended; an exit for it follows',
    data: {},
  }
  const { key, kind, message } = reopenedEntry(at, 1)
  const [row] = await em.execute<{ resumeState: T }[]>(
    `with held as materialized (
       select id as held_id, reopened_by is null as is_new from signals
       where id = ? and reopen_state is not null
         and (reopened_by is null and not ${COUNTS_ALL_FILLS} or reopened_by = ?) for no key update),
     reopened as (
       update signals set reopened_by = ?, updated_at = now() from held where id = held_id
       returning id, user_id, account_id, closings, reopen_state, is_new),
     raised as (
       insert into alerts (user_id, account_id, signal_id, kind, message, data)
       select user_id, account_id, id, ?, ?, ?::jsonb from reopened where is_new ${UNLESS_OPEN} returning id),
     told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select id, ? || case when closings = 1 then '' else '-' || closings end, ?, ?::timestamptz, ?, 'null'::jsonb
       from reopened on conflict (signal_id, key) do nothing returning key)
     select reopen_state -> 'resumeState' as "resumeState" from reopened`,
    [signalId, by, by, notice.kind, notice.message, toStorableJson(notice.data), key, kind, at, message],
  )
  return row?.resumeState ?? null
}

/** For an order without a workflow. Not when it has filled further; the alert is in the same statement. */
export async function acknowledgeUnfollowed(
  em: EntityManager,
  { clientOrderId, filledQuantity }: AcknowledgedEnd,
  notice: AlertNotice | null,
): Promise<void> {
  const acknowledging = `update orders set end_acknowledged_at = now()
    where client_order_id = ? and end_acknowledged_at is null and filled_quantity <= ?::numeric
    returning user_id, account_id, signal_id, case when signal_id is null then id end as order_id`
  if (notice === null) {
    await em.execute(acknowledging, [clientOrderId, filledQuantity])
    return
  }
  await em.execute(
    `with acknowledged as (${acknowledging})
     insert into alerts (user_id, account_id, signal_id, order_id, kind, message, data)
     select user_id, account_id, signal_id, order_id, ?, ?, ?::jsonb from acknowledged ${UNLESS_OPEN}`,
    [clientOrderId, filledQuantity, notice.kind, notice.message, toStorableJson(notice.data)],
  )
}
