import { isAtLeast, type HaltLevel, type HaltScope, type ActiveHalt } from '#domain/risk/halt.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, instantOrNull, type StoredInstant } from '../engine/query.ts'

// A new halt replaces the active one, which remains in the history. Uncached, it binds the next order.

export type HaltTarget =
  | { scope: 'global' }
  | { scope: 'operator' | 'user'; userId: string }
  | { scope: 'account'; userId: string; accountId: string }

interface NewHalt {
  level: HaltLevel
  reason: string | null
  by: string
}

export interface TradingHalt {
  id: string
  scope: HaltScope
  userId: string | null
  accountId: string | null
  level: HaltLevel
  reason: string | null
  /** User's address, token's label, `operator`, or the guard. */
  setBy: string
  /** UTC instants. */
  setAt: string
  liftedBy: string | null
  liftedAt: string | null
}

/** SQL condition; `user`, `account`: expressions of ids. */
export const bindsAccount = (halt: string, user: string, account: string): string =>
  `(${halt}.scope = 'global' or (${halt}.scope in ('operator', 'user') and ${halt}.user_id = ${user})
    or (${halt}.scope = 'account' and ${halt}.account_id = ${account}))`

/** JSON ({@link ActiveHalt}) of the most severe halt, or null. */
export const activeHaltSql = (user: string, account: string): string => `(
  select json_build_object('level', h.level, 'scope', h.scope, 'reason', h.reason)
  from trading_halts h
  where h.lifted_at is null and ${bindsAccount('h', user, account)}
  order by array_position(array['pauseEntries', 'reduceOnly', 'fullStop'], h.level) desc limit 1)`

export async function currentHalt(em: EntityManager, accountId: string): Promise<ActiveHalt | null> {
  const [row] = await em.execute<{ halt: ActiveHalt | null }[]>(
    `select ${activeHaltSql('a.user_id', 'a.id')} as halt from accounts a where a.id = ?`,
    [accountId],
  )
  return row?.halt ?? null
}

export async function listHalts(em: EntityManager, userId: string, limit: number): Promise<TradingHalt[]> {
  const rows = await em.execute<HaltRow[]>(
    `select ${HALT_COLUMNS} from trading_halts where user_id = ? or scope = 'global'
     order by lifted_at is null desc, id desc limit ?`,
    [userId, limit],
  )
  return rows.map(asHalt)
}

/** Live records have UUIDs. */
export const liveIdOfHalt = (id: string): string => {
  const digits = BigInt(id).toString(16).padStart(32, '0')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export async function findHalts(
  em: EntityManager,
  userId: string,
  liveIds: readonly string[],
): Promise<TradingHalt[]> {
  const rows = await em.execute<HaltRow[]>(
    `select ${HALT_COLUMNS} from trading_halts
     where (user_id = ? or scope = 'global') and lpad(to_hex(id), 32, '0')::uuid in (?)`,
    [userId, [...liveIds]],
  )
  return rows.map(asHalt)
}

export async function listHaltsOf(em: EntityManager, userId: string): Promise<TradingHalt[]> {
  const rows = await em.execute<HaltRow[]>(
    `select ${HALT_COLUMNS} from trading_halts where (user_id = ? or scope = 'global') and lifted_at is null`,
    [userId],
  )
  return rows.map(asHalt)
}

export async function findActiveHalt(em: EntityManager, target: HaltTarget): Promise<TradingHalt | null> {
  const [row] = await em.execute<HaltRow[]>(
    `select ${HALT_COLUMNS} from trading_halts where ${BINDS_TARGET} and lifted_at is null`,
    binding(target),
  )
  return row ? asHalt(row) : null
}

export async function listActiveHalts(em: EntityManager): Promise<TradingHalt[]> {
  const rows = await em.execute<HaltRow[]>(
    `select ${HALT_COLUMNS} from trading_halts where lifted_at is null order by id desc`,
  )
  return rows.map(asHalt)
}

/** Afterwards no forbidden order is sent, except those in sending (one second at most). */
export const setHalt = (em: EntityManager, target: HaltTarget, halt: NewHalt): Promise<TradingHalt> =>
  em.fork().transactional(async (inner) => {
    const active = await lockActive(inner, target)
    if (active?.level !== halt.level) return replaceHalt(inner, target, active, halt)
    return active.reason === null && halt.reason !== null
      ? giveReason(inner, active, halt.reason)
      : asHalt(active)
  })

/** An equal or more severe halt remains. */
export const raiseHalt = (em: EntityManager, target: HaltTarget, halt: NewHalt): Promise<TradingHalt> =>
  em.fork().transactional(async (inner) => {
    const active = await lockActive(inner, target)
    return active && isAtLeast(active.level, halt.level)
      ? asHalt(active)
      : replaceHalt(inner, target, active, halt)
  })

/** Null after a halt `by` this cause, even if lifted. In the caller's transaction. */
export async function haltEverybodyOnce(
  inner: EntityManager,
  { level, reason, by }: NewHalt,
): Promise<TradingHalt | null> {
  const target = { scope: 'global' } as const
  const active = await lockActive(inner, target)
  const earlier = await inner.execute<unknown[]>(
    `select from trading_halts where scope = 'global' and set_by = ? limit 1`,
    [by],
  )
  if (earlier.length > 0) return null
  return replaceHalt(
    inner,
    target,
    active,
    active === undefined
      ? { level, reason, by }
      : {
          level: isAtLeast(active.level, level) ? active.level : level,
          reason: [reason, active.reason && `The halt before: ${active.reason}`].filter(Boolean).join('. '),
          by,
        },
  )
}

export async function liftHalt(
  em: EntityManager,
  target: HaltTarget,
  by: string,
): Promise<TradingHalt | null> {
  const [row] = await em.execute<HaltRow[]>(
    `update trading_halts set lifted_by = ?, lifted_at = now()
     where ${BINDS_TARGET} and lifted_at is null returning ${HALT_COLUMNS}`,
    [by, ...binding(target)],
  )
  return row ? asHalt(row) : null
}

async function giveReason(inner: EntityManager, { id }: HaltRow, reason: string): Promise<TradingHalt> {
  const [row] = await inner.execute<HaltRow[]>(
    `update trading_halts set reason = ? where id = ? returning ${HALT_COLUMNS}`,
    [reason, id],
  )
  return asHalt(row!)
}

/** Serialises writers; readers do not wait. */
async function lockActive(inner: EntityManager, target: HaltTarget): Promise<HaltRow | undefined> {
  await inner.execute(`lock table trading_halts in share row exclusive mode`)
  const [active] = await inner.execute<HaltRow[]>(
    `select ${HALT_COLUMNS} from trading_halts where ${BINDS_TARGET} and lifted_at is null`,
    binding(target),
  )
  return active
}

async function replaceHalt(
  inner: EntityManager,
  target: HaltTarget,
  active: HaltRow | undefined,
  { level, reason, by }: NewHalt,
): Promise<TradingHalt> {
  if (active)
    await inner.execute(`update trading_halts set lifted_by = ?, lifted_at = now() where id = ?`, [
      by,
      active.id,
    ])
  const [row] = await inner.execute<HaltRow[]>(
    `insert into trading_halts (scope, user_id, account_id, level, reason, set_by)
     values (?, ?, ?, ?, ?, ?) returning ${HALT_COLUMNS}`,
    [...binding(target), level, reason, by],
  )
  return asHalt(row!)
}

const BINDS_TARGET =
  'scope = ? and user_id is not distinct from ?::uuid and account_id is not distinct from ?::uuid'

const binding = (target: HaltTarget): (string | null)[] => [
  target.scope,
  target.scope === 'global' ? null : target.userId,
  target.scope === 'account' ? target.accountId : null,
]

type HaltRow = Omit<TradingHalt, 'setAt' | 'liftedAt'> & {
  setAt: StoredInstant
  liftedAt: StoredInstant | null
}

const HALT_COLUMNS = `id, scope, user_id as "userId", account_id as "accountId", level, reason, set_by as "setBy",
  set_at as "setAt", lifted_by as "liftedBy", lifted_at as "liftedAt"`

const asHalt = (row: HaltRow): TradingHalt => ({
  ...row,
  setAt: instantOf(row.setAt),
  liftedAt: instantOrNull(row.liftedAt),
})
