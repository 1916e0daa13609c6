import { chmodSync, mkdirSync, statfsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StartupError } from '../processes/startup-error.ts'

/** A first start writes about a third of this; the rest is for operation. */
const MIN_FREE_BYTES = 500_000_000

export type DataFolder = {
  path: string
  record: string
  secrets: string
  /** Keys of the installation: without them nothing encrypted can be read. */
  keys: string
  /** Messages while no mail server is set. */
  mailbox: string
  demoCredentials: string
  postgres: string
  temporalDatabase: string
  venueLedger: string
  /** Record of a restoration, until the next start has stored it. */
  restoration: string
  workflowBundles: string
  logs: string
}

/** Places in a data folder; nothing is created. */
export function dataFolderAt(path: string): DataFolder {
  const top = resolve(path)
  return {
    path: top,
    record: join(top, 'run.json'),
    secrets: join(top, 'secrets.json'),
    keys: join(top, 'keys.json'),
    mailbox: join(top, 'mailbox.jsonl'),
    demoCredentials: join(top, 'demo-credentials.json'),
    postgres: join(top, 'postgres'),
    temporalDatabase: join(top, 'temporal', 'temporal.sqlite'),
    venueLedger: join(top, 'venue', 'venue.sqlite'),
    restoration: join(top, 'restored.json'),
    workflowBundles: join(top, 'workflow-bundle'),
    logs: join(top, 'logs'),
  }
}

/** Creates the folder. Throws {@link StartupError} if it is not writable or its disk is nearly full. */
export function makeDataFolder(folder: DataFolder): void {
  try {
    mkdirSync(folder.logs, { recursive: true })
    // Each file inside is private; as root, PostgreSQL's own user must pass.
    chmodSync(folder.path, 0o711)
  } catch (error) {
    throw new StartupError(
      `The data folder ${folder.path} cannot be made (${(error as Error).message}). Set DATA_DIR to another one.`,
      { cause: error },
    )
  }
  const disk = statfsSync(folder.path)
  const free = disk.bavail * disk.bsize
  if (free < MIN_FREE_BYTES)
    throw new StartupError(
      `The disk of ${folder.path} has ${Math.floor(free / 1_000_000)} MB free; ` +
        `${MIN_FREE_BYTES / 1_000_000} MB are needed. Free some space, or set DATA_DIR to another disk.`,
    )
}
