import type { EntityManager } from './database.ts'

/** The database role in whose name the API works for a user; migration 0006 makes it and says what it may see. */
export const MEMBER_ROLE = 'durable_trader_member'

/**
 * From here on this view of the database works in the name of a user: every statement runs in a transaction in
 * which PostgreSQL shows and takes rows of that user only, whatever the statement forgets to ask. It is the wall
 * behind the owner that every query names anyway.
 *
 * What serves all users, such as signing in, the sweeper and the worker, works in the name of the service.
 */
export function actAs(em: EntityManager, userId: string): void {
  em.setSessionContext({ variables: { 'app.user_id': userId, role: MEMBER_ROLE } })
}
