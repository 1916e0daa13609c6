import { createHash } from 'node:crypto'
import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A file that was fetched is not the one that is expected, or there are others than those. */
export class DigestError extends Error {
  override readonly name = 'DigestError'
}

/** Throws {@link DigestError} unless the file has the SHA-256, given in hexadecimal digits. */
export async function requireDigest(file: string, sha256: string): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const found = hash.digest('hex')
  if (found !== sha256) throw new DigestError(`the SHA-256 of ${file} is ${found}, not ${sha256}`)
}

/** Throws {@link DigestError} unless the folder holds exactly these files: name -> SHA-256. */
export async function requireExactly(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const foreign = readdirSync(folder).filter((name) => !Object.hasOwn(files, name))
  if (foreign.length > 0)
    throw new DigestError(`${folder} holds what nobody asked for: ${foreign.join(', ')}`)
  for (const [name, sha256] of Object.entries(files)) await requireDigest(join(folder, name), sha256)
}
