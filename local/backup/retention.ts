import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartupError } from '../processes/startup-error.ts'
import type { Report } from '../start/steps.ts'
import type { BackUp } from './back-up.ts'
import { MANIFEST, readManifest, type Manifest } from './manifest.ts'

/** Unreadable back-ups, and later ones (a clock was wrong), stay. */
export function removeOlder({ path, manifest: newest }: BackUp, keep: number, report: Report): string[] {
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
  const ofFuture = own.filter(({ manifest }) => manifest.startedAt > newest.startedAt)
  for (const { folder } of ofFuture)
    report(`${folder} lies in the future and is kept: the clock was wrong. Remove it yourself if it is old.`)
  return own.slice(ofFuture.length + keep).map(({ folder, manifest }) => {
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
