import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A fresh folder for each test of the enclosing `describe`, removed once what they started has been stopped. */
export function useTemporaryFolder(): { path: (...names: string[]) => string } {
  let folder: string
  const made: string[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'durable-trader-local-'))
    made.push(folder)
    // PostgreSQL's own user has to pass when the tests run as root.
    chmodSync(folder, 0o755)
  })
  after(() => {
    for (const each of made) rmSync(each, { recursive: true, force: true })
  })
  return { path: (...names) => join(folder, ...names) }
}
