import pg from 'pg'
import { ensureDatabase, postgresUrl, runStatement, type PostgresOptions } from './postgres.ts'

/** The user of PostgreSQL that the service is: no superuser, and nobody whom row-level security lets past. */
const SERVICE_USER = 'durable_trader'

/** The address of a database for the service. */
export const serviceUrl = (port: number, password: string, database: string): string =>
  `postgresql://${SERVICE_USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

/**
 * Makes the database and the service's user unless they are there, and hands the one to the other with everything in
 * it: earlier versions of the service were the superuser themselves. May be repeated. Answers its address.
 *
 * @param password of the service's user, whatever it was before
 */
export async function ensureServiceDatabase(
  server: Pick<PostgresOptions, 'port' | 'password'>,
  password: string,
  database: string,
): Promise<string> {
  await ensureDatabase(server, database)
  const admin = postgresUrl(server, database)
  await runStatement(admin, USERS_GRANTS)
  const attributes = 'login nosuperuser nocreatedb nocreaterole nobypassrls noreplication'
  await runStatement(admin, `alter role ${SERVICE_USER} ${attributes} password ${pg.escapeLiteral(password)}`)
  await runStatement(admin, `alter database ${pg.escapeIdentifier(database)} owner to ${SERVICE_USER}`)
  await runStatement(admin, OWNERSHIP)
  return serviceUrl(server.port, password, database)
}

/** The service may take the role in which it acts for one user, and has nothing of it otherwise. */
const USERS_GRANTS = `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${SERVICE_USER}') then
      create role ${SERVICE_USER};
    end if;
    if not exists (select from pg_roles where rolname = 'durable_trader_member') then
      create role durable_trader_member nologin;
    end if;
    if not pg_has_role('${SERVICE_USER}', 'durable_trader_member', 'set') then
      grant durable_trader_member to ${SERVICE_USER} with inherit false, set true;
    end if;
  end $$`

/** REASSIGN OWNED is refused for the superuser that made the data folder, so each object is handed over by itself. */
const OWNERSHIP = `
  do $$ declare statement text; begin
    for statement in
      select format('alter table public.%I owner to ${SERVICE_USER}', relname) from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
        and relowner <> '${SERVICE_USER}'::regrole
      union all
      select format('alter sequence public.%I owner to ${SERVICE_USER}', c.relname) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
        and c.relowner <> '${SERVICE_USER}'::regrole
        -- Those of columns go with their tables.
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i'))
      union all
      select format('alter routine %s owner to ${SERVICE_USER}', oid::regprocedure) from pg_proc
      where pronamespace = 'public'::regnamespace and proowner <> '${SERVICE_USER}'::regrole
      union all
      select format('alter type public.%I owner to ${SERVICE_USER}', typname) from pg_type
      where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
        and typowner <> '${SERVICE_USER}'::regrole
    loop
      execute statement;
    end loop;
  end $$`
