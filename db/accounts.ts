import type { EntityManager } from './database.ts'
import { Account, BrokerConnection } from './entities/index.ts'

/** What decides whether an account may take an order. */
export type AccountStanding = Pick<Account, 'id' | 'isDemo'>

/** Whether the user has this account, and of which kind; null when not. One small query: every signal asks. */
export async function findAccountStanding(
  em: EntityManager,
  userId: string,
  id: string,
): Promise<AccountStanding | null> {
  const rows = await em.execute<AccountStanding[]>(
    'select id, is_demo as "isDemo" from accounts where id = ? and user_id = ?',
    [id, userId],
  )
  return rows[0] ?? null
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
  const account = await em.findOne(Account, { id, userId })
  if (!account) return null
  const connection = await em.findOneOrFail(BrokerConnection, { id: account.brokerId, userId })
  return { account, connection }
}

/** A user's accounts, the primary one first, then by name. */
export async function listAccounts(em: EntityManager, userId: string): Promise<Account[]> {
  return em.find(Account, { userId }, { orderBy: { isPrimary: 'desc', name: 'asc', id: 'asc' } })
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
