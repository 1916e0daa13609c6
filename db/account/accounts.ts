import type { EntityManager } from '../engine/database.ts'
import { Account, BrokerConnection } from '../entities/index.ts'
import { findRow, findRows } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'
import { given, type Filter } from '../engine/filter.ts'
import { lockUser } from '../identity/users.ts'

export type OwnAccount = Pick<Account, 'id' | 'isDemo'>

export async function findOwnAccount(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<OwnAccount | null> {
  const rows = await queryRows<OwnAccount>(
    em,
    'select id, is_demo as "isDemo" from accounts where id = ? and user_id = ?',
    [id, userId],
    { plan: 'once' },
  )
  return rows[0] ?? null
}

export async function findForeignAccounts(
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<string[]> {
  const own = await findRows(em, Account, { userId, id: { $in: [...ids] } }, { id: 'asc' })
  return ids.filter((id) => !own.some((account) => account.id === id))
}

export async function isAnyLive(
  em: EntityManager,
  userId: string,
  ids?: readonly string[],
): Promise<boolean> {
  const among = ids && { id: { $in: [...ids] } }
  return (await findRows(em, Account, { userId, isDemo: false, ...among }, { id: 'asc' })).length > 0
}

export interface ConnectedAccount {
  account: Account
  connection: BrokerConnection
}

export async function findAccount(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<ConnectedAccount | null> {
  const account = await findRow(em, Account, { id, userId })
  const connection = account && (await findRow(em, BrokerConnection, { id: account.brokerId, userId }))
  return connection && { account, connection }
}

export async function listAccounts(
  em: EntityManager,
  userId: string,
  { withRemoved }: { withRemoved: boolean },
): Promise<Account[]> {
  return findRows(
    em,
    Account,
    { userId, ...(!withRemoved && { isActive: true }) },
    { isPrimary: 'desc', name: 'asc', id: 'asc' },
  )
}

/** Ids for all users, after `after`; null: from the first. */
export async function activeAccountIds(
  em: EntityManager,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from accounts where is_active ${after === null ? '' : 'and id > ?'} order by id limit ?`,
    after === null ? [limit] : [after, limit],
  )
  return rows.map(({ id }) => id)
}

export async function listOwnAccountIds(
  em: EntityManager,
  { userId, brokerId }: { userId: string; brokerId?: string },
): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from accounts where user_id = ? and is_active ${brokerId === undefined ? '' : 'and broker_id = ?'}
     order by created_at, id`,
    brokerId === undefined ? [userId] : [userId, brokerId],
  )
  return rows.map(({ id }) => id)
}

/** Locks the user; an inactive account is unchanged. */
export async function makePrimary(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<{ account: Account; wasPrimary: boolean } | null> {
  return em.transactional(async (inner) => {
    await lockUser(inner, userId)
    const found = await inner.findOne(Account, { id, userId }, { refresh: true })
    if (!found) return null
    const wasPrimary = found.isPrimary
    if (found.isActive && !wasPrimary) {
      await inner.nativeUpdate(
        Account,
        { userId, isPrimary: true },
        { isPrimary: false, updatedAt: new Date() },
      )
      await inner.nativeUpdate(Account, { id, userId }, { isPrimary: true, updatedAt: new Date() })
    }
    return { account: await inner.findOneOrFail(Account, { id, userId }, { refresh: true }), wasPrimary }
  })
}

export async function changeAccountSettings(
  em: EntityManager,
  userId: string,
  id: string,
  change: Filter<Pick<Account, 'flatByClose'>>,
): Promise<Account> {
  await em.nativeUpdate(Account, { id, userId }, { ...given(change), updatedAt: new Date() })
  return em.findOneOrFail(Account, { id, userId }, { refresh: true })
}
