import { workflowIdFor } from '#domain/signal/signal.ts'
import { toStoredText } from '#test/histories/stored-history.ts'
import type { Stack } from '#test/support/stack.ts'
import type { ChaosReport } from './chaos.ts'

const SIGNAL_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/**
 * What is on record of the signals that violations name, one line each: their decisions and timelines. Of their symbols all
 * orders, with the shares that were set apart for closes; the sizes of all exits, with what they were worked out from; and
 * all executions, with when each became known. Empty without violations.
 */
export async function storiesBehind(
  stack: Pick<Stack, 'query'>,
  { violations }: Pick<ChaosReport, 'violations'>,
): Promise<string> {
  const named = violations.flatMap(({ message }) => message.match(SIGNAL_ID) ?? [])
  if (named.length === 0) return ''
  const ids = `('${[...new Set(named)].join("','")}')`
  const rows = await stack.query<{ line: string }>(
    `with shared as (select distinct account_id, symbol from signals where id in ${ids})
     select line from (
       select 1 as part, id::text as story, '' as at, concat_ws(' ', 'signal', id, source_id, action, quantity, symbol, status,
         status_reason, 'exit', exit_status, exit_reason, decisions) as line
       from signals where id in ${ids}
       union all
       select 1, signal_id::text, at::text, concat_ws(' ', ' ', at, kind, message) from signal_events where signal_id in ${ids}
       union all
       select 2, shared.symbol, o.created_at::text, concat_ws(' ', 'order', shared.symbol, client_order_id, o.side, o.status,
         o.filled_quantity, 'of', o.quantity, 'checked', s.checked_at, 'sent', o.sent_at, 'known', o.known_at,
         'filled', o.filled_at, 'cancelled for', o.cancelled_for,
         'reservedLots', case when o.role <> 'exit' then s.decisions -> 'entry' -> 'reservedLots' end)
       from orders o join shared using (account_id, symbol)
       join signals s on s.id = o.signal_id
       union all
       select 3, shared.symbol, value ->> 'basis', concat_ws(' ', 'size', shared.symbol, s.id || '-x' || substring(key from 6),
         value ->> 'quantity', 'covers', value ->> 'coversQuantity', 'from', value ->> 'basis')
       from signals s join shared using (account_id, symbol), jsonb_each(s.decisions) where key like 'exit-%'
       union all
       select 4, shared.symbol, f.at::text, concat_ws(' ', 'fill', shared.symbol, f.at, f.side, f.quantity, 'making', f.order_filled,
         'of', coalesce(o.client_order_id, f.broker_order_id, 'shares held before'), 'recorded', f.recorded_at)
       from fills f join shared using (account_id, symbol)
       left join orders o on o.account_id = f.account_id and o.broker_order_id = f.broker_order_id
     ) told order by part, story, at`,
  )
  return rows.map(({ line }) => line).join('\n')
}

/** The histories of workflows that still run, by the ids of their signals. */
export async function openHistories(
  stack: Stack,
  { evidence }: Pick<ChaosReport, 'evidence'>,
): Promise<Map<string, string>> {
  const client = await stack.temporal()
  const histories = new Map<string, string>()
  for (const { signalId } of evidence.workflows.filter(({ status }) => status === 'RUNNING'))
    histories.set(
      signalId,
      toStoredText(await client.workflow.getHandle(workflowIdFor(signalId)).fetchHistory()),
    )
  return histories
}
