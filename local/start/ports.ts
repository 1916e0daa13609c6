import { createServer } from 'node:net'
import { localSettings, readSettings, type LocalSettings } from '#config/env.ts'
import { StartupError } from '../processes/startup-error.ts'
import { dataFolderAt } from './data-folder.ts'
import type { DemoCredentials } from './demo.ts'
import { readJson } from './secrets.ts'

type PortSetting = keyof LocalSettings & `${string}_PORT`

/** The part behind each port of `npm start`, in the order of PORT_BASE: the first has the base itself. */
export const PORTS = {
  API_PORT: 'the API and web app',
  VENUE_PORT: 'the paper venue',
  TEMPORAL_PORT: 'Temporal',
  TEMPORAL_UI_PORT: "Temporal's UI",
  CODEC_PORT: "decrypting for Temporal's UI",
  POSTGRES_PORT: 'PostgreSQL',
  API_METRICS_PORT: 'the metrics of the API',
  EMBEDDED_WORKER_METRICS_PORT: 'the metrics of its worker',
} satisfies Record<PortSetting, string>
export const PORT_SETTINGS = Object.keys(PORTS) as PortSetting[]

/** Bases for free ports: from 4000 on, below Linux's ports for outgoing connections. */
const BASES = Array.from({ length: 28 }, (_, index) => 4_000 + index * 1_000)

/**
 * Settings of `npm start`. A port without its own setting follows PORT_BASE, or that of the data folder's last start.
 */
export function readLocalSettings(environment: NodeJS.ProcessEnv = process.env): LocalSettings {
  const given = readSettings(localSettings, environment)
  const { demoCredentials } = dataFolderAt(given.DATA_DIR)
  const base = given.PORT_BASE ?? readJson<DemoCredentials>(demoCredentials)?.portBase
  if (base === undefined) return given
  const ports = PORT_SETTINGS.map((setting, index): [PortSetting, number] => [
    setting,
    environment[setting] ? given[setting] : base + index,
  ])
  return { ...given, PORT_BASE: base, ...Object.fromEntries(ports) }
}

export type WantedPort = { port: number; part: string; setting: string }

export function wantedPorts(settings: LocalSettings): WantedPort[] {
  const { DATABASE_URL, TEMPORAL_ADDRESS, VENUE_URL } = settings
  const isWanted: Partial<Record<PortSetting, boolean>> = {
    POSTGRES_PORT: DATABASE_URL === undefined,
    TEMPORAL_PORT: TEMPORAL_ADDRESS === undefined,
    TEMPORAL_UI_PORT: TEMPORAL_ADDRESS === undefined,
    CODEC_PORT: TEMPORAL_ADDRESS === undefined,
    VENUE_PORT: VENUE_URL === undefined,
  }
  return PORT_SETTINGS.filter((setting) => isWanted[setting] ?? true).map((setting) => ({
    port: settings[setting],
    part: PORTS[setting],
    setting,
  }))
}

/**
 * Throws one {@link StartupError} that names every taken port, its part, its setting, and a PORT_BASE with free ports.
 *
 * @param wantedFrom the ports with another PORT_BASE
 */
export async function requireFreePorts(
  wanted: readonly WantedPort[],
  wantedFrom?: (portBase: number) => readonly WantedPort[],
): Promise<void> {
  const faults = await faultsOf(wanted)
  if (faults.length === 0) return
  for (const base of wantedFrom ? BASES : []) {
    if ((await faultsOf(wantedFrom!(base))).length > 0) continue
    faults.push(`For a second copy on this machine: PORT_BASE=${base} npm start`)
    break
  }
  throw new StartupError(faults.join('\n'))
}

async function faultsOf(wanted: readonly WantedPort[]): Promise<string[]> {
  const faults: string[] = []
  const byPort = new Map<number, WantedPort>()
  for (const each of wanted) {
    const { port, part, setting } = each
    const other = byPort.get(port)
    if (other) faults.push(`Port ${port} is asked for twice: ${other.setting} and ${setting}. Change one.`)
    else if (!(await isFree(port)))
      faults.push(`Port ${port} for ${part} is taken by another program. Stop it, or change ${setting}.`)
    else if (await isBlocked(port))
      faults.push(`Port ${port} for ${part} is one that browsers refuse to open. Change ${setting}.`)
    byPort.set(port, each)
  }
  return faults
}

/** Whether browsers and Node's fetch never open the port, such as 6000; the port must be free now. */
const isBlocked = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}`).then(
    () => false,
    (error: unknown) => (error as { cause: Error }).cause.message === 'bad port',
  )

/** Finds a free port. It is not reserved: use it soon, and be ready to try another. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}

/** Whether no process listens on the port. Throws {@link StartupError} if this user may not. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve, reject) => {
    server.once('listening', () => resolve(true))
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else if (error.code === 'EACCES')
        reject(new StartupError(`Port ${port} needs more rights than this user has. Choose one above 1023.`))
      else reject(error)
    })
    server.listen(port, host)
  })
  if (free) await new Promise((resolve) => server.close(resolve))
  return free
}
