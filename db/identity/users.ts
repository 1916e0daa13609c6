import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../engine/database.ts'
import type { User } from '../entities/index.ts'
import { sliceOfRows, type ListOrder, type Page, type Slice } from '../engine/page.ts'

export type Plan = User['plan']
export type Role = User['role']

export interface UserRecord {
  id: string
  email: string
  role: Role
  plan: Plan
  passwordHash: string | null
  tradingMode: User['tradingMode']
  isDisabled: boolean
  hasSecondFactor: boolean
  createdAt: Date
}

type UserRow = Omit<UserRecord, 'createdAt'> & { createdAt: string }

const USERS_SQL = `
  select u.id, u.email, u.role, u.plan, u.password_hash as "passwordHash", u.trading_mode as "tradingMode",
         u.disabled_at is not null as "isDisabled", u.created_at as "createdAt",
         exists (select from totp_factors f where f.user_id = u.id and f.confirmed_at is not null)
           as "hasSecondFactor"
  from users u`

const read = (row: UserRow | undefined): UserRecord | null =>
  row ? { ...row, createdAt: new Date(row.createdAt) } : null

/** Case-insensitive. */
export async function findUserByEmail(em: EntityManager, email: string): Promise<UserRecord | null> {
  const [row] = await em.execute<UserRow[]>(`${USERS_SQL} where lower(u.email) = lower(?)`, [email])
  return read(row)
}

export async function findUser(em: EntityManager, userId: string): Promise<UserRecord | null> {
  const [row] = await em.execute<UserRow[]>(`${USERS_SQL} where u.id = ?`, [userId])
  return read(row)
}

/** Locks the user, not rows that refer to it. */
export async function lockUser(em: EntityManager, userId: string): Promise<UserRecord | null> {
  // Later reads see the lock's last holder's changes.
  await em.execute('select from users where id = ? for no key update', [userId])
  return findUser(em, userId)
}

export const USER_ORDER: ListOrder = {
  columns: [
    { name: 'createdAt', type: 'timestamptz' },
    { name: 'id', type: 'uuid' },
  ],
  direction: 'asc',
}

export async function listUsers(em: EntityManager, page: Page): Promise<Slice<UserRecord>> {
  const slice = await sliceOfRows<UserRow>(em, { sql: USERS_SQL, parameters: [] }, USER_ORDER, page)
  return { ...slice, items: slice.items.map((row) => read(row)!) }
}

export interface NewUser {
  email: string
  passwordHash: string | null
  role: Role
  plan: Plan
}

export async function insertUser(em: EntityManager, user: NewUser): Promise<UserRecord | null> {
  const id = randomUUID()
  const added = await em.execute<unknown[]>(
    `insert into users (id, email, role, plan, password_hash) values (?, ?, ?, ?, ?)
     on conflict do nothing returning id`,
    [id, user.email, user.role, user.plan, user.passwordHash],
  )
  return added.length === 1 ? findUser(em, id) : null
}

/** Locks until the transaction ends: only one becomes the first user. */
export async function isUnreachable(em: EntityManager): Promise<boolean> {
  await em.execute('select pg_advisory_xact_lock(7283002)')
  const [row] = await em.execute<{ nobody: boolean }[]>('select not exists (select from users) as nobody')
  return row!.nobody
}

/** Not for `actAs()`: a user sees only themselves. */
export async function hasUsers(em: EntityManager): Promise<boolean> {
  const [row] = await em.execute<{ any: boolean }[]>('select exists (select from users) as "any"')
  return row!.any
}

export async function setTradingMode(
  em: EntityManager,
  userId: string,
  mode: UserRecord['tradingMode'],
): Promise<UserRecord['tradingMode']> {
  const [row] = await em.execute<{ before: UserRecord['tradingMode'] }[]>(
    `with previous as (select id, trading_mode from users where id = ? for update)
     update users u set trading_mode = ?,
       updated_at = case when previous.trading_mode = ? then u.updated_at else now() end
     from previous where u.id = previous.id returning previous.trading_mode as before`,
    [userId, mode, mode],
  )
  if (!row) throw new Error(`there is no user ${userId}`)
  return row.before
}

export async function setPasswordHash(
  em: EntityManager,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await em.execute(`update users set password_hash = ?, updated_at = now() where id = ?`, [
    passwordHash,
    userId,
  ])
}

export async function changeUser(
  em: EntityManager,
  userId: string,
  change: { plan?: Plan; role?: Role; isDisabled?: boolean },
): Promise<boolean> {
  const changed = await em.execute<unknown[]>(
    `update users set plan = coalesce(?, plan), role = coalesce(?, role),
       disabled_at = case ?::boolean when true then coalesce(disabled_at, now()) when false then null
                     else disabled_at end,
       updated_at = now()
     where id = ? returning id`,
    [change.plan ?? null, change.role ?? null, change.isDisabled ?? null, userId],
  )
  return changed.length === 1
}
