import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { StartupError } from '#local/processes/startup-error.ts'
import { cacheFolder, findOnPath, putInPlace, type ProgramSource } from '#local/servers/program-source.ts'
import { buildWithGo, type GoProgram } from '#local/servers/go-program.ts'

/** A program of the tests. */
export interface TestProgram extends GoProgram {
  /** Where a program of this name on the PATH may be of any version. */
  isTakenFromPath?: boolean
  /** `--version` prints the version above: one that prints another is not used. */
  tellsVersion?: boolean
}

/** The tests need none of the service discoveries, which are most of these programs. */
const PROMETHEUS_TAGS = 'remove_all_sd'
/** Prometheus 3.16 itself, which runs queries; those of Debian 12, 2.42, pass the same tests. */
export const PROMETHEUS: TestProgram = {
  name: 'prometheus',
  package: 'github.com/prometheus/prometheus/cmd/prometheus',
  version: '0.316.0',
  tags: PROMETHEUS_TAGS,
  isTakenFromPath: true,
}
/** Judges the rules of Prometheus. */
export const PROMTOOL: TestProgram = {
  ...PROMETHEUS,
  name: 'promtool',
  package: 'github.com/prometheus/prometheus/cmd/promtool',
}
/** Judges the ways of alerts through the Alertmanager. */
export const AMTOOL: TestProgram = {
  name: 'amtool',
  package: 'github.com/prometheus/alertmanager/cmd/amtool',
  version: '0.34.2',
  tags: PROMETHEUS_TAGS,
  isTakenFromPath: true,
}
/** Renders charts and checks them. */
export const HELM: TestProgram = { name: 'helm', package: 'helm.sh/helm/v3/cmd/helm', version: '3.22.0' }
/** Holds objects of Kubernetes to their schemas. */
export const KUBECONFORM: TestProgram = {
  name: 'kubeconform',
  package: 'github.com/yannh/kubeconform/cmd/kubeconform',
  version: '0.7.0',
}

/**
 * Path of the program: from the PATH where that is allowed, from our cache, or built by the Go toolchain in up to some minutes.
 *
 * @throws {StartupError} when there is no way to get it here
 */
export async function findGoProgram(program: TestProgram, source: ProgramSource): Promise<string> {
  const { name, version } = program
  const installed = program.isTakenFromPath === true ? findOnPath(name) : undefined
  if (installed) return installed
  const place = join(cacheFolder(), `${name}-${version}`, basename(program.package))
  if (existsSync(place) && (await isThatVersion(place, program))) return place
  const go = findOnPath('go')
  if (!go)
    throw new StartupError(
      `No ${name}: none is in ${cacheFolder()}, and there is no Go toolchain to build it with. Install Go (https://go.dev/dl).`,
    )
  await putInPlace(place, (folder) => buildWithGo(go, program, folder, source))
  if (!(await isThatVersion(place, program)))
    throw new StartupError(`${place} was built as ${name} ${version}, but does not say so.`)
  return place
}

async function isThatVersion(place: string, { version, tellsVersion }: TestProgram): Promise<boolean> {
  if (tellsVersion !== true) return true
  try {
    const { stdout } = await promisify(execFile)(place, ['--version'], { timeout: 10_000 })
    return stdout.trimEnd().endsWith(` ${version}`)
  } catch {
    // Not a program that runs here: as good as none.
    return false
  }
}
