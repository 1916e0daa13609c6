import { readdirSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { StartupError } from '../processes/startup-error.ts'
import { copyAll, copyFile } from './copied-file.ts'
import type { Manifest } from './manifest.ts'

/** Bytes of PostgreSQL's log during a copy. */
export const ROOM_FOR_LOG_BYTES = 100_000_000

const KEPT_EMPTY =
  /^(pg_wal|pg_dynshmem|pg_notify|pg_replslot|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest)$|(^|\/)(pgsql_tmp|pg_internal\.init)/
/** File that is copied last: without the label, recovery would begin at its checkpoint. */
const CONTROL = 'global/pg_control'
const SLOT = 'durable_trader_backup'
const WAL = /^[0-9A-F]{24}$/

export interface PostgresCopy extends Pick<Manifest, 'postgres' | 'folders' | 'files' | 'ledgerAt'> {}

/** The server keeps its log until this session ends. Only one runs at a time. */
export class BaseBackup {
  readonly #client: pg.Client
  readonly #folder: string
  readonly version: string
  readonly systemId: string

  /** Throws {@link StartupError} during another back-up, and for a server of another folder. */
  static async start(url: string, folder: string): Promise<BaseBackup> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 })
    client.on('error', () => {})
    await client.connect()
    try {
      const { rows } = await client.query<{ version: string; system: string }>(
        `select current_setting('server_version') as version, system_identifier::text as system
         from pg_control_system()`,
      )
      const began = Date.now()
      await client.query(`select pg_create_physical_replication_slot('${SLOT}', true, true)`)
      if (!hasSlotSince(folder, began))
        throw new StartupError(
          `The PostgreSQL at ${new URL(url).host} does not work on ${folder}: another server answers there, perhaps of another installation. Nothing was copied.`,
        )
      await client.query(`select pg_backup_start('durable-trader', true)`)
      return new BaseBackup(client, folder, rows[0]!)
    } catch (error) {
      await client.end()
      if (error instanceof pg.DatabaseError && error.code === '42710')
        throw new StartupError('Another back-up of this installation is being made; wait for its end.', {
          cause: error,
        })
      throw error
    }
  }

  private constructor(client: pg.Client, folder: string, about: { version: string; system: string }) {
    this.#client = client
    this.#folder = folder
    this.version = about.version
    this.systemId = about.system
  }

  size(): number {
    return this.#entries()
      .filter(({ isFolder }) => !isFolder)
      .reduce(
        (sum, { path }) => sum + (statSync(join(this.#folder, path), { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
  }

  /** Copies the data, then the log that makes it consistent. Throws {@link StartupError} for tablespaces. */
  async copyInto(target: string, prefix: string): Promise<PostgresCopy> {
    const entries = this.#entries()
    if (entries.some(({ path }) => path.startsWith('pg_tblspc/')))
      throw new StartupError(
        'PostgreSQL has tablespaces outside of the data folder, which npm run backup does not copy.',
      )
    const folders = entries.filter(({ isFolder }) => isFolder).map(({ path }) => path)
    await mkdir(target, { recursive: true, mode: 0o700 })
    for (const path of folders) await mkdir(join(target, path), { mode: 0o700 })
    const files: Manifest['files'] = []
    const copy = async (path: string): Promise<void> => {
      const content = await copyFile(join(this.#folder, path), join(target, path))
      files.push({ path: `${prefix}/${path}`, ...content })
    }
    const data = entries.filter(({ isFolder, path }) => !isFolder && path !== CONTROL)
    await copyAll(data, ({ path }) => copy(path).catch(unlessGone(join(this.#folder, path))))
    await copy(CONTROL)

    const { rows: schema } = await this.#client.query<{ name: string }>(
      'select name from schema_migrations order by name',
    )
    // Read before the end of the copy: earlier commits are in it.
    const { rows: clock } = await this.#client.query<{ at: Date }>('select clock_timestamp() as at')
    const { rows } = await this.#client.query<{ label: string; last: string }>(
      `select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(wait_for_archive => false)`,
    )
    const { label, last } = rows[0]!
    const first = /\(file ([0-9A-F]{24})\)/.exec(label)?.[1] ?? ''
    const segments = readdirSync(join(this.#folder, 'pg_wal'))
      .filter((name) => WAL.test(name) && name >= first && name <= last)
      .toSorted()
    if (segments[0] !== first || segments.at(-1) !== last)
      throw new Error(`PostgreSQL's log from ${first} to ${last} is not there any more`)
    for (const name of segments) await copy(`pg_wal/${name}`)
    // The server keeps the segments only while this session lives.
    await this.#client.query('select 1')
    await writeFile(join(target, 'backup_label'), label, { flag: 'wx', mode: 0o600, flush: true })
    const sha256 = createHash('sha256').update(label).digest('hex')
    files.push({ path: `${prefix}/backup_label`, size: Buffer.byteLength(label), sha256 })
    return {
      ledgerAt: clock[0]!.at.toISOString(),
      postgres: {
        version: this.version,
        systemId: this.systemId,
        schema: schema.map(({ name }) => name),
      },
      folders: [prefix, ...folders.map((path) => `${prefix}/${path}`)],
      files,
    }
  }

  async end(): Promise<void> {
    await this.#client.end()
  }

  #entries(): { path: string; isFolder: boolean }[] {
    return readdirSync(this.#folder, { recursive: true, withFileTypes: true })
      .map((entry) => ({
        path: join(entry.parentPath, entry.name).slice(this.#folder.length + 1),
        isFolder: entry.isDirectory(),
      }))
      .filter(({ path }) => !LEFT_OUT.test(path) && !KEPT_EMPTY.test(path))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }
}

function hasSlotSince(folder: string, began: number): boolean {
  const made = statSync(join(folder, 'pg_replslot', SLOT), { throwIfNoEntry: false })
  return made !== undefined && made.mtimeMs > began - 1_000
}

const unlessGone =
  (source: string) =>
  (error: unknown): void => {
    const { code, path } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || path !== source) throw error
  }
