import { hkdfSync, randomBytes } from 'node:crypto'
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
export type KeyPurpose = 'access-jwt' | 'stored-secrets' | 'temporal-payloads'

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

/**
 * The key ring of a process. Throws a SettingsError when a given file cannot be used, and in production when none
 * is given: replicas that each made their own keys would refuse each other's tokens and secrets.
 */
export async function openKeyRing(settings: {
  KEY_FILE?: string | undefined
  NODE_ENV?: string | undefined
}): Promise<KeyRing> {
  if (settings.KEY_FILE !== undefined) return readKeyRing(settings.KEY_FILE, false)
  if (settings.NODE_ENV === 'production')
    throw new SettingsError('KEY_FILE: in production the keys have to be given; see npm run keys:create')
  return readKeyRing(OWN_KEY_FILE, true)
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

/** Adds a new key and makes it the current one; answers its id. The older keys stay. */
export async function addKey(path: string): Promise<string> {
  const { keys } = parseKeyRing(path, await readFile(path, 'utf8'))
  const current = newKeyId()
  const written = Object.fromEntries([...keys].map(([id, key]) => [id, key.toString('base64')]))
  await writeKeyFile(path, { current, keys: { ...written, [current]: newKey() } }, (temporary) =>
    rename(temporary, path),
  )
  return current
}

/** Keys for one purpose, under the same ids. */
export function keysFor({ current, keys }: KeyRing, purpose: KeyPurpose): KeyRing {
  const derived = [...keys].map(([id, key]) => [id, derive(key, purpose)] as const)
  return { current, keys: new Map(derived) }
}

const derive = (key: Buffer, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `durable-trader/${purpose}`, KEY_BYTES))

const newKeyId = (): string => `k${Date.now().toString(36)}${randomBytes(2).toString('hex')}`
const newKey = (): string => randomBytes(KEY_BYTES).toString('base64')

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
  await writeKeyFile(path, { current, keys: { [current]: newKey() } }, async (temporary) => {
    try {
      // Fails where another process was faster: then its keys are ours too.
      await link(temporary, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
}

/** Writes beside the file first, so that nobody ever reads half of it; only its owner may read it. */
async function writeKeyFile(
  path: string,
  content: z.infer<typeof keyFile>,
  publish: (temporary: string) => Promise<void>,
): Promise<void> {
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
