import type { EntityManager } from './database.ts'

export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase'
}

/** Throws {@link UnfitDatabase}. */
export async function requireFitDatabase(em: EntityManager): Promise<void> {
  await requireOrdinaryUser(em)
  await requireKnownTextOrder(em)
}

/** An injected statement of a superuser would rule the server. */
async function requireOrdinaryUser(em: EntityManager): Promise<void> {
  const [user] = await em.execute<{ name: string; mayEverything: boolean; passesRows: boolean }[]>(
    `select rolname as name, rolsuper as "mayEverything", rolbypassrls as "passesRows"
     from pg_roles where rolname = session_user`,
  )
  if (!user?.mayEverything && !user?.passesRows) return
  const trait = user.mayEverything ? 'is a superuser' : 'passes row-level security (BYPASSRLS)'
  throw new UnfitDatabase(
    `The user ${user.name} of DATABASE_URL ${trait}, which the service must not be. Make one of its own: ` +
      `create role durable_trader login password '...'; create role durable_trader_member nologin; ` +
      `grant durable_trader_member to durable_trader with inherit false, set true; ` +
      `alter database ... owner to durable_trader; and hand it the tables that are there.`,
  )
}

/** An index of another text order misses rows: a unique key could be stored twice. PostgreSQL only warns. */
async function requireKnownTextOrder(em: EntityManager): Promise<void> {
  const changed = await em.execute<{ what: string; recorded: string; actual: string; mend: string }[]>(
    `select 'The database ' || name as what, datcollversion as recorded, actual,
       'reindex database ' || name || '; alter database ' || name || ' refresh collation version;' as mend
     from pg_database, quote_ident(datname) as name, pg_database_collation_actual_version(oid) as actual
     where datname = current_database() and datcollversion <> actual
     union all
     select distinct 'The collation ' || c.oid::regcollation, c.collversion, actual, 'reindex database ' ||
       quote_ident(current_database()) || '; alter collation ' || c.oid::regcollation || ' refresh version;'
     from pg_index i, unnest(i.indcollation) as used (id), pg_collation c, pg_collation_actual_version(c.oid) as actual
     where c.oid = used.id and c.collversion <> actual`,
  )
  if (changed.length === 0) return
  const sentences = changed.map(
    ({ what, recorded, actual, mend }) =>
      `${what} has its text sorted by version ${recorded} of its locale, and this server sorts by version ${actual}: ` +
      `indexes may miss rows that are there. Stop the service and run as the owner, on that database: ${mend}`,
  )
  throw new UnfitDatabase(sentences.join('\n'))
}
