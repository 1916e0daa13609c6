import { useQuery } from '@tanstack/react-query'
import type { Alert, Order, Position, Signal } from '#client/types.ts'
import { decimal } from '#domain/decimal.ts'
import { closesShares, plansToClose, uncoveredShares, type HeldShares } from '#domain/uncovered-shares.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { everyPage } from '../connection/every-page.ts'
import { useFresh } from '../connection/fresh.ts'
import { csvOf } from '../parts/csv.ts'
import { useWorkingOrders } from '../orders/list.ts'
import { useOpenAlerts } from '../alerts/list.ts'

/** The positions of all accounts, or of one symbol, kept up to date by the stream. */
export function usePositions(symbol?: string) {
  useFresh(['position', 'account'], ['positions'])
  return useQuery({
    queryKey: ['positions', symbol ?? ''],
    queryFn: async () =>
      (await ask('GET /api/v1/positions', { query: symbol === undefined ? {} : { symbol } })).body,
  })
}

/** What takes a position off again: what is planned, what works, what has no exit, and what is wrong. */
export interface Cover {
  /** Signals whose exit is ahead, the next one first. */
  planned: readonly Signal[]
  /** Orders that work. */
  working: readonly Order[]
  /** Shares that neither closes. */
  uncovered: number
  /** Exits that failed. */
  alarms: readonly Alert[]
}

/** Signals whose exit has sent no order yet. */
function useExitsAhead() {
  useFresh(['signal'], ['signals', 'exits'])
  return useQuery({
    queryKey: ['signals', 'exits'],
    queryFn: () =>
      everyPage(
        (place) =>
          dataOf('GET /api/v1/signals', {
            query: {
              exitStatus: ['waiting', 'scheduled'],
              ...place,
            },
          }),
        ({ signals }) => signals,
        { most: 5_000 },
      ),
  })
}

/** Tells of a position what closes it; undefined until all that it takes is known. */
export function useCovers(): ((position: Position) => Cover) | undefined {
  const exits = useExitsAhead().data
  const orders = useWorkingOrders().data
  const alerts = useOpenAlerts().data
  if (!exits || !orders || !alerts) return undefined
  return (position) => coverOf(position, exits, orders, alerts.alerts)
}

function coverOf(
  position: Position,
  exits: readonly Signal[],
  orders: readonly Order[],
  alerts: readonly Alert[],
): Cover {
  const isHere = ({ accountId, symbol }: { accountId: string | null; symbol: string | null }): boolean =>
    accountId === position.accountId && symbol === position.symbol
  const held: HeldShares = { side: position.side, quantity: decimal(position.quantity) }
  const asPlanned = (signal: Signal) => ({
    action: signal.action,
    filledQuantity: decimal(signal.filledQuantity),
    exitStatus: signal.exit!.status,
  })
  const asOrder = (order: Order) => ({
    side: order.side,
    status: order.status,
    quantity: decimal(order.quantity),
    filledQuantity: decimal(order.filledQuantity),
  })
  const planned = exits.filter(
    (signal) => isHere(signal) && signal.exit !== null && plansToClose(held, asPlanned(signal)),
  )
  const working = orders.filter((order) => isHere(order) && closesShares(held, asOrder(order)))
  return {
    planned: planned.toSorted((a, b) => (a.exit?.submitAt ?? '9').localeCompare(b.exit?.submitAt ?? '9')),
    working,
    uncovered: Number(uncoveredShares(held, planned.map(asPlanned), working.map(asOrder))),
    alarms: alerts.filter((alert) => alert.kind === 'unprotected_position' && isHere(alert)),
  }
}

export const positionsCsv = (positions: readonly Position[]): string =>
  csvOf(
    positions,
    'accountId symbol side quantity avgCost currentPrice marketValue unrealisedPnl unrealisedPnlPercent dayChange lastUpdated',
  )
