import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '#local/servers/cache-folder.ts'
import { findOnPath, putInPlace, type ProgramSource } from '#local/servers/program-source.ts'
import { verifyingGo } from '#local/servers/temporal-binary.ts'
import { runTool } from '#local/servers/tool-run.ts'
import { StartupError } from '#local/processes/startup-error.ts'

/**
 * What judges the files in deploy/: prometheus itself, which runs queries; promtool, which judges rules; and amtool, which
 * judges the routes of alerts. The modules of Prometheus 3.16 and Alertmanager 0.34.
 */
const PROGRAMS = {
  prometheus: { module: 'github.com/prometheus/prometheus/cmd/prometheus', version: '0.316.0' },
  promtool: { module: 'github.com/prometheus/prometheus/cmd/promtool', version: '0.316.0' },
  amtool: { module: 'github.com/prometheus/alertmanager/cmd/amtool', version: '0.34.2' },
} as const
export type PrometheusProgram = keyof typeof PROGRAMS

/**
 * Path of one of these programs: from the PATH, from our cache, or built by the Go toolchain.
 *
 * @throws {StartupError} when there is no way to get it here
 */
export async function findPrometheusProgram(name: PrometheusProgram, source: ProgramSource): Promise<string> {
  const installed = findOnPath(name)
  if (installed) return installed
  const place = join(cacheFolder(), `${name}-${PROGRAMS[name].version}`, name)
  if (existsSync(place)) return place
  const go = findOnPath('go')
  if (!go) throw new StartupError(`No ${name}: none on the PATH, and no Go toolchain to build it with.`)
  await putInPlace(place, (folder) => buildWithGo(go, name, folder, source))
  return place
}

async function buildWithGo(
  go: string,
  name: PrometheusProgram,
  folder: string,
  source: ProgramSource,
): Promise<void> {
  const { module, version } = PROGRAMS[name]
  source.report('building with Go, some minutes the first time')
  await runTool({
    name: `Build of ${name}`,
    command: go,
    // The tests need none of the service discoveries, which are most of the program.
    args: ['install', '-tags=remove_all_sd', '-ldflags=-s -w', `${module}@v${version}`],
    env: { ...verifyingGo(process.env), GOBIN: folder, CGO_ENABLED: '0' },
    logFile: join(source.logFolder, `build-${name}.log`),
    record: source.record,
    timeLimitMs: 30 * 60_000,
    onProgress: () => {},
  })
}
