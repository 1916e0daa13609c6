import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Stack } from '#test/support/stack.ts'

/**
 * Stops the paper venue, changes its file, and starts it again: so its broker comes to say what no order has brought about,
 * as after a transfer of shares, an execution that was taken back, or a copy that was restored.
 */
export async function whileVenueStands(stack: Stack, change: (file: string) => void): Promise<void> {
  await stack.parts.venue.stop()
  change(join(dirname(stack.logFolder), 'venue.sqlite'))
  await stack.parts.venue.start()
}

/** Changes rows of the venue's ledger, which must stand. */
export function changeRows(file: string, change: (rows: DatabaseSync) => void): void {
  const rows = new DatabaseSync(file)
  try {
    change(rows)
  } finally {
    rows.close()
  }
}

/** Keeps the venue's ledger as it is now under a name. */
export const keepAs = (name: string) => (file: string) => copyFileSync(file, `${file}-${name}`)

/** Puts what was kept under a name in the place of the venue's ledger. */
export const putBack = (name: string) => (file: string) => copyFileSync(`${file}-${name}`, file)
