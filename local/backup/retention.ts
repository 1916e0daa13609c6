import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartupError } from '../processes/startup-error.ts'
import type { BackUp } from './back-up.ts'
import { MANIFEST, readManifest, type Manifest } from './manifest.ts'

/**
 * Removes back-ups that lie beside a new one and are of the same installation, with their keys, except for the newest.
 * Those of other installations, and any that cannot be read, stay. Answers the folders that were removed.
 *
 * @param keep how many are kept, the new one included
 */
export function removeOlder({ path, manifest: newest }: BackUp, keep: number): string[] {
  const home = dirname(path)
  const own = readdirSync(home)
    .filter((name) => /^durable-trader-[\dTZ-]+$/.test(name))
    .flatMap((name) => {
      const manifest = manifestIn(join(home, name))
      return manifest?.postgres.systemId === newest.postgres.systemId
        ? [{ folder: join(home, name), manifest }]
        : []
    })
    .toSorted((a, b) => (a.manifest.startedAt < b.manifest.startedAt ? 1 : -1))
  return own.slice(keep).map(({ folder, manifest }) => {
    // Without its manifest first, so that half of it is never taken for a whole one.
    rmSync(join(folder, MANIFEST))
    rmSync(folder, { recursive: true })
    rmSync(join(home, manifest.keys.name), { force: true })
    return folder
  })
}

function manifestIn(folder: string): Manifest | null {
  try {
    return readManifest(folder)
  } catch (error) {
    if (error instanceof StartupError) return null
    throw error
  }
}
