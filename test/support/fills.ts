import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import type { Execution } from '#domain/order/fill.ts'

/** So many seconds after three o'clock, as fills carry it. */
export const second = (seconds: number): string =>
  new Date(Date.UTC(2026, 2, 2, 15, 0, seconds)).toISOString().replace('Z', '000Z')

/** An execution of one share of AAPL at 100 dollars, of an order of its own unless one is named. */
export const aFill = (fields: Partial<Execution> = {}): Execution => ({
  executionId: randomUUID(),
  brokerOrderId: randomUUID(),
  symbol: 'AAPL',
  side: 'BUY',
  quantity: '1',
  price: '100',
  at: second(0),
  orderFilled: fields.quantity ?? '1',
  ...fields,
})

/** A trade as the ledger holds it, in one line; prices and profits without trailing zeros. */
export async function tradesIn(em: EntityManager, accountId: string): Promise<string[]> {
  const rows = await em.execute<Record<string, string | null>[]>(
    `select status, side, symbol, trim_scale(quantity)::text as quantity, trim_scale(entry_price)::text as entry,
       trim_scale(exit_price)::text as exit, trim_scale(fees)::text as fees, trim_scale(realised_pnl)::text as pnl
     from trades where account_id = ? order by symbol, entry_at, exit_at nulls last, quantity, entry_price, exit_price`,
    [accountId],
  )
  return rows.map(
    ({ status, side, symbol, quantity, entry, exit, fees, pnl }) =>
      `${status} ${side} ${quantity} ${symbol} ${entry}>${exit ?? ''} fees ${fees} pnl ${pnl ?? ''}`,
  )
}
