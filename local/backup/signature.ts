import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keysFor, readKeyRing } from '#config/key-ring.ts'
import { StartupError } from '../processes/startup-error.ts'
import { MANIFEST } from './manifest.ts'

/** `id digest`: a key's id, and the HMAC of the manifest, which has the SHA-256 of all other files. */
export const SIGNATURE = `${MANIFEST}.hmac`

export async function signManifest(folder: string, keyFile: string): Promise<void> {
  const { current, keys } = await backUpKeys(keyFile)
  const digest = digestOf(await readFile(join(folder, MANIFEST)), keys.get(current)!)
  await writeFile(join(folder, SIGNATURE), `${current} ${digest.toString('hex')}\n`, {
    mode: 0o600,
    flush: true,
  })
}

/** Functions and settings of a restored back-up may hold commands. Throws {@link StartupError}. */
export async function requireSigned(folder: string, keyFile: string): Promise<void> {
  const [id = '', digest = ''] = (await textOf(join(folder, SIGNATURE))).trim().split(' ')
  const key = (await backUpKeys(keyFile)).keys.get(id)
  const expected = key && digestOf(await readFile(join(folder, MANIFEST)), key)
  const found = Buffer.from(digest, 'hex')
  if (expected?.length === found.length && timingSafeEqual(expected, found)) return
  throw new StartupError(
    `${folder} is not signed with its keys: it was changed since it was made, or is of a version that signed none. To restore it is to run what is in it. If you know where it was all the time, repeat this with --unsigned.`,
  )
}

const backUpKeys = async (keyFile: string) => keysFor(await readKeyRing(keyFile, false), 'back-ups')

const digestOf = (manifest: Buffer, key: Buffer): Buffer =>
  createHmac('sha256', key).update(manifest).digest()

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
