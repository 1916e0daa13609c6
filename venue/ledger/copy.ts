import { createReadStream, mkdtempSync, rmSync, statSync, type ReadStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

export interface LedgerCopy {
  stream: ReadStream
  size: number
}

/** Copy between two transactions, while the venue answers nothing; removed after the stream. */
export function copyLedger(database: DatabaseSync): LedgerCopy {
  const location = database.location()
  const folder = mkdtempSync(join(location === null ? tmpdir() : dirname(location), 'copy-'))
  const file = join(folder, 'ledger.sqlite')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    database.prepare('VACUUM INTO ?').run(file)
    const stream = createReadStream(file)
    stream.once('close', remove)
    return { stream, size: statSync(file).size }
  } catch (error) {
    remove()
    throw error
  }
}
