import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SCHEMA_VERSIONS } from './schema.ts'

/** Ledger that cannot be opened, belongs to another process, or is newer. */
export class UnusableLedgerError extends Error {
  override readonly name = 'UnusableLedgerError'
}

/** Committed transactions survive the death of the process. */
export interface Ledger {
  readonly database: DatabaseSync
  /** Commits all, or nothing if the work throws. Not nestable. */
  transaction<Result>(work: () => Result): Result
  close(): void
}

/** Creates or upgrades the file; ":memory:" keeps nothing. Throws {@link UnusableLedgerError}. */
export function openLedger(path: string): Ledger {
  let database: DatabaseSync | null = null
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
    database = new DatabaseSync(path)
    // Exclusive: a second venue on the ledger would double every fill. FULL costs 0.25 ms a commit and survives a power
    // cut.
    database.exec(`
      PRAGMA busy_timeout = 0;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
    `)
    upgrade(database)
  } catch (cause) {
    database?.close()
    if (cause instanceof UnusableLedgerError) throw cause
    throw new UnusableLedgerError(`The data file ${path} cannot be used: ${explain(cause)}`, { cause })
  }
  return ledgerOver(database)
}

function ledgerOver(database: DatabaseSync): Ledger {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  return {
    database,
    transaction(work) {
      begin.run()
      try {
        const result = work()
        commit.run()
        return result
      } catch (error) {
        if (database.isTransaction) rollback.run()
        throw error
      }
    },
    close: () => database.close(),
  }
}

function upgrade(database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
  if (version > SCHEMA_VERSIONS.length) {
    throw new UnusableLedgerError(
      `The data file is of schema version ${version}; this venue knows up to ${SCHEMA_VERSIONS.length}`,
    )
  }
  database.exec('BEGIN EXCLUSIVE')
  for (const statements of SCHEMA_VERSIONS.slice(version)) database.exec(statements)
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSIONS.length}`)
  database.exec('COMMIT')
}

function explain(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  return message.includes('database is locked') ? 'another process is using it' : message
}
