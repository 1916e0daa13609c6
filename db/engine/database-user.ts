import type { EntityManager } from './database.ts'

/** The service is told to work as a user of PostgreSQL that no rule binds. */
export class UnsafeDatabaseUser extends Error {
  override readonly name = 'UnsafeDatabaseUser'
}

/**
 * Throws {@link UnsafeDatabaseUser} when the user of DATABASE_URL is a superuser or let past row-level security: whoever
 * found a way to have the service run a statement would then rule the whole server.
 */
export async function requireOrdinaryUser(em: EntityManager): Promise<void> {
  const [user] = await em.execute<{ name: string; mayEverything: boolean; passesRows: boolean }[]>(
    `select rolname as name, rolsuper as "mayEverything", rolbypassrls as "passesRows"
     from pg_roles where rolname = session_user`,
  )
  if (!user?.mayEverything && !user?.passesRows) return
  const trait = user.mayEverything ? 'is a superuser' : 'passes row-level security (BYPASSRLS)'
  throw new UnsafeDatabaseUser(
    `The user ${user.name} of DATABASE_URL ${trait}, which the service must not be. Make one of its own: ` +
      `create role durable_trader login password '...'; create role durable_trader_member nologin; ` +
      `grant durable_trader_member to durable_trader with inherit false, set true; ` +
      `alter database ... owner to durable_trader; and hand it the tables that are there.`,
  )
}
