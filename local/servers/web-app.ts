import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfSources, PROJECT } from '#config/source-hash.ts'
import type { ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

const WEB_APP_SOURCES = ['web', 'domain', 'contract', 'client', 'package-lock.json']
const isSource = (path: string): boolean => !/^web\/(dist|node_modules)\//.test(path)

const BUILT = join('web', 'dist')
/** File with the hash of the sources at the build. */
const STAMP = '.sources'

/** absent: this copy lacks the web app, or its packages. */
export type WebAppState = 'built' | 'unchanged' | 'absent'

/**
 * Builds changed sources in a separate process.
 *
 * @throws {ProcessNotReadyError} when they cannot be built; the earlier build stays
 */
export async function ensureWebApp(source: ProgramSource, project = PROJECT): Promise<WebAppState> {
  const vite = join(project, 'node_modules', 'vite')
  if (!existsSync(join(project, 'web', 'vite.config.ts')) || !existsSync(vite)) return 'absent'
  const hash = hashOfSources(WEB_APP_SOURCES, isSource, project)
  const stamp = join(project, BUILT, STAMP)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return 'unchanged'
  source.report('building')
  const began = Date.now()
  await runTool({
    name: 'Build of the web app',
    ...npmRun(project, 'build:web'),
    logFile: join(source.logFolder, 'web-app.log'),
    record: source.record,
    timeLimitMs: 5 * 60_000,
    onProgress: () => source.report(`building, ${Math.round((Date.now() - began) / 1_000)} s`),
  })
  // Written last: an interrupted build is repeated.
  writeFileSync(stamp, hash)
  return 'built'
}

function npmRun(project: string, script: string): { command: string; args: string[] } {
  const npm = process.env['npm_execpath']
  const args = ['run', '--silent', '--prefix', project, script]
  return npm === undefined ? { command: 'npm', args } : { command: process.execPath, args: [npm, ...args] }
}
