import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { migrations } from '#db/migrations/index.ts'
import { AlreadyRunningError, RunRecord } from '../processes/run-record.ts'
import { StartupError } from '../processes/startup-error.ts'
import { ownerOfData, requireInstalledVersion } from '../servers/postgres.ts'
import { dataFolderAt, type DataFolder } from '../start/data-folder.ts'
import type { Report } from '../start/steps.ts'
import { copyAll, copyFile, flushFolder } from './copied-file.ts'
import { DATA, MANIFEST, readManifest, type Manifest } from './manifest.ts'
import { writePrivateJson } from '../start/secrets.ts'
import type { Restoration } from './restoration.ts'
import { requireSigned } from './signature.ts'

const FILES = ['postgresql.conf', 'postgresql.auto.conf']
/** Settings that run a program, load code, or include others. */
const RUNS_SOMETHING =
  /_command$|_preload_libraries$|^(?:archive_library|dynamic_library_path|extension_control_path|jit_provider|hba_file|ident_file|data_directory|config_file)$|^include/

/** Removes commands, which our settings never have. Returns the removed lines. */
export function dropCommands(postgres: string): string[] {
  return FILES.filter((name) => existsSync(join(postgres, name))).flatMap((name) => {
    const path = join(postgres, name)
    const lines = readFileSync(path, 'utf8').split('\n')
    const dropped = lines.filter((line) => RUNS_SOMETHING.test(settingIn(line)))
    if (dropped.length > 0)
      writeFileSync(path, lines.filter((line) => !dropped.includes(line)).join('\n'), { flush: true })
    return dropped.map((line) => `${name}: ${line.trim()}`)
  })
}

const settingIn = (line: string): string => (line.trimStart().split(/\W/, 1)[0] ?? '').toLowerCase()

export interface RestoreOptions {
  from: string
  keyFile?: string | undefined
  mayBeUnsigned?: boolean
  to: DataFolder
}

/**
 * A back-up must be signed, or its settings lose commands, because its content is executed. Throws {@link
 * StartupError}.
 */
export async function restore(
  { from, keyFile, mayBeUnsigned = false, to }: RestoreOptions,
  report: Report,
): Promise<Manifest> {
  const source = resolve(from)
  const manifest = readManifest(source)
  if (manifest === null)
    throw new StartupError(
      `${source} is no complete back-up: it has no ${MANIFEST}. One that was cut off cannot be restored; take another.`,
    )
  await requireUnused(to)
  await requireFitting(source, manifest)
  requireRoom(to, manifest)
  const keys = keyFile === undefined ? join(dirname(source), manifest.keys.name) : resolve(keyFile)
  if (!existsSync(keys))
    throw new StartupError(
      `The keys of this back-up are not at ${keys}. Say with --keys where ${manifest.keys.name} is: nothing stored encrypted can be read without.`,
    )

  for (const left of draftsOf(to.path))
    report(`${left} is of a restore that was cut off, or of one that runs: remove it when none runs`)
  const draft = dataFolderAt(mkdtempSync(`${to.path}.restoring-`))
  try {
    // Each file inside is private; PostgreSQL's own user must pass.
    chmodSync(draft.path, 0o711)
    await copyChecked(keys, draft.keys, manifest.keys.sha256)
    if (!mayBeUnsigned) await requireSigned(source, draft.keys)
    for (const path of manifest.folders.toSorted()) mkdirSync(join(draft.path, path), { mode: 0o700 })
    report(`copying ${manifest.files.length} files`)
    await copyAll(manifest.files, ({ path, sha256 }) =>
      copyChecked(join(source, DATA, path), join(draft.path, path), sha256),
    )
    if (mayBeUnsigned)
      for (const line of dropCommands(draft.postgres)) report(`left out, because it runs something: ${line}`)
    const owner = await ownerOfData(draft.path)
    if (owner) giveTo(owner, draft.postgres, manifest)
    writePrivateJson(draft.restoration, { ledgerAt: manifest.ledgerAt } satisfies Restoration)
    for (const path of ['.', ...manifest.folders]) await flushFolder(join(draft.path, path))
    putInPlace(draft.path, to.path)
    await flushFolder(dirname(to.path))
    return manifest
  } catch (error) {
    rmSync(draft.path, { recursive: true, force: true })
    throw error
  }
}

const draftsOf = (path: string): string[] =>
  readdirSync(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.restoring-`))
    .map((name) => join(dirname(path), name))

function putInPlace(draft: string, path: string): void {
  try {
    renameSync(draft, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    throw new StartupError(
      `${path} was filled meanwhile, perhaps by another restore: nothing in it is overwritten.`,
      {
        cause: error,
      },
    )
  }
}

async function requireUnused(to: DataFolder): Promise<void> {
  if (!existsSync(to.path) || readdirSync(to.path).length === 0) return
  if (existsSync(to.record))
    try {
      await (await RunRecord.claim(to.record)).close()
    } catch (error) {
      if (!(error instanceof AlreadyRunningError)) throw error
      throw new StartupError(
        `Durable Trader runs on ${to.path} (process ${error.pid}). Stop it, or restore to another folder with --to.`,
        { cause: error },
      )
    }
  throw new StartupError(
    `${to.path} is not empty, and nothing in it is overwritten. Move it away (mv ${to.path} ${to.path}.lost), or restore to another folder with --to.`,
  )
}

async function requireFitting(source: string, { postgres, service }: Manifest): Promise<void> {
  const known = new Set(migrations.map(({ name }) => name))
  const newer = postgres.schema.filter((name) => !known.has(name))
  if (newer.length > 0)
    throw new StartupError(
      `${source} was made by Durable Trader ${service}, whose schema this version does not know (${newer.join(', ')}). Restore it with that version.`,
    )
  await requireInstalledVersion(join(source, DATA, 'postgres'))
}

function requireRoom(to: DataFolder, { files }: Manifest): void {
  const parent = dirname(to.path)
  mkdirSync(parent, { recursive: true })
  const { bavail, bsize } = statfsSync(parent)
  const needed = files.reduce((sum, { size }) => sum + size, 0)
  if (bavail * bsize < needed)
    throw new StartupError(
      `The disk of ${parent} has ${Math.floor((bavail * bsize) / 1_000_000)} MB free; ${Math.ceil(needed / 1_000_000)} MB are needed.`,
    )
}

async function copyChecked(source: string, target: string, sha256: string): Promise<void> {
  const damaged = (why: string, cause?: unknown) =>
    new StartupError(`${source} is damaged: ${why}. Nothing was restored; take another back-up.`, { cause })
  if (!existsSync(source)) throw damaged('it is missing')
  const found = await copyFile(source, target)
  if (found.sha256 !== sha256) throw damaged(`its SHA-256 is ${found.sha256}, not ${sha256}`)
}

function giveTo({ uid, gid }: { uid: number; gid: number }, postgres: string, manifest: Manifest): void {
  for (const path of [...manifest.folders, ...manifest.files.map((file) => file.path)]) {
    const target = join(dirname(postgres), path)
    if (target === postgres || target.startsWith(`${postgres}/`)) chownSync(target, uid, gid)
  }
}
