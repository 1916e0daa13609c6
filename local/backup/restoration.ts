import { rmSync } from 'node:fs'
import { openDatabase } from '#db/engine/database.ts'
import { markRestored } from '#db/watch/restoration.ts'
import type { DataFolder } from '../start/data-folder.ts'
import { readJson } from '../start/secrets.ts'

export interface Restoration {
  ledgerAt: string
}

/** An interrupted start repeats it. Returns the instant of the restored state. */
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
