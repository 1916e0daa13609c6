import type { Decimal } from '#domain/money/decimal.ts'
import { isPositive } from '#domain/money/decimal.ts'
import { differenceInWords, unseenShares, type Shown } from '#domain/position/symbol-state.ts'
import type { EntityManager } from '../engine/database.ts'
import { readSymbolState } from './symbol-state.ts'

export interface UnseenPosition {
  symbol: string
  side: 'LONG' | 'SHORT'
  quantity: Decimal
  detail: string
}

/** Executed positions that neither the broker shows nor our orders explain. `symbol` null: all. */
export async function unseenPositions(
  em: EntityManager,
  accountId: string,
  symbol: string | null,
  shown: readonly (NonNullable<Shown> & { symbol: string })[],
): Promise<UnseenPosition[]> {
  const symbols = symbol === null ? await symbolsHeld(em, accountId) : [symbol]
  const found: UnseenPosition[] = []
  for (const each of symbols) {
    const symbolState = await readSymbolState(em, accountId, each)
    const position = shown.find((one) => one.symbol === each) ?? null
    const { side, quantity } = symbolState.shares
    if (side === null || (position !== null && position.side !== side)) continue
    if (isPositive(unseenShares(symbolState, position)))
      found.push({ symbol: each, side, quantity, detail: differenceInWords(symbolState, position, each) })
  }
  return found
}

async function symbolsHeld(em: EntityManager, accountId: string): Promise<string[]> {
  const rows = await em.execute<{ symbol: string }[]>(
    `select symbol from trades where account_id = ? and status = 'OPEN'
     union
     select o.symbol from orders o where o.account_id = ? and o.filled_at > now() - interval '1 day'
       and o.filled_quantity > (
         select coalesce(sum(f.quantity), 0) from order_broker_ids b join fills f using (account_id, broker_order_id)
         where b.order_id = o.id)
     order by symbol`,
    [accountId, accountId],
  )
  return rows.map(({ symbol }) => symbol)
}
