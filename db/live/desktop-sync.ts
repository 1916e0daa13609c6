import { WORKING_STATUSES } from '#domain/order/order.ts'
import { UNPLACED_STATUSES, type SignalStatus } from '#domain/signal/signal.ts'
import type { EntityManager } from '../engine/database.ts'
import { Account, Order, Position, Signal } from '../entities/index.ts'

const MAX_RECORDS = 500
/** Milliseconds, above a statement's time limit: no pending write is missed. */
const OVERLAP_MS = 20_000
const LIVE_SIGNALS: SignalStatus[] = [...UNPLACED_STATUSES, 'executed']

export interface DesktopState {
  accounts: Account[]
  positions: Position[]
  orders: Order[]
  signals: Signal[]
  next: Date
  hasMore: boolean
}

export async function desktopSnapshot(em: EntityManager, userId: string): Promise<DesktopState> {
  const next = await cursorNow(em)
  const newest = { limit: MAX_RECORDS, orderBy: { updatedAt: 'desc', id: 'desc' } } as const
  const [accounts, positions, orders, signals] = await Promise.all([
    em.find(Account, { userId }, { orderBy: { createdAt: 'asc', id: 'asc' } }),
    em.find(Position, { userId }, { orderBy: { symbol: 'asc', id: 'asc' } }),
    em.find(Order, { userId, status: { $in: [...WORKING_STATUSES] } }, newest),
    em.find(Signal, { userId, ask: null, status: { $in: LIVE_SIGNALS } }, newest),
  ])
  return { accounts, positions, orders, signals, next, hasMore: false }
}

/** In order of change; a position missing from a changed account is closed. */
export async function desktopChanges(em: EntityManager, userId: string, since: Date): Promise<DesktopState> {
  const now = await cursorNow(em)
  const changed = { userId, updatedAt: { $gte: since } }
  const oldest = { limit: MAX_RECORDS, orderBy: { updatedAt: 'asc', id: 'asc' } } as const
  const [accounts, orders, signals] = await Promise.all([
    em.find(Account, changed, { orderBy: { updatedAt: 'asc', id: 'asc' } }),
    em.find(Order, changed, oldest),
    em.find(Signal, { ...changed, ask: null }, oldest),
  ])
  const accountIds = accounts.map(({ id }) => id)
  const positions = await em.find(Position, { userId, accountId: { $in: accountIds } })
  const cutOff = [orders, signals].filter(({ length }) => length === MAX_RECORDS)
  if (cutOff.length === 0) return { accounts, positions, orders, signals, next: now, hasMore: false }
  // Complete up to the last record of the cut-off list.
  const next = new Date(Math.min(...cutOff.map((records) => records.at(-1)!.updatedAt.getTime())))
  return { accounts, positions, orders, signals, next, hasMore: next > since }
}

async function cursorNow(em: EntityManager): Promise<Date> {
  const [row] = await em.execute<{ now: string }[]>('select now() as now')
  return new Date(new Date(row!.now).getTime() - OVERLAP_MS)
}
