import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { mapLimit } from '#domain/async/map-limit.ts'

const FILES_AT_ONCE = 8

export interface Content {
  size: number
  sha256: string
}

export async function copyFile(source: string | Readable, target: string): Promise<Content> {
  const hash = createHash('sha256')
  let size = 0
  await pipeline(
    typeof source === 'string' ? createReadStream(source) : source,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        size += chunk.length
        yield chunk
      }
    },
    createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }),
  )
  return { size, sha256: hash.digest('hex') }
}

/** After a failure no copy begins; it is thrown when all have ended. */
export async function copyAll<T>(items: readonly T[], copy: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  await mapLimit(FILES_AT_ONCE, items, async (item) => {
    if (failures.length > 0) return
    try {
      await copy(item)
    } catch (error) {
      failures.push(error)
    }
  })
  if (failures.length > 0) throw failures[0]
}

export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
