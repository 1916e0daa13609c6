import { statfsSync } from 'node:fs'
import { StartupError } from '../processes/startup-error.ts'

export function requireRoom(folder: string, needed: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < needed)
    throw new StartupError(
      `The disk of ${folder} has ${megabytes(bavail * bsize)} free; ${megabytes(needed)} are needed. Free some space, or choose another folder with --to.`,
    )
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`
