import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { StartupError } from '#local/processes/startup-error.ts'
import { ensureDatabase, postgresUrl, runStatement, type PostgresOptions } from '#local/servers/postgres.ts'
import { DATABASES } from './temporal-config.ts'

/** The user of PostgreSQL that Temporal's nodes are; it owns their databases and nothing of the service's. */
export const TEMPORAL_USER = 'temporal'

/**
 * Makes Temporal's user and databases, and brings their tables up to date. May be repeated.
 *
 * @param password of the user, whatever it was before
 * @throws {StartupError} when the tool cannot make the tables
 */
export async function ensureTemporalSchema(
  server: Pick<PostgresOptions, 'port' | 'password'>,
  password: string,
  sqlTool: string,
): Promise<void> {
  const admin = postgresUrl(server, 'postgres')
  const found = await runStatement(admin, `select from pg_roles where rolname = '${TEMPORAL_USER}'`)
  if (found.rowCount === 0) await runStatement(admin, `create role ${TEMPORAL_USER}`)
  await runStatement(admin, `alter role ${TEMPORAL_USER} login password ${pg.escapeLiteral(password)}`)
  for (const [database, schema] of Object.entries(DATABASES)) {
    await ensureDatabase(server, database)
    await runStatement(admin, `alter database ${database} owner to ${TEMPORAL_USER}`)
    const versions = `select from pg_tables where tablename = 'schema_version'`
    const { rowCount } = await runStatement(postgresUrl(server, database), versions)
    const run = (...args: string[]) => runSqlTool(sqlTool, server.port, password, database, args)
    if (rowCount === 0) await run('setup-schema', '-v', '0.0')
    await run('update-schema', '--schema-name', `postgresql/v12/${schema}`)
  }
}

async function runSqlTool(
  sqlTool: string,
  port: number,
  password: string,
  database: string,
  args: readonly string[],
): Promise<void> {
  const where = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port)]
  const line = [...where, '-u', TEMPORAL_USER, '--db', database, ...args]
  try {
    await promisify(execFile)(sqlTool, line, { env: { ...process.env, SQL_PASSWORD: password } })
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? String(error.stdout).trim() : ''
    throw new StartupError(`Temporal's tables in ${database} could not be made:\n${said || String(error)}`, {
      cause: error,
    })
  }
}
