import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Alert, Order, Position, Signal } from '#client/types.ts'
import { decimal } from '#domain/money/decimal.ts'
import { haltAgainst } from '#domain/risk/halt.ts'
import { ENTRY_SIDE, isOpening } from '#domain/signal/signal.ts'
import { closesShares, willClose, uncoveredShares, type HeldShares } from '#domain/position/ownership.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { everyPage } from '../connection/every-page.ts'
import { useStore } from '../connection/store.ts'
import { csvOf } from '../parts/csv.ts'
import { useWorkingOrders } from '../order/list.ts'
import { useOpenAlerts } from '../alert/list.ts'
import { atLivePrice, listed, withPositions, type Positions } from '../records/at-prices.ts'
import { CLOSING, useHalts } from '../records/halts.ts'
import { livePrices, summedPositions } from '../records/live-prices.ts'
import type { Halt } from '../words/halts.ts'

/** Positions of all accounts, or of one symbol, at live prices. */
export function usePositions(symbol?: string) {
  const prices = useStore(livePrices)
  return useReportedPositions(
    symbol,
    useCallback(
      (told: Positions) =>
        withPositions(
          told,
          told.positions.map((position) => atLivePrice(position, prices)),
        ),
      [prices],
    ),
  )
}

/** The positions at the prices of the broker's last answer. */
const useReportedPositions = (symbol?: string, select?: (told: Positions) => Positions) =>
  useQuery({
    queryKey: ['positions', symbol ?? ''],
    queryFn: async () =>
      listed((await ask('GET /api/v1/positions', { query: symbol === undefined ? {} : { symbol } })).body),
    ...(select && { select }),
  })

/** Positions within the accounts' sums, at their prices. */
export function useSummedPositions(): readonly Position[] {
  const summed = useStore(summedPositions)
  const told = useReportedPositions().data?.positions ?? []
  return summed ?? told
}

export interface Cover {
  /** Signals with an exit ahead, soonest first. */
  planned: readonly Signal[]
  /** Signals that close the position at their time, soonest first. */
  scheduled: readonly Signal[]
  working: readonly Order[]
  /** Shares that neither signals nor orders close. */
  uncovered: number
  /** Alerts of failed exits. */
  alarms: readonly Alert[]
  /** The halt that stops the exits; null for none. */
  heldBy: Halt | null
}

/** Signals whose exit has sent no order yet. */
function useExitsAhead() {
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

/** Signals that close a position at the time that a person has set. */
function useClosesAhead() {
  return useQuery({
    queryKey: ['signals', 'closes'],
    queryFn: () =>
      everyPage(
        (place) => dataOf('GET /api/v1/signals', { query: { status: ['scheduled'], ...place } }),
        ({ signals }) => signals,
        { most: 5_000 },
      ),
    select: (signals) =>
      signals.filter(({ action, quantityType }) => !isOpening(action) && quantityType === 'fixed'),
  })
}

/** Cover of a position; undefined until all parts are known. */
export function useCovers(): ((position: Position) => Cover) | undefined {
  const exits = useExitsAhead().data
  const closes = useClosesAhead().data
  const orders = useWorkingOrders().data
  const alerts = useOpenAlerts().data
  const halts = useHalts()
  if (!exits || !closes || !orders || !alerts) return undefined
  return (position) => ({
    ...coverOf(position, { exits, closes, orders, alerts: alerts.alerts }),
    heldBy: haltAgainst(halts, position.accountId, CLOSING),
  })
}

function coverOf(
  position: Position,
  {
    exits,
    closes,
    orders,
    alerts,
  }: {
    exits: readonly Signal[]
    closes: readonly Signal[]
    orders: readonly Order[]
    alerts: readonly Alert[]
  },
): Omit<Cover, 'heldBy'> {
  const isHere = ({ accountId, symbol }: { accountId: string | null; symbol: string | null }): boolean =>
    accountId === position.accountId && symbol === position.symbol
  const held: HeldShares = { side: position.side, quantity: decimal(position.quantity) }
  const asScheduled = (signal: Signal) => ({
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
    (signal) => isHere(signal) && signal.exit !== null && willClose(held, asScheduled(signal)),
  )
  // At its time the signal becomes an order of this side.
  const asSent = ({ action, quantity }: Signal) => ({
    side: ENTRY_SIDE[action],
    status: 'PENDING' as const,
    quantity: decimal(quantity),
    filledQuantity: decimal(0),
  })
  const scheduled = closes.filter((signal) => isHere(signal) && closesShares(held, asSent(signal)))
  const working = orders.filter((order) => isHere(order) && closesShares(held, asOrder(order)))
  return {
    planned: planned.toSorted((a, b) => (a.exit?.submitAt ?? '9').localeCompare(b.exit?.submitAt ?? '9')),
    scheduled: scheduled.toSorted((a, b) => (a.scheduledAt ?? '9').localeCompare(b.scheduledAt ?? '9')),
    working,
    uncovered: Math.max(
      0,
      Number(
        uncoveredShares(held, planned.map(asScheduled), [...working.map(asOrder), ...scheduled.map(asSent)]),
      ) - keptHere(position),
    ),
    alarms: alerts.filter((alert) => alert.kind === 'unprotected_position' && isHere(alert)),
  }
}

/** Shares whose exit only the service keeps: no order works for them. */
const keptHere = (position: Position): number =>
  (position.protection?.protectedBy ?? [])
    .filter(({ atBroker }) => atBroker === null)
    .reduce((sum, { quantity }) => sum + quantity, 0)

export const positionsCsv = (positions: readonly Position[]): string =>
  csvOf(
    positions,
    'accountId symbol side quantity avgCost currentPrice marketValue unrealisedPnl unrealisedPnlPercent dayChange lastUpdated',
  )
