import type { EntityManager } from '../engine/database.ts'
import { Account, BrokerConnection } from '../entities/index.ts'
import { findRow, findRows } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'
import { given, type Filter } from '../engine/filter.ts'
import { lockUser } from '../identity/users.ts'

/** The facts that decide whether an account may take an order. */
export type OwnAccount = Pick<Account, 'id' | 'isDemo'>

/** Whether the user has this account, and of which kind; null when not. One small query: every signal asks. */
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

/** The ids that are no accounts of the user. */
export async function findForeignAccounts(
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<string[]> {
  const own = await findRows(em, Account, { userId, id: { $in: [...ids] } }, { id: 'asc' })
  return ids.filter((id) => !own.some((account) => account.id === id))
}

/** Whether an account of the user's trades real money, of those that are named or of all. */
export async function isAnyLive(
  em: EntityManager,
  userId: string,
  ids?: readonly string[],
): Promise<boolean> {
  const among = ids && { id: { $in: [...ids] } }
  return (await findRows(em, Account, { userId, isDemo: false, ...among }, { id: 'asc' })).length > 0
}

/** An account together with the connection that it belongs to. */
export interface ConnectedAccount {
  account: Account
  connection: BrokerConnection
}

/** A user's account; null when there is none with this id. */
export async function findAccount(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<ConnectedAccount | null> {
  const account = await findRow(em, Account, { id, userId })
  const connection = account && (await findRow(em, BrokerConnection, { id: account.brokerId, userId }))
  return connection && { account, connection }
}

/** A user's accounts, the primary one first, then by name; those that were removed only where they are asked for. */
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

/**
 * Ids of the accounts that are connected, of all users, in their order.
 *
 * @param after the id from behind which to go on; null for the beginning
 */
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

/** Ids of a user's active accounts, or of those of one connection, in the order in which they were connected. */
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

/**
 * Makes an account the primary one of its user in place of any other. Several who do so at once do so one after the
 * other, and the last one stays. Null when the user has no such account; an account that is not connected any more
 * stays as it is.
 */
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

/** Changes what is given of a user's account, which has to be there. */
export async function changeAccountSettings(
  em: EntityManager,
  userId: string,
  id: string,
  change: Filter<Pick<Account, 'flatByClose'>>,
): Promise<Account> {
  await em.nativeUpdate(Account, { id, userId }, { ...given(change), updatedAt: new Date() })
  return em.findOneOrFail(Account, { id, userId }, { refresh: true })
}
