import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import { addDays, localToInstant } from '#domain/time/wall-time.ts'
import type { EntityManager } from '../engine/database.ts'
import { Position, Trade } from '../entities/index.ts'
import { given, ofSymbols, within, type Filter } from '../engine/filter.ts'
import { newestFirst, orderedBy, sliceOf, type ListOrder, type Page, type Slice } from '../engine/page.ts'
import { queryRows } from '../engine/row-security.ts'
import { findRow, findRows, selectOf } from '../engine/reading.ts'
import type { TRADE_SORTS } from '#domain/signal/list-choices.ts'

export type TradeFilter = Filter<
  Pick<Trade, 'accountId' | 'symbol' | 'status' | 'side'> & {
    strategyId: string
    signalId: string
    /** First entry from `from`, before `to`. */
    from: string
    to: string
    /** Exchange days of closing, both included. */
    closedFrom: string
    closedTo: string
  }
>

export const TRADE_ORDER = newestFirst('entry_at')
/** Open trades lack closing, result and percentage, and are omitted there. */
interface TradeSorting {
  sort: (typeof TRADE_SORTS)[number]
  direction: ListOrder['direction']
}

/** A later fee may change a result: paging then may skip or repeat the trade. */
const SORT_COLUMNS = {
  entryAt: { name: 'entry_at', type: 'timestamptz' },
  exitAt: { name: 'exit_at', type: 'timestamptz' },
  realisedPnl: { name: 'realised_pnl', type: 'numeric' },
  realisedPnlPercent: { name: 'realised_pnl_percent', type: 'numeric' },
  symbol: { name: 'symbol', type: 'text' },
} as const satisfies Record<TradeSorting['sort'], ListOrder['columns'][number]>

export const tradeOrder = ({ sort, direction }: TradeSorting): ListOrder =>
  orderedBy(SORT_COLUMNS[sort].name, SORT_COLUMNS[sort].type, direction)

export async function listTrades(
  em: EntityManager,
  userId: string,
  { sort = 'entryAt', direction = 'desc', ...filter }: TradeFilter & Partial<TradeSorting>,
  page: Page,
): Promise<Slice<Trade>> {
  return sliceOf(
    em,
    Trade,
    { ...conditions(userId, filter), ...havingSorted(sort) },
    tradeOrder({ sort, direction }),
    page,
  )
}

/** The status is for an index. */
const havingSorted = (sort: TradeSorting['sort']) => {
  if (sort === 'entryAt' || sort === 'symbol') return {}
  const isClosed = { status: 'CLOSED' } as const
  return { $and: sort === 'realisedPnlPercent' ? [isClosed, { [sort]: { $ne: null } }] : [isClosed] }
}

const conditions = (userId: string, { symbol, from, to, closedFrom, closedTo, ...filter }: TradeFilter) => ({
  ...given(filter),
  ...ofSymbols(symbol),
  userId,
  ...within('entryAt', from, to),
  ...within('exitAt', closedFrom && midnightOf(closedFrom), closedTo && midnightOf(addDays(closedTo, 1))),
})

const midnightOf = (day: string): string => localToInstant(`${day}T00:00`, NYSE_ZONE)

export interface TradeTotals {
  trades: number
  open: number
  wins: number
  /** Closed trades, after fees. */
  realisedPnl: Decimal
  fees: Decimal
}

export async function sumTrades(
  em: EntityManager,
  userId: string,
  filter: TradeFilter,
): Promise<TradeTotals> {
  const { sql, parameters } = selectOf(em, Trade, conditions(userId, filter))
  const [row] = await queryRows<TradeTotals>(
    em,
    `select count(*)::int as trades, (count(*) filter (where status = 'OPEN'))::int as open,
       (count(*) filter (where realised_pnl > 0))::int as wins,
       coalesce(sum(realised_pnl), 0)::text as "realisedPnl", coalesce(sum(fees), 0)::text as fees
     from (${sql}) t`,
    parameters,
  )
  return row!
}

export async function findTrade(em: EntityManager, userId: string, id: string): Promise<Trade | null> {
  return findRow(em, Trade, { id, userId })
}

export interface ValuedTrade {
  trade: Trade
  /** Dollars a share; null until the broker reports one. */
  currentPrice: Decimal | null
}

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
