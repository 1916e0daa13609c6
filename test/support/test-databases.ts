import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { postgresUrl } from '#local/servers/postgres.ts'
import { serviceUrl } from '#local/servers/service-database.ts'

/** An empty, migrated database for one test file. */
export type TestDatabase = { url: string; drop: () => Promise<void> }

/** A database that has grown to more is not used again; the template has 12 MB. */
const MAX_BYTES = 20_000_000

/**
 * Copies of a template. A copy takes ten times as long as emptying one, so a database that a test has dropped is handed
 * out again: emptied, with its sequences at their start, and under another name, so that no connection of the earlier
 * test finds it. One whose schema or statistics a test has changed is dropped.
 */
export class TestDatabases {
  readonly #server: { port: number; password: string }
  readonly #servicePassword: string
  readonly #template: string
  readonly #free: string[] = []
  #admin: Promise<pg.Client> | undefined
  #pristine: Promise<Pristine> | undefined
  #lastCopy: Promise<unknown> = Promise.resolve()

  constructor(server: { port: number; password: string }, servicePassword: string, template: string) {
    this.#server = server
    this.#servicePassword = servicePassword
    this.#template = template
  }

  async take(): Promise<TestDatabase> {
    const name = this.#free.pop() ?? (await this.#copyTemplate())
    return {
      url: serviceUrl(this.#server.port, this.#servicePassword, name),
      drop: () => this.#giveBack(name),
    }
  }

  /** A copy of the template under this name, for another process. */
  async anotherTemplate(name: string): Promise<string> {
    const template = `${this.#template}_${name}`
    await this.#copyTo(template)
    return template
  }

  async close(): Promise<void> {
    await (await this.#admin)?.end()
  }

  async #copyTemplate(): Promise<string> {
    const name = newName()
    await (this.#pristine ??= this.#on(this.#template, readPristine))
    await this.#copyTo(name)
    return name
  }

  /** PostgreSQL copies a template only while nobody else is connected to it, another copy included. */
  async #copyTo(name: string): Promise<void> {
    const copy = this.#lastCopy.then(() =>
      this.#run(`create database ${name} template ${this.#template} owner durable_trader`),
    )
    this.#lastCopy = copy.catch(() => {})
    await copy
  }

  async #giveBack(name: string): Promise<void> {
    const renamed = newName()
    try {
      await this.#run(disconnecting(name))
      await this.#run(`alter database ${name} rename to ${renamed}`)
    } catch {
      // It is gone already, or somebody connects to it again and again.
      return this.#drop(name)
    }
    const isPristine = await this.#on(renamed, async (client) => restore(client, await this.#pristine!))
    if (isPristine) this.#free.push(renamed)
    else await this.#drop(renamed)
  }

  async #drop(name: string): Promise<void> {
    await this.#run(`drop database if exists ${name} with (force)`)
  }

  async #run(statement: string): Promise<void> {
    this.#admin ??= this.#connect('postgres')
    await (await this.#admin).query(statement)
  }

  async #on<Result>(database: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = await this.#connect(database)
    try {
      return await use(client)
    } finally {
      await client.end()
    }
  }

  async #connect(database: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: postgresUrl(this.#server, database) })
    // The server may end before its clients.
    client.on('error', () => {})
    await client.connect()
    return client
  }
}

const newName = (): string => `test_${randomBytes(6).toString('hex')}`

/** Ends all connections to a database; the functions of PostgreSQL that wait for that look ten times a second. */
const disconnecting = (database: string): string => `
  do $$ begin
    perform pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}';
    for attempt in 1..1000 loop
      perform pg_stat_clear_snapshot();
      exit when not exists (select from pg_stat_activity where datname = '${database}');
      perform pg_sleep(0.002);
    end loop;
  end $$`

/** Without triggers and foreign keys; deleting a few rows is much faster than the files that `truncate` makes. */
const EMPTYING = `
  set session_replication_role = replica;
  do $$ declare stored regclass; begin
    for stored in select oid from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0
    loop execute format('delete from %s', stored); end loop;
  end $$`

interface Pristine {
  fingerprint: string
  /** Puts the tables and sequences into the state of the template. */
  restoring: string
}

/** Identical catalogs have the same text: copies of a template keep its identifiers. Rows are not part of it. */
const FINGERPRINT = `
  select md5(concat_ws(' ',
    (select string_agg((c.oid, relname, relkind, relowner, relacl, reloptions, relrowsecurity, relforcerowsecurity,
       reltuples, relnatts, relpersistence, relreplident)::text, ',' order by c.oid) from pg_class c where c.oid >= 16384),
    (select string_agg((attrelid, attname, atttypid, attnum, attnotnull, atthasdef, attisdropped, attgenerated, attacl)::text,
       ',' order by attrelid, attnum) from pg_attribute where attrelid >= 16384 and attnum > 0),
    (select string_agg((oid, adbin)::text, ',' order by oid) from pg_attrdef),
    (select string_agg((oid, conname, contype, convalidated)::text, ',' order by oid) from pg_constraint where oid >= 16384),
    (select string_agg((oid, tgname, tgenabled)::text, ',' order by oid) from pg_trigger),
    (select string_agg((oid, proname, prosrc, proacl)::text, ',' order by oid) from pg_proc where oid >= 16384),
    (select string_agg((oid, nspname, nspowner, nspacl)::text, ',' order by oid) from pg_namespace),
    (select string_agg((oid, polname, polroles)::text, ',' order by oid) from pg_policy),
    (select string_agg((datdba, datacl, datconnlimit, datallowconn)::text, ',')
       from pg_database where datname = current_database() and not datistemplate),
    (select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase and datname = current_database()),
    (select count(*) from pg_type where oid >= 16384), (select count(*) from pg_rewrite where oid >= 16384),
    (select count(*) from pg_extension), (select count(*) from pg_event_trigger), (select count(*) from pg_publication),
    (select count(*) from pg_statistic where starelid >= 16384), (select count(*) from pg_largeobject_metadata)
  )) as fingerprint`

async function readPristine(client: pg.Client): Promise<Pristine> {
  const tables = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  const statements = [EMPTYING]
  for (const { name } of tables.rows) {
    const { rows } = await client.query(`select coalesce(jsonb_agg(t), '[]') as rows from ${name} t`)
    const stored = JSON.stringify(rows[0].rows)
    if (stored !== '[]')
      statements.push(
        `insert into ${name} overriding system value
           select * from jsonb_populate_recordset(null::${name}, ${pg.escapeLiteral(stored)})`,
      )
  }
  const sequences = await client.query<{ name: string; value: string; called: boolean }>(
    `select quote_ident(sequencename) as name, coalesce(last_value, start_value) as value, last_value is not null as called
     from pg_sequences`,
  )
  for (const { name, value, called } of sequences.rows)
    statements.push(`select setval('${name}', ${value}, ${called})`)
  return { fingerprint: await fingerprintOf(client), restoring: statements.join(';\n') }
}

async function fingerprintOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ fingerprint: string }>(FINGERPRINT)
  return rows[0]!.fingerprint
}

/** Answers whether the database is as the template by then. */
async function restore(client: pg.Client, pristine: Pristine): Promise<boolean> {
  if ((await fingerprintOf(client)) !== pristine.fingerprint) return false
  const { rows } = await client.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  )
  if (Number(rows[0]!.bytes) > MAX_BYTES) return false
  await client.query(pristine.restoring)
  return true
}
