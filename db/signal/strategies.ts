import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import { randomUUID } from 'node:crypto'
import type { Decimal } from '#domain/money/decimal.ts'
import { asArray, UNPLACED } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import { Strategy } from '../entities/index.ts'
import { given, type Filter } from '../engine/filter.ts'
import { newestFirst, sliceOf, type Page, type Slice } from '../engine/page.ts'
import { queryRows } from '../engine/row-security.ts'
import type { TradingMode } from '../entities/user.entity.ts'

export type OwnStrategy = Pick<Strategy, 'id' | 'status'>

export async function findOwnStrategy(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<OwnStrategy | null> {
  const rows = await queryRows<OwnStrategy>(
    em,
    'select id, status from strategies where id = ? and user_id = ? and archived_at is null',
    [id, userId],
  )
  return rows[0] ?? null
}

interface StrategyStats {
  signals: number
  /** Closed round trips, those with a profit, and dollars after fees. */
  trades: number
  wins: number
  realisedPnl: Decimal
}

export interface KnownStrategy {
  strategy: Strategy
  stats: StrategyStats
}

export const STRATEGY_ORDER = newestFirst('created_at')

export async function listStrategies(
  em: EntityManager,
  userId: string,
  mode: TradingMode,
  { isArchived, ...filter }: Filter<Pick<Strategy, 'status'>> & { isArchived: boolean },
  page: Page,
): Promise<Slice<KnownStrategy>> {
  const where = { ...given(filter), userId, archivedAt: isArchived ? { $ne: null } : null }
  const slice = await sliceOf(em, Strategy, where, STRATEGY_ORDER, page)
  return { ...slice, items: await withStats(em, userId, mode, slice.items) }
}

export async function findStrategy(
  em: EntityManager,
  userId: string,
  mode: TradingMode,
  id: string,
): Promise<KnownStrategy | null> {
  const strategies = await em.find(Strategy, { id, userId, archivedAt: null }, { refresh: true })
  const [known] = await withStats(em, userId, mode, strategies)
  return known ?? null
}

export async function lockStrategy(em: EntityManager, userId: string, id: string): Promise<Strategy | null> {
  return em.findOne(Strategy, { id, userId, archivedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}

export type StrategyTerms = Pick<
  Strategy,
  'name' | 'description' | 'status' | 'defaultAccountId' | 'metadata' | 'expects' | 'flatByClose'
>

/** Returns the id. Throws {@link StrategyNameTaken}. */
export async function insertStrategy(
  em: EntityManager,
  userId: string,
  terms: StrategyTerms,
): Promise<string> {
  const id = randomUUID()
  const now = new Date()
  const row = { id, userId, ...terms, expectsSince: now, createdAt: now, updatedAt: now, archivedAt: null }
  await unlessNameTaken(em.insert(Strategy, row))
  return id
}

/** Throws {@link StrategyNameTaken}. */
export async function changeStrategy(
  em: EntityManager,
  userId: string,
  id: string,
  change: Filter<StrategyTerms & Pick<Strategy, 'expectsSince'>>,
): Promise<void> {
  await unlessNameTaken(
    em.nativeUpdate(Strategy, { id, userId }, { ...given(change), updatedAt: new Date() }),
  )
}

export async function countUnsentSignals(em: EntityManager, userId: string, id: string): Promise<number> {
  const [row] = await em.execute<{ unsent: number }[]>(
    `select count(*)::int as unsent from signals
     where user_id = ? and strategy_id = ? and status in ${UNPLACED}`,
    [userId, id],
  )
  return row!.unsent
}

/** Frees the name and pauses: a simultaneous signal is denied. */
export async function archiveStrategy(em: EntityManager, userId: string, id: string): Promise<void> {
  await em.execute(
    `update strategies set status = 'paused', archived_at = now(), updated_at = now()
     where id = ? and user_id = ?`,
    [id, userId],
  )
}

export class StrategyNameTaken extends Error {
  override readonly name = 'StrategyNameTaken'
}

async function unlessNameTaken<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException && error.message.includes('strategies_name'))
      throw new StrategyNameTaken('the name is taken', { cause: error })
    throw error
  }
}

async function withStats(
  em: EntityManager,
  userId: string,
  mode: TradingMode,
  strategies: Strategy[],
): Promise<KnownStrategy[]> {
  if (strategies.length === 0) return []
  const rows = await em.execute<({ id: string } & StrategyStats)[]>(
    `select s.id, sent.signals, closed.trades, closed.wins, closed."realisedPnl"
     from strategies s
     cross join lateral (
       select count(*)::int as signals from signals g join accounts a on a.id = g.account_id
       where g.strategy_id = s.id and g.user_id = s.user_id and a.is_demo = ?) sent
     cross join lateral (
       select count(*)::int as trades, (count(*) filter (where t.realised_pnl > 0))::int as wins,
         coalesce(sum(t.realised_pnl), 0)::text as "realisedPnl"
       from trades t join accounts a on a.id = t.account_id
       where t.strategy_id = s.id and t.user_id = s.user_id and t.status = 'CLOSED' and a.is_demo = ?) closed
     where s.user_id = ? and s.id = any(?::uuid[])`,
    [mode === 'PAPER', mode === 'PAPER', userId, asArray(strategies.map(({ id }) => id))],
  )
  const stats = new Map(rows.map(({ id, ...figures }) => [id, figures]))
  return strategies.flatMap((strategy) => {
    const own = stats.get(strategy.id)
    return own ? [{ strategy, stats: own }] : []
  })
}
