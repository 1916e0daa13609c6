import { hkdfSync, randomBytes } from 'node:crypto'
import { watchFile } from 'node:fs'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { SettingsError } from './env.ts'

/**
 * Master keys of an installation, by id; signatures and encryption use keys derived from them. The current one is used
 * from now on; older ones only open.
 */
export interface KeyRing {
  current: string
  keys: ReadonlyMap<string, Buffer>
}

/** Key ring with the age of its keys, for signatures that older keys must not make. */
export interface DatedKeyRing extends KeyRing {
  /** Instants at which older keys stopped being the current one; announced keys are absent. */
  retiredAt: ReadonlyMap<string, Date>
}

/** Two purposes never share a key. */
export type KeyPurpose =
  | 'access-jwt'
  | 'known-devices'
  | 'stored-secrets'
  | 'temporal-payloads'
  | 'first-user'
  | 'key-check'
  | 'push'
  | 'back-ups'

const KEY_BYTES = 32

const keyId = () => z.string().regex(/^[\w-]{1,32}$/)

const keyFile = z
  .strictObject({
    current: keyId(),
    keys: z.record(keyId(), z.base64()),
    retiredAt: z.record(keyId(), z.iso.datetime()).optional(),
  })
  .refine(({ current, keys }) => Object.hasOwn(keys, current), 'the current key is not among the keys')
  .refine(
    ({ current, retiredAt }) => !Object.hasOwn(retiredAt ?? {}, current),
    'the current key is said to be retired',
  )
  .refine(
    ({ keys }) => Object.values(keys).every((key) => Buffer.from(key, 'base64').length === KEY_BYTES),
    `each key has ${KEY_BYTES} bytes`,
  )

export const OWN_KEY_FILE = '.data/keys.json'

/** Milliseconds within which a running process reads a changed key file. */
export const KEY_FILE_READ_EVERY = 2_000

/**
 * Opens the key ring of a process; it follows its file, so that keys are replaced without a restart. Throws a
 * SettingsError for an unusable file, and in production without one: replicas with their own keys would refuse each
 * other's tokens and secrets.
 * @param onTrouble called when a changed file is unusable; the known keys stay in use
 */
export async function openKeyRing(
  settings: { KEY_FILE?: string | undefined; NODE_ENV?: string | undefined },
  onTrouble: (error: unknown) => void,
): Promise<DatedKeyRing> {
  if (settings.KEY_FILE !== undefined) return followKeyRing(settings.KEY_FILE, false, onTrouble)
  if (settings.NODE_ENV === 'production')
    throw new SettingsError('KEY_FILE: in production the keys have to be given; see npm run keys:create')
  return followKeyRing(OWN_KEY_FILE, true, onTrouble)
}

async function followKeyRing(
  path: string,
  mayCreate: boolean,
  onTrouble: (error: unknown) => void,
): Promise<DatedKeyRing> {
  let latest = await readKeyRing(path, mayCreate)
  watchFile(path, { interval: KEY_FILE_READ_EVERY, persistent: false }, () => {
    readKeyRing(path, false).then((ring) => (latest = ring), onTrouble)
  })
  return {
    get current() {
      return latest.current
    },
    get keys() {
      return latest.keys
    },
    get retiredAt() {
      return latest.retiredAt
    },
  }
}

/**
 * Reads the key ring. Throws a SettingsError for an unusable file.
 * @param mayCreate makes a ring where there is no file; concurrent processes agree on one
 */
export async function readKeyRing(path: string, mayCreate: boolean): Promise<DatedKeyRing> {
  for (;;) {
    let text: string
    try {
      text = await readFile(path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        throw new SettingsError(`KEY_FILE: ${path} cannot be read: ${(error as Error).message}`)
      if (!mayCreate)
        throw new SettingsError(`KEY_FILE: there is no file ${path}; make one with npm run keys:create`)
      await createKeyFile(path)
      continue
    }
    return parseKeyRing(path, text)
  }
}

/**
 * Adds a key that is not used yet, so that every process knows it before its first use; returns its id. Safe to repeat.
 */
export async function announceKey(path: string): Promise<string> {
  const ring = await readKeyRing(path, false)
  const newest = [...ring.keys.keys()].at(-1)!
  if (newest !== ring.current && !ring.retiredAt.has(newest)) return newest
  const announced = newKeyId()
  await replaceKeyFile(path, { ...ring, keys: new Map([...ring.keys, [announced, newKey()]]) })
  return announced
}

/** Makes an announced key the current one, and retires the one before. Older keys stay: they open their data. */
export async function takeKeyIntoUse(path: string, id: string): Promise<void> {
  const ring = await readKeyRing(path, false)
  if (!ring.keys.has(id)) throw new RangeError(`There is no key ${id}`)
  if (id === ring.current) return
  const retiredAt = new Map([...ring.retiredAt, [ring.current, new Date()]])
  retiredAt.delete(id)
  await replaceKeyFile(path, { current: id, keys: ring.keys, retiredAt })
}

/** Keys for one purpose, under the same ids; they follow the ring. */
export function keysFor(ring: DatedKeyRing, purpose: KeyPurpose): DatedKeyRing {
  let source: KeyRing['keys'] | undefined
  let derived: KeyRing['keys'] = new Map()
  return {
    get current() {
      return ring.current
    },
    get keys() {
      if (ring.keys !== source) {
        source = ring.keys
        derived = new Map([...source].map(([id, key]) => [id, derive(key, purpose)]))
      }
      return derived
    },
    get retiredAt() {
      return ring.retiredAt
    },
  }
}

const derive = (key: Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `durable-trader/${purpose}`, KEY_BYTES))

const newKeyId = (): string => `k${Date.now().toString(36)}${randomBytes(2).toString('hex')}`
const newKey = (): Buffer => randomBytes(KEY_BYTES)

function parseKeyRing(path: string, text: string): DatedKeyRing {
  let parsed: z.infer<typeof keyFile>
  try {
    parsed = keyFile.parse(JSON.parse(text))
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues[0]!.message : 'it holds no JSON'
    throw new SettingsError(`KEY_FILE: ${path} is no key ring: ${reason}`)
  }
  const keys = Object.entries(parsed.keys).map(([id, key]) => [id, Buffer.from(key, 'base64')] as const)
  return { current: parsed.current, keys: new Map(keys), retiredAt: retirements(parsed) }
}

/** Keys before the current one are retired, since ever where an older file has no time. */
function retirements({ current, keys, retiredAt = {} }: z.infer<typeof keyFile>): Map<string, Date> {
  const ids = Object.keys(keys)
  const older = ids.slice(0, ids.indexOf(current)).map((id) => [id, new Date(0)] as const)
  return new Map([...older, ...Object.entries(retiredAt).map(([id, at]) => [id, new Date(at)] as const)])
}

async function createKeyFile(path: string): Promise<void> {
  const current = newKeyId()
  const ring = { current, keys: new Map([[current, newKey()]]), retiredAt: new Map() }
  await writeKeyFile(path, ring, async (temporary) => {
    try {
      // Another process was faster where this fails.
      await link(temporary, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
}

const replaceKeyFile = (path: string, ring: DatedKeyRing): Promise<void> =>
  writeKeyFile(path, ring, (temporary) => rename(temporary, path))

/** Writes beside the file first, so that no process reads half of it; only its owner may read it. */
async function writeKeyFile(
  path: string,
  { current, keys, retiredAt }: DatedKeyRing,
  publish: (temporary: string) => Promise<void>,
): Promise<void> {
  const encoded = Object.fromEntries([...keys].map(([id, key]) => [id, key.toString('base64')]))
  const retired = Object.fromEntries([...retiredAt].map(([id, at]) => [id, at.toISOString()]))
  const content: z.infer<typeof keyFile> = { current, keys: encoded, retiredAt: retired }
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(temporary, 0o600)
    await publish(temporary)
  } finally {
    await rm(temporary, { force: true })
  }
}
