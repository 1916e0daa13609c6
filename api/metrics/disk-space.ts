import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

export interface DiskSpace {
  freeBytes: number
  sizeBytes: number
}

/** Of the folder, or its nearest parent that exists; null where the system does not tell. */
export async function diskSpace(folder: string): Promise<DiskSpace | null> {
  const path = resolve(folder)
  try {
    const { bavail, blocks, bsize } = await statfs(path)
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path
    return isAbsent ? diskSpace(dirname(path)) : null
  }
}
