import { decimal, type Decimal } from '#domain/decimal.ts'
import type { EntityManager } from '../engine/database.ts'
import { Position, Trade } from '../entities/index.ts'
import { given, within, type Filter } from '../engine/filter.ts'
import { newestFirst, sliceOf, type Page, type Slice } from '../engine/page.ts'
import { findRow, findRows } from '../engine/reading.ts'

export type TradeFilter = Filter<
  Pick<Trade, 'accountId' | 'symbol' | 'status' | 'side'> & {
    strategyId: string
    signalId: string
    /** Instants of the first entry: from this one on, and before that one. */
    from: string
    to: string
  }
>

export const TRADE_ORDER = newestFirst('entry_at')

/** A user's trades, the one entered last first. */
export async function listTrades(
  em: EntityManager,
  userId: string,
  { from, to, ...filter }: TradeFilter,
  page: Page,
): Promise<Slice<Trade>> {
  return sliceOf(em, Trade, { ...given(filter), userId, ...within('entryAt', from, to) }, TRADE_ORDER, page)
}

/** A user's trade; null when there is none with this id. */
export async function findTrade(em: EntityManager, userId: string, id: string): Promise<Trade | null> {
  return findRow(em, Trade, { id, userId })
}

/** An open trade, and what a share is worth by now. */
export interface ValuedTrade {
  trade: Trade
  /** Dollars; null as long as the account's broker has not told a price. */
  currentPrice: Decimal | null
}

/** A user's open trades, the one entered last first, at the prices of the last sync. */
export async function listOpenTrades(
  em: EntityManager,
  userId: string,
  filter: Pick<TradeFilter, 'accountId' | 'symbol'>,
  page: Page,
): Promise<Slice<ValuedTrade>> {
  const slice = await listTrades(em, userId, { ...filter, status: 'OPEN' }, page)
  const accounts = [...new Set(slice.items.map(({ accountId }) => accountId))]
  const symbols = [...new Set(slice.items.map(({ symbol }) => symbol))]
  const positions =
    slice.items.length === 0
      ? []
      : await findRows(em, Position, { userId, accountId: { $in: accounts }, symbol: { $in: symbols } })
  const prices = new Map(positions.map((held) => [keyOf(held), decimal(held.currentPrice)]))
  const valued = slice.items.map((trade) => ({ trade, currentPrice: prices.get(keyOf(trade)) ?? null }))
  return { ...slice, items: valued }
}

const keyOf = ({ accountId, symbol }: Pick<Trade, 'accountId' | 'symbol'>): string => `${accountId} ${symbol}`
