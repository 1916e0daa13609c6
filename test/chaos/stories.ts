import type { Stack } from '#test/support/stack.ts'
import type { ChaosReport } from './chaos.ts'

const SIGNAL_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/**
 * What is on record of the signals that violations name: their decisions and timelines, and all orders of their symbols;
 * one line each. Empty without violations.
 */
export async function storiesBehind(stack: Stack, { violations }: ChaosReport): Promise<string> {
  const named = violations.flatMap(({ message }) => message.match(SIGNAL_ID) ?? [])
  if (named.length === 0) return ''
  const ids = `('${[...new Set(named)].join("','")}')`
  const rows = await stack.query<{ line: string }>(
    `select line from (
       select id as signal, '' as at, concat_ws(' ', 'signal', id, source_id, action, quantity, symbol, status,
         status_reason, 'exit', exit_status, exit_reason, decisions) as line
       from signals where id in ${ids}
       union all
       select signal_id, at::text, concat_ws(' ', ' ', at, kind, message) from signal_events where signal_id in ${ids}
       union all
       select null, created_at::text, concat_ws(' ', symbol, client_order_id, side, status, filled_quantity, 'of', quantity,
         'known', known_at, 'filled', filled_at)
       from orders where symbol in (select symbol from signals where id in ${ids})
     ) told order by signal nulls last, at`,
  )
  return rows.map(({ line }) => line).join('\n')
}
