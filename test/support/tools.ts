import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { canInstallPackages, installPackages, unpackPackages } from '#local/servers/debian-packages.ts'
import {
  cacheFolder,
  DigestError,
  findOnPath,
  putInPlace,
  type ProgramSource,
} from '#local/servers/program-source.ts'
import { PYTHON_PACKAGES, succeeds } from '#local/servers/temporal-wheel.ts'
import { findTemporalBinary } from '#local/servers/temporal-binary.ts'
import { ToolMissing, withoutTimeLimit } from './left-out.ts'
import { testRun } from './test-run.ts'

/** A program that npm does not bring, without which some tests cannot run. */
export interface Tool {
  /** The tests that need it, in words that follow a number. */
  readonly tests: string
  /** The run that fetches it before its first test: `npm test`, or the checks of a merge besides; others do when a test asks. */
  readonly run: 'test' | 'checks' | 'none'
  /** The packages of Debian that bring it; there are none for some. */
  readonly packages: readonly string[]
  /** How a person brings it where there are no such packages. */
  readonly elsewhere?: string
  /** Its path, also fetched from a registry; undefined or an error with the reason where it cannot be had. */
  find(source: ProgramSource): Promise<string | undefined> | string | undefined
  /** Has the packages bring it, other than by installing them. */
  unpack?(source: ProgramSource): Promise<void>
}

const onPath = (...names: string[]) => ({
  find: () => names.map(findOnPath).find((path) => path !== undefined),
})

/** One of the programs of Prometheus. Those of Debian 12, 2.42, pass the same tests as 3.16. */
function ofPrometheus(name: string): Tool {
  const packages = ['prometheus', 'prometheus-alertmanager']
  const place = join(cacheFolder(), 'debian-prometheus', 'usr', 'bin')
  return {
    tests: "of Prometheus' rules, routes and dashboard",
    run: 'test',
    packages,
    find: () => findOnPath(name) ?? [join(place, name)].find((path) => existsSync(path)),
    unpack: (source) => unpackTogether(packages, source),
  }
}

const unpackTogether = async (packages: readonly string[], source: ProgramSource): Promise<void> =>
  putInPlace(join(cacheFolder(), 'debian-prometheus', 'usr'), (folder) =>
    unpackPackages(packages, folder, source),
  )

/** The one list of such programs, for `npm test`, for single files, and for the checks of a merge. */
export const TOOLS = {
  temporal: {
    tests: 'on a Temporal server',
    run: 'test',
    packages: PYTHON_PACKAGES,
    find: async (source) => (await findTemporalBinary(source)).path,
  },
  chromium: {
    tests: 'of the web app in a browser',
    run: 'test',
    packages: ['chromium'],
    elsewhere: 'name a Chromium or Chrome by the variable CHROMIUM',
    find: () => findChromium(process.env['CHROMIUM']),
  },
  curl: { tests: 'of the commands in README.md', run: 'test', packages: ['curl'], ...onPath('curl') },
  tar: { tests: 'of archives', run: 'test', packages: ['tar'], ...onPath('tar') },
  ps: { tests: 'of processes that stand still', run: 'test', packages: ['procps'], ...onPath('ps') },
  prometheus: ofPrometheus('prometheus'),
  promtool: ofPrometheus('promtool'),
  amtool: ofPrometheus('amtool'),
  python: {
    tests: 'with programs in Python 3.11 or newer',
    run: 'checks',
    packages: PYTHON_PACKAGES,
    find: findPython,
  },
  go: {
    tests: 'with programs that Go builds',
    run: 'none',
    packages: [],
    elsewhere: 'install Go (https://go.dev/dl)',
    ...onPath('go'),
  },
  faketime: {
    tests: 'of wrong clocks',
    run: 'none',
    packages: ['faketime'],
    find: () => globSync('/usr/lib/*/faketime/libfaketime.so.1')[0],
  },
} satisfies Record<string, Tool>

export type ToolName = keyof typeof TOOLS
export const TOOL_NAMES = Object.keys(TOOLS) as ToolName[]

/** How a person brings it, as a line to run. */
export function remedyOf(name: ToolName): string {
  const { packages, elsewhere }: Tool = TOOLS[name]
  const lines = packages.length === 0 ? [] : [`as root on Debian: apt-get install ${packages.join(' ')}`]
  return [...lines, ...(elsewhere === undefined ? [] : [elsewhere])].join('; or ')
}

/**
 * The path of a program, which is fetched where this process may do that.
 *
 * @throws {ToolMissing} where it cannot be had, which leaves out the test that asks
 */
export async function tool(name: ToolName): Promise<string> {
  const known = knownToBeMissing()[name]
  if (known !== undefined) throw new ToolMissing(name, known, remedyOf(name))
  return withoutTimeLimit(() => find(name))
}

async function find(name: ToolName): Promise<string> {
  const { record, folder } = await testRun()
  const source = { record, logFolder: folder, report: lineByLine(name) }
  const { find: look, packages, unpack }: Tool = TOOLS[name]
  const attempt = async (): Promise<string> => {
    const path = await look(source)
    if (path === undefined) throw new Error('there is none on this machine')
    return path
  }
  try {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof DigestError || packages.length === 0 || !canInstallPackages()) throw error
      await (unpack ? unpack(source) : installPackages(packages, source))
      return await attempt()
    }
  } catch (error) {
    if (error instanceof DigestError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ToolMissing(name, reason, remedyOf(name), { cause: error })
  }
}

/** Finds or fetches the programs before the first test; processes that are started later do not try again. */
export async function fetchTools(names: readonly ToolName[]): Promise<void> {
  const missing: Partial<Record<ToolName, string>> = {}
  for (const name of names) {
    try {
      await tool(name)
    } catch (error) {
      if (!(error instanceof ToolMissing)) throw error
      missing[name] = error.reason
      console.log(`  ${error.message}`)
    }
  }
  process.env['MISSING_TOOLS'] = JSON.stringify(missing)
}

const knownToBeMissing = (): Partial<Record<ToolName, string>> =>
  JSON.parse(process.env['MISSING_TOOLS'] ?? '{}') as Partial<Record<ToolName, string>>

/** A line at once, and again every five seconds while something goes on. */
function lineByLine(name: ToolName): (progress: string) => void {
  let last = Number.NEGATIVE_INFINITY
  return (progress) => {
    if (performance.now() - last < 5_000) return
    last = performance.now()
    console.error(`  ${name}: ${progress}`)
  }
}

function findChromium(named: string | undefined): string | undefined {
  if (named !== undefined) return existsSync(named) ? named : undefined
  const ofMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return (
    onPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable').find() ??
    (existsSync(ofMac) ? ofMac : undefined)
  )
}

async function findPython(): Promise<string | undefined> {
  const path = findOnPath('python3')
  const check = 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'
  return path !== undefined && (await succeeds(path, ['-c', check])) ? path : undefined
}
