import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '#local/servers/cache-folder.ts'
import { findOnPath, putInPlace, type ProgramSource } from '#local/servers/program-source.ts'
import { verifyingGo } from '#local/servers/temporal-binary.ts'
import { runTool } from '#local/servers/tool-run.ts'
import { StartupError } from '#local/processes/startup-error.ts'

/** Of the Go module, which is that of Prometheus 3.16. */
const VERSION = '0.316.0'

/**
 * Path of promtool, which judges rules of Prometheus: from the PATH, from our cache, or built by the Go toolchain.
 *
 * @throws {StartupError} when there is no way to get it here
 */
export async function findPromtool(source: ProgramSource): Promise<string> {
  const installed = findOnPath('promtool')
  if (installed) return installed
  const place = join(cacheFolder(), `promtool-${VERSION}`, 'promtool')
  if (existsSync(place)) return place
  const go = findOnPath('go')
  if (!go) throw new StartupError('No promtool: none on the PATH, and no Go toolchain to build it with.')
  await putInPlace(place, (folder) => buildWithGo(go, folder, source))
  return place
}

async function buildWithGo(go: string, folder: string, source: ProgramSource): Promise<void> {
  source.report('building with Go, some minutes the first time')
  await runTool({
    name: 'Build of promtool',
    command: go,
    // Rules need none of the service discoveries, which are most of the program.
    args: [
      'install',
      '-tags=remove_all_sd',
      '-ldflags=-s -w',
      `github.com/prometheus/prometheus/cmd/promtool@v${VERSION}`,
    ],
    env: { ...verifyingGo(process.env), GOBIN: folder, CGO_ENABLED: '0' },
    logFile: join(source.logFolder, 'build-promtool.log'),
    record: source.record,
    timeLimitMs: 30 * 60_000,
    onProgress: () => {},
  })
}
