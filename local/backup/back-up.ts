import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { rename, writeFile, mkdir } from 'node:fs/promises'
import { basename, join, relative, resolve, dirname } from 'node:path'
import { VERSION } from '#api/http/presentation.ts'
import type { DataFolder } from '../start/data-folder.ts'
import type { DemoCredentials } from '../start/demo.ts'
import { readJson, type Secrets } from '../start/secrets.ts'
import type { Report } from '../start/steps.ts'
import { StartupError } from '../processes/startup-error.ts'
import { portOfServer, postgresUrl } from '../servers/postgres.ts'
import { copyFile, flushFolder, type Content } from './copied-file.ts'
import { DATA, MANIFEST, type Manifest } from './manifest.ts'
import { BaseBackup, ROOM_FOR_LOG_BYTES } from './postgres-copy.ts'
import { requireRoom } from './room.ts'
import { signManifest } from './signature.ts'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export interface BackUpOptions {
  folder: DataFolder
  keyFile: string
  to: string
}

export interface BackUp {
  path: string
  keys: string
  manifest: Manifest
}

/**
 * The ledger decides, of one instant; Temporal is not copied and starts again from it. The venue is copied later:
 * orders only it knows are found there. Keys come last, because each is in its file before use. The name marks a
 * complete back-up. Throws {@link StartupError}.
 */
export async function backUp({ folder, keyFile, to }: BackUpOptions, report: Report): Promise<BackUp> {
  const url = urlOfLedger(folder)
  if (!existsSync(keyFile))
    throw new StartupError(`The keys are not at ${keyFile}: set KEY_FILE as for npm start.`)
  const home = homeOf(folder, to)
  const started = new Date()
  const server = await BaseBackup.start(url, folder.postgres).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') throw notRunning(folder)
    throw error
  })
  const name = `durable-trader-${started.toISOString().replaceAll(/[:.]/g, '-')}`
  const ending = `.${server.systemId}.partial`
  const draft = join(home, `${name}${ending}`)
  const keys = `${join(home, name)}.keys.json`
  try {
    // Only one back-up of an installation runs: others were cut off.
    for (const left of readdirSync(home).filter((each) => each.endsWith(ending))) {
      report(`removing ${left}, which was cut off`)
      rmSync(join(home, left), { recursive: true })
    }
    requireRoom(home, server.size() + ROOM_FOR_LOG_BYTES)
    mkdirSync(join(draft, DATA), { recursive: true, mode: 0o700 })
    const data = (path: string) => join(draft, DATA, path)

    report('copying PostgreSQL')
    const ledger = await server.copyInto(data('postgres'), 'postgres')
    report(`PostgreSQL: ${ledger.files.length} files, the state of ${ledger.ledgerAt}`)
    const { files, folders } = ledger
    const venueAt = existsSync(folder.venueLedger) ? new Date().toISOString() : null
    if (venueAt !== null) {
      const path = relative(folder.path, folder.venueLedger)
      folders.push('venue')
      files.push({ path, ...(await copyVenueLedger(credentialsOf(folder), data(path))) })
      report(`paper venue: ${files.at(-1)!.size} bytes`)
    }
    // The demo user's password and token, and links in messages, would help a thief and can be created again.
    const path = basename(folder.secrets)
    files.push({ path, ...(await copyFile(folder.secrets, data(path))) })

    const { sha256 } = await copyFile(keyFile, `${keys}${ending}`)
    await rename(`${keys}${ending}`, keys)
    const manifest: Manifest = {
      format: 1,
      service: VERSION,
      startedAt: started.toISOString(),
      venueAt,
      keys: { name: basename(keys), sha256 },
      ...ledger,
    }
    for (const path of folders) await flushFolder(data(path))
    await writeFile(join(draft, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    })
    await signManifest(draft, keys)
    for (const path of [join(draft, DATA), draft]) await flushFolder(path)
    await rename(draft, join(home, name))
    await flushFolder(home)
    return { path: join(home, name), keys, manifest }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    for (const file of [keys, `${keys}${ending}`]) rmSync(file, { force: true })
    throw error
  } finally {
    await server.end()
  }
}

function urlOfLedger(folder: DataFolder): string {
  const password = readJson<Secrets>(folder.secrets)?.postgresPassword
  if (password === undefined)
    throw new StartupError(
      `There is no installation in ${folder.path}: set DATA_DIR to a folder that npm start has used.`,
    )
  if (!existsSync(folder.postgres))
    throw new StartupError(
      `The installation in ${folder.path} has its PostgreSQL elsewhere (DATABASE_URL): copy it by its own means, and ${folder.path} besides.`,
    )
  const port = portOfServer(folder.postgres)
  if (port === null) throw notRunning(folder)
  return postgresUrl({ port, password }, 'durable_trader')
}

const notRunning = (folder: DataFolder): StartupError =>
  new StartupError(
    `The installation in ${folder.path} does not run. Start it with npm start and repeat this; or, while it is stopped, copy the folder: cp -a ${folder.path} ELSEWHERE`,
  )

function credentialsOf(folder: DataFolder): Pick<DemoCredentials, 'venueUrl' | 'venueControlSecret'> {
  const { venueUrl, venueControlSecret } = readJson<DemoCredentials>(folder.demoCredentials) ?? {}
  if (venueUrl === undefined || venueControlSecret === undefined)
    throw new StartupError(
      `${folder.demoCredentials} does not say where the paper venue is: start the service anew, which writes it.`,
    )
  return { venueUrl, venueControlSecret }
}

function homeOf(folder: DataFolder, to: string): string {
  const wanted = resolve(to)
  const isInside = (path: string): boolean => !relative(realpathSync(folder.path), path).startsWith('..')
  const inside = new StartupError(
    `${wanted} lies in the data folder ${folder.path}, and would be lost with it. Choose another folder with --to, best on another disk.`,
  )
  if (isInside(wanted)) throw inside
  try {
    mkdirSync(wanted, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartupError(
      `${wanted} cannot be made (${(error as Error).message}). Choose another with --to.`,
      {
        cause: error,
      },
    )
  }
  const home = realpathSync(wanted)
  if (isInside(home)) throw inside
  return home
}

const VENUE_PATIENCE_MS = 30_000

/** Only the venue may open its file, so it copies the file itself. Throws {@link StartupError}. */
async function copyVenueLedger(
  { venueUrl, venueControlSecret }: Pick<DemoCredentials, 'venueUrl' | 'venueControlSecret'>,
  target: string,
): Promise<Content> {
  const response = await asked(`${venueUrl}/venue/ledger.sqlite`, venueControlSecret)
  if (!response.ok || response.body === null)
    throw new StartupError(
      `The paper venue at ${venueUrl} does not give its ledger: ${response.status} ${await response.text()}`,
    )
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  return copyFile(Readable.fromWeb(response.body), target)
}

async function asked(url: string, secret: string): Promise<Response> {
  const deadline = performance.now() + VENUE_PATIENCE_MS
  for (;;) {
    try {
      return await fetch(url, { headers: { authorization: `Bearer ${secret}` } })
    } catch (error) {
      if (performance.now() > deadline)
        throw new StartupError(`The paper venue does not answer at ${url}; its log says why.`, {
          cause: error,
        })
    }
    await sleep(500)
  }
}
