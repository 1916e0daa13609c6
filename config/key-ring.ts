import { hkdfSync, randomBytes } from 'node:crypto'
import { watchFile } from 'node:fs'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { SettingsError } from './env.ts'

/**
 * The master keys of an installation, by id: everything that is signed or encrypted uses keys derived from
 * them. The current one is used from now on; older ones still open what they closed.
 */
export interface KeyRing {
  current: string
  keys: ReadonlyMap<string, Buffer>
}

/** What keys are used for; two purposes never share one. */
export type KeyPurpose = 'access-jwt' | 'stored-secrets' | 'temporal-payloads' | 'key-check'

const KEY_BYTES = 32

const keyFile = z
  .strictObject({
    current: z.string().regex(/^[\w-]{1,32}$/),
    keys: z.record(z.string().regex(/^[\w-]{1,32}$/), z.base64()),
  })
  .refine(({ current, keys }) => Object.hasOwn(keys, current), 'the current key is not among the keys')
  .refine(
    ({ keys }) => Object.values(keys).every((key) => Buffer.from(key, 'base64').length === KEY_BYTES),
    `each key has ${KEY_BYTES} bytes`,
  )

/** Where keys are made on a machine that was given none. */
export const OWN_KEY_FILE = '.data/keys.json'

/** Within this many milliseconds a running process takes note of a changed key file. */
export const KEY_FILE_READ_EVERY = 2_000

/**
 * The key ring of a process; it follows its file, so that keys are replaced without a restart. Throws a
 * SettingsError when a given file cannot be used, and in production when none is given: replicas that each made
 * their own keys would refuse each other's tokens and secrets.
 *
 * @param onTrouble told when a changed file cannot be used; the keys known so far stay in use
 */
export async function openKeyRing(
  settings: { KEY_FILE?: string | undefined; NODE_ENV?: string | undefined },
  onTrouble: (error: unknown) => void,
): Promise<KeyRing> {
  if (settings.KEY_FILE !== undefined) return followKeyRing(settings.KEY_FILE, false, onTrouble)
  if (settings.NODE_ENV === 'production')
    throw new SettingsError('KEY_FILE: in production the keys have to be given; see npm run keys:create')
  return followKeyRing(OWN_KEY_FILE, true, onTrouble)
}

async function followKeyRing(
  path: string,
  mayCreate: boolean,
  onTrouble: (error: unknown) => void,
): Promise<KeyRing> {
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
  }
}

/**
 * Reads the key ring. Throws a SettingsError when the file cannot be used.
 *
 * @param mayCreate makes a new ring where there is no file; several processes may do so at once and then agree
 */
export async function readKeyRing(path: string, mayCreate: boolean): Promise<KeyRing> {
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
 * Adds a key that is not used yet, so that every process knows it before the first one uses it; answers its id.
 * One that was added before and has not come into use is answered again.
 */
export async function announceKey(path: string): Promise<string> {
  const ring = await readKeyRing(path, false)
  const newest = [...ring.keys.keys()].at(-1)!
  if (newest !== ring.current) return newest
  const announced = newKeyId()
  const keys = new Map([...ring.keys, [announced, newKey()]])
  await replaceKeyFile(path, { current: ring.current, keys })
  return announced
}

/** Makes an announced key the current one. The older keys stay: they open what they closed. */
export async function takeKeyIntoUse(path: string, id: string): Promise<void> {
  const { keys } = await readKeyRing(path, false)
  if (!keys.has(id)) throw new RangeError(`There is no key ${id}`)
  await replaceKeyFile(path, { current: id, keys })
}

/** Keys for one purpose, under the same ids; they follow the ring. */
export function keysFor(ring: KeyRing, purpose: KeyPurpose): KeyRing {
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
  }
}

const derive = (key: Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `durable-trader/${purpose}`, KEY_BYTES))

const newKeyId = (): string => `k${Date.now().toString(36)}${randomBytes(2).toString('hex')}`
const newKey = (): Buffer => randomBytes(KEY_BYTES)

function parseKeyRing(path: string, text: string): KeyRing {
  let parsed: z.infer<typeof keyFile>
  try {
    parsed = keyFile.parse(JSON.parse(text))
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues[0]!.message : 'it holds no JSON'
    throw new SettingsError(`KEY_FILE: ${path} is no key ring: ${reason}`)
  }
  const keys = Object.entries(parsed.keys).map(([id, key]) => [id, Buffer.from(key, 'base64')] as const)
  return { current: parsed.current, keys: new Map(keys) }
}

async function createKeyFile(path: string): Promise<void> {
  const current = newKeyId()
  await writeKeyFile(path, { current, keys: new Map([[current, newKey()]]) }, async (temporary) => {
    try {
      // Fails where another process was faster: then its keys are ours too.
      await link(temporary, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
}

const replaceKeyFile = (path: string, ring: KeyRing): Promise<void> =>
  writeKeyFile(path, ring, (temporary) => rename(temporary, path))

/** Writes beside the file first, so that nobody ever reads half of it; only its owner may read it. */
async function writeKeyFile(
  path: string,
  { current, keys }: KeyRing,
  publish: (temporary: string) => Promise<void>,
): Promise<void> {
  const encoded = Object.fromEntries([...keys].map(([id, key]) => [id, key.toString('base64')]))
  const content: z.infer<typeof keyFile> = { current, keys: encoded }
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
