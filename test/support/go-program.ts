import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { StartupError } from '#local/processes/startup-error.ts'
import { cacheFolder, putInPlace, type ProgramSource } from '#local/servers/program-source.ts'
import { runTool } from '#local/servers/tool-run.ts'
import { tool } from './tools.ts'

/** A program that is built of a Go module, by a version of it that is pinned. */
export interface GoProgram {
  name: string
  /** Path of the package; its last part is the name of the file that Go makes. */
  package: string
  version: string
  /** `--version` prints the version above: one that prints another is not used. */
  reportsVersion?: boolean
}

/** Renders charts and checks them. */
export const HELM: GoProgram = { name: 'helm', package: 'helm.sh/helm/v3/cmd/helm', version: '3.22.0' }
/** Holds objects of Kubernetes to their schemas. */
export const KUBECONFORM: GoProgram = {
  name: 'kubeconform',
  package: 'github.com/yannh/kubeconform/cmd/kubeconform',
  version: '0.7.0',
}

/**
 * Path of the program: from our cache, or built by the Go toolchain in up to some minutes.
 *
 * @throws {ToolMissing} when it would have to be built, and there is no Go
 * @throws {StartupError} when Go builds another version than the pinned one
 */
export async function findGoProgram(program: GoProgram, source: ProgramSource): Promise<string> {
  const { name, version } = program
  const place = join(cacheFolder(), `${name}-${version}`, basename(program.package))
  if (existsSync(place) && (await isThatVersion(place, program))) return place
  const go = await tool('go')
  await putInPlace(place, (folder) => buildWithGo(go, program, folder, source))
  if (!(await isThatVersion(place, program)))
    throw new StartupError(`${place} was built as ${name} ${version}, but does not say so.`)
  return place
}

async function isThatVersion(place: string, { version, reportsVersion }: GoProgram): Promise<boolean> {
  if (reportsVersion !== true) return true
  try {
    const { stdout } = await promisify(execFile)(place, ['--version'], { timeout: 10_000 })
    return stdout.trimEnd().endsWith(` ${version}`)
  } catch {
    // Not a program that runs here: as good as none.
    return false
  }
}

/** Has Go build the program into the folder, under the last part of its package's path. */
async function buildWithGo(
  go: string,
  { name, package: path, version }: GoProgram,
  folder: string,
  source: ProgramSource,
): Promise<void> {
  source.report('building with Go, some minutes the first time')
  await runTool({
    name: `Build of ${name}`,
    command: go,
    args: ['install', '-v', '-ldflags=-s -w', `${path}@v${version}`],
    env: { ...verifyingGo(process.env), GOBIN: folder, CGO_ENABLED: '0' },
    logFile: join(source.logFolder, `build-${name}.log`),
    record: source.record,
    timeLimitMs: 30 * 60_000,
    onProgress: (output) => {
      const lines = output.trimEnd().split('\n')
      const downloads = lines.filter((line) => line.startsWith('go: downloading')).length
      source.report(
        `building with Go: ${downloads} modules fetched, ${lines.length - downloads} packages compiled`,
      )
    },
  })
}

/**
 * The environment in which Go holds every module against the public log of checksums, also where its settings turn that
 * off. A mirror of the log may be named: Go knows the log by its key.
 */
export function verifyingGo(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { GOSUMDB = '' } = environment
  const log = /^sum\.golang\.(org|google\.cn)( |$)/.test(GOSUMDB) ? GOSUMDB : 'sum.golang.org'
  // "none" matches no module; an empty value would fall back to GOPRIVATE.
  return { ...environment, GOSUMDB: log, GONOSUMDB: 'none' }
}
