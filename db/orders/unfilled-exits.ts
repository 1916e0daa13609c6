import type { WorkingExit } from '#domain/broker-news.ts'
import { decimal, type Decimal } from '#domain/decimal.ts'
import type { EntityManager } from '../engine/database.ts'
import { toStorableJson } from '../engine/json.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'
import { WORKING } from '../engine/status-lists.ts'

/** SQL condition on orders `o` of signals `s`: an exit at the broker that fills at once, whatever it is for. */
const IS_DUE_TO_FILL = `o.role = 'exit' and o.status in ${WORKING} and o.broker_order_id is not null
  and o.order_type = 'market' and o.time_in_force not in ('cls', 'opg')`

/** The same of a stop with a limit, whatever it is for, beyond whose limit the watched price is. */
const IS_PASSED_OVER = `o.role = 'exit' and o.status in ${WORKING} and o.broker_order_id is not null and exists (
    select from protections p
    where p.signal_id = s.id and p.ended_at is null and case p.side
      when 'LONG' then p.price < case o.order_type when 'stopLimit' then o.limit_price else o.stop_limit_price end
      else p.price > case o.order_type when 'stopLimit' then o.limit_price else o.stop_limit_price end end)`

type Submitted = WorkingExit & { signalId: string; submittedAt: string }

export const exitsAtMarket = (em: EntityManager, accountId: string): Promise<Submitted[]> =>
  workingExits(em, accountId, IS_DUE_TO_FILL)

export const stopsPassedOver = (em: EntityManager, accountId: string): Promise<Submitted[]> =>
  workingExits(em, accountId, IS_PASSED_OVER)

async function workingExits(em: EntityManager, accountId: string, condition: string): Promise<Submitted[]> {
  const rows = await em.execute<
    (Omit<WorkingExit, 'quantity' | 'filledQuantity'> & {
      signalId: string
      quantity: Decimal
      filled: Decimal
      submitted_at: StoredInstant
    })[]
  >(
    `select o.signal_id as "signalId", o.client_order_id as "clientOrderId", o.symbol, o.side, o.quantity::text,
       o.filled_quantity::text as filled, o.submitted_at
     from orders o join signals s on s.id = o.signal_id
     where o.account_id = ? and ${condition} order by o.submitted_at`,
    [accountId],
  )
  return rows.map(({ filled, submitted_at: submittedAt, ...exit }) => ({
    ...exit,
    quantity: decimal(exit.quantity),
    filledQuantity: decimal(filled),
    submittedAt: instantOf(submittedAt),
  }))
}

export async function endUnfilledExits(em: EntityManager, accountId: string): Promise<void> {
  await em.execute(
    `update alerts set resolved_at = now()
     where account_id = ? and kind = 'exit_unfilled' and resolved_at is null and not exists (
       select from orders o join signals s on s.id = o.signal_id
       where o.signal_id = alerts.signal_id and (${IS_DUE_TO_FILL} or ${IS_PASSED_OVER}))`,
    [accountId],
  )
}

/** Signals whose exit order works in a symbol in which fills were amended, or filled a moment ago by no order of ours. */
export async function exitsBesideFills(
  em: EntityManager,
  accountId: string,
  amended: readonly string[],
): Promise<string[]> {
  const rows = await em.execute<{ signalId: string }[]>(
    `select distinct o.signal_id as "signalId" from orders o
     where o.account_id = ? and o.role = 'exit' and o.status in ${WORKING} and (o.symbol in (select jsonb_array_elements_text(?::jsonb)) or o.symbol in (
       select f.symbol from fills f
       where f.account_id = o.account_id and f.order_id is null and f.recorded_at > now() - interval '1 minute'))`,
    [accountId, toStorableJson(amended)],
  )
  return rows.map(({ signalId }) => signalId)
}
