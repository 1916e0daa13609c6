import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cacheFolder } from '#local/servers/cache-folder.ts'
import { findOnPath, putInPlace, type ProgramSource } from '#local/servers/program-source.ts'
import { verifyingGo } from '#local/servers/temporal-binary.ts'
import { runTool } from '#local/servers/tool-run.ts'
import { StartupError } from '#local/processes/startup-error.ts'

/** A program that is built of a Go module, by a version of it that is pinned. */
export interface GoProgram {
  name: string
  /** Path of the package; its last part is the name of the file that Go makes. */
  package: string
  version: string
  /** What is left out of it. */
  tags?: string
  /** Where a program of this name on the PATH may be of any version. */
  isTakenFromPath?: boolean
}

/** The tests need none of the service discoveries, which are most of these programs. */
const PROMETHEUS_TAGS = 'remove_all_sd'
/** Prometheus 3.16 itself, which runs queries. */
export const PROMETHEUS: GoProgram = {
  name: 'prometheus',
  package: 'github.com/prometheus/prometheus/cmd/prometheus',
  version: '0.316.0',
  tags: PROMETHEUS_TAGS,
  isTakenFromPath: true,
}
/** Judges the rules of Prometheus. */
export const PROMTOOL: GoProgram = {
  ...PROMETHEUS,
  name: 'promtool',
  package: 'github.com/prometheus/prometheus/cmd/promtool',
}
/** Judges the ways of alerts through the Alertmanager. */
export const AMTOOL: GoProgram = {
  name: 'amtool',
  package: 'github.com/prometheus/alertmanager/cmd/amtool',
  version: '0.34.2',
  tags: PROMETHEUS_TAGS,
  isTakenFromPath: true,
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
 * Path of the program: from the PATH where that is allowed, from our cache, or built by the Go toolchain in up to some minutes.
 *
 * @throws {StartupError} when there is no way to get it here
 */
export async function findGoProgram(program: GoProgram, source: ProgramSource): Promise<string> {
  const { name, version } = program
  const installed = program.isTakenFromPath === true ? findOnPath(name) : undefined
  if (installed) return installed
  const place = join(cacheFolder(), `${name}-${version}`, basename(program.package))
  if (existsSync(place)) return place
  const go = findOnPath('go')
  if (!go)
    throw new StartupError(`No ${name}: none is at hand, and there is no Go toolchain to build it with.`)
  await putInPlace(place, (folder) => buildWithGo(go, program, folder, source))
  return place
}

async function buildWithGo(
  go: string,
  { name, package: path, version, tags = '' }: GoProgram,
  folder: string,
  source: ProgramSource,
): Promise<void> {
  source.report('building with Go, some minutes the first time')
  await runTool({
    name: `Build of ${name}`,
    command: go,
    args: ['install', `-tags=${tags}`, '-ldflags=-s -w', `${path}@v${version}`],
    env: { ...verifyingGo(process.env), GOBIN: folder, CGO_ENABLED: '0' },
    logFile: join(source.logFolder, `build-${name}.log`),
    record: source.record,
    timeLimitMs: 30 * 60_000,
    onProgress: () => {},
  })
}
