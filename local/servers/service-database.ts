import pg from 'pg'
import { ensureDatabase, postgresUrl, runStatement, type PostgresOptions } from './postgres.ts'

/** PostgreSQL user of the service: no superuser, and bound by row-level security. */
const SERVICE_USER = 'durable_trader'

export const serviceUrl = (port: number, password: string, database: string): string =>
  `postgresql://${SERVICE_USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

/**
 * Creates database and service user if absent; a repetition is safe. Returns the address.
 *
 * @param password new password of the service's user
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
  return serviceUrl(server.port, password, database)
}

/** The service may assume the role in which it acts for one user, and inherits nothing from it. */
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
