import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Report } from '../start/steps.ts'
import { flushFolder } from './copied-file.ts'
import { BaseBackup, ROOM_FOR_LOG_BYTES } from './postgres-copy.ts'
import { requireRoom } from './room.ts'

export interface BaseCopyOptions {
  /** User that may put the server into backup mode (deploy/postgres-users.sh). */
  url: string
  data: string
  /** Folder for base back-ups, named after their starts. */
  to: string
  wal: string
  keep: number
}

const COMPLETE = /^\d{4}-\d\d-\d\dT[\d-]+Z$/
const ENDING = '.partial'

/** Removes the oldest copies and needless log. A copy gets its name once complete and on disk. */
export async function copyBase(
  { url, data, to, wal, keep }: BaseCopyOptions,
  report: Report,
): Promise<string> {
  const name = nameAt(new Date())
  const path = join(to, name)
  const draft = `${path}${ENDING}`
  const server = await BaseBackup.start(url, data)
  try {
    for (const left of readdirSync(to).filter((each) => each.endsWith(ENDING)))
      rmSync(join(to, left), { recursive: true })
    requireRoom(to, server.size() + ROOM_FOR_LOG_BYTES)
    mkdirSync(draft, { mode: 0o700 })
    const { files, folders, ledgerAt } = await server.copyInto(draft, '.')
    for (const folder of folders) await flushFolder(join(draft, folder))
    await rename(draft, path)
    await flushFolder(to)
    report(`${path}: ${files.length} files, recovers to ${ledgerAt} or later`)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  } finally {
    await server.end()
  }
  removeNeedless(name, { to, wal, keep }, report)
  return path
}

const nameAt = (instant: Date): string => instant.toISOString().replaceAll(/[:.]/g, '-')

/** Null without one; a start in the future does not count. */
export function newestBase(to: string): Date | null {
  const now = nameAt(new Date())
  const newest = completeIn(to).findLast((name) => name <= now)
  if (newest === undefined) return null
  const [day, time] = newest.split('T') as [string, string]
  const [hours, minutes, seconds, rest] = time.split('-')
  return new Date(`${day}T${hours}:${minutes}:${seconds}.${rest}`)
}

const completeIn = (to: string): string[] =>
  readdirSync(to)
    .filter((name) => COMPLETE.test(name))
    .toSorted()

/** Later names stay: a clock was wrong, and the newer one is unknown. */
function removeNeedless(
  newest: string,
  { to, wal, keep }: Pick<BaseCopyOptions, 'to' | 'wal' | 'keep'>,
  report: Report,
): void {
  const complete = completeIn(to)
  for (const name of complete.filter((each) => each > newest))
    report(
      `${join(to, name)} lies in the future and is kept: the clock was wrong. Remove it yourself if it is old.`,
    )
  const needless = complete.filter((each) => each <= newest).slice(0, -keep)
  for (const name of needless) {
    // Renamed first: a partial folder must not look complete.
    renameSync(join(to, name), join(to, `${name}${ENDING}`))
    rmSync(join(to, `${name}${ENDING}`), { recursive: true })
    report(`removed ${join(to, name)}`)
  }
  if (!existsSync(wal)) return
  // A recovery changes the timeline, the first eight digits: the earliest segment may not be the oldest back-up's.
  const [first] = complete
    .filter((name) => !needless.includes(name))
    .map((name) => firstSegment(join(to, name)).slice(8))
    .toSorted()
  for (const name of readdirSync(wal).filter((each) => /^[0-9A-F]{24}/.test(each)))
    if (name.slice(8, 24) < first!) rmSync(join(wal, name))
}

function firstSegment(base: string): string {
  const label = readFileSync(join(base, 'backup_label'), 'utf8')
  const name = /\(file ([0-9A-F]{24})\)/.exec(label)?.[1]
  if (name === undefined) throw new Error(`${base}/backup_label names no segment`)
  return name
}
