import { rmSync } from 'node:fs'
import { openDatabase } from '#db/engine/database.ts'
import { markRestored } from '#db/watch/restoration.ts'
import type { DataFolder } from '../start/data-folder.ts'
import { readJson, writePrivateJson } from '../start/secrets.ts'

type Restoration = {
  /** UTC instant of the state that was restored. */
  ledgerAt: string
}

/** Leaves word in a data folder that it was restored. */
export function noteRestoration(file: string, restoration: Restoration): void {
  writePrivateJson(file, restoration)
}

/**
 * Tells the ledger of a data folder that it was restored, so that it is reconciled. A start that is cut short here does
 * it again. Answers the instant of the state that was restored; null when there was no restoration.
 */
export async function recordRestoration(folder: DataFolder, databaseUrl: string): Promise<string | null> {
  const ledgerAt = readJson<Restoration>(folder.restoration)?.ledgerAt
  if (ledgerAt === undefined) return null
  const database = await openDatabase(databaseUrl, 2)
  try {
    await markRestored(database.em.fork(), ledgerAt)
  } finally {
    await database.close(true)
  }
  rmSync(folder.restoration)
  return ledgerAt
}
