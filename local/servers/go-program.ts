import { join } from 'node:path'
import type { ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

/** A program that is built of a Go module, by a version of it that is pinned. */
export interface GoProgram {
  name: string
  /** Path of the package; its last part is the name of the file that Go makes. */
  package: string
  version: string
  /** The names that are left out of it. */
  tags?: string
}

/** Has Go build the program into the folder, under the last part of its package's path. */
export async function buildWithGo(
  go: string,
  { name, package: path, version, tags = '' }: GoProgram,
  folder: string,
  source: ProgramSource,
): Promise<void> {
  source.report('building with Go, some minutes the first time')
  await runTool({
    name: `Build of ${name}`,
    command: go,
    args: ['install', '-v', `-tags=${tags}`, '-ldflags=-s -w', `${path}@v${version}`],
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
