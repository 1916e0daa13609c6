import type { Decimal } from '#domain/decimal.ts'
import { isPositive } from '#domain/decimal.ts'
import { differenceInWords, unseenShares, type Shown } from '#domain/shown-position.ts'
import type { EntityManager } from '../engine/database.ts'
import { readSymbolBook } from '../orders/symbol-book.ts'

/** A position that our executions know of, and of which the broker shows nothing or less. */
export interface UnseenPosition {
  symbol: string
  side: 'LONG' | 'SHORT'
  /** Shares, by our executions. */
  quantity: Decimal
  /** The shown and the known shares, in words. */
  detail: string
}

/**
 * The positions of an account that our executions know of and the broker does not show, or not all of, although no order of ours
 * explains that. Where the broker shows the other side, that counts.
 *
 * @param symbol null for every symbol in which anything may be held
 * @param shown what the broker shows now
 */
export async function unseenPositions(
  em: EntityManager,
  accountId: string,
  symbol: string | null,
  shown: readonly (NonNullable<Shown> & { symbol: string })[],
): Promise<UnseenPosition[]> {
  const symbols = symbol === null ? await symbolsHeld(em, accountId) : [symbol]
  const found: UnseenPosition[] = []
  for (const each of symbols) {
    const book = await readSymbolBook(em, accountId, each)
    const position = shown.find((one) => one.symbol === each) ?? null
    const { side, quantity } = book.shares
    if (side === null || (position !== null && position.side !== side)) continue
    if (isPositive(unseenShares(book, position)))
      found.push({ symbol: each, side, quantity, detail: differenceInWords(book, position, each) })
  }
  return found
}

/** The symbols in which shares may be held by our executions. A known fill counts before its broker lists the execution. */
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
