import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfSources, PROJECT } from '#config/source-hash.ts'
import type { ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

/** Sources of the web app and its build. */
const WEB_APP_SOURCES = ['web', 'domain', 'contract', 'client', 'package-lock.json']
const isSource = (path: string): boolean => !/^web\/(dist|node_modules)\//.test(path)

/** Place where the API finds the built app, from the top of the project. */
const BUILT = join('web', 'dist')
/** File with the hash of the sources at the build. */
const STAMP = '.sources'

/** absent: this copy lacks the web app, or the packages to build it. */
export type WebAppState = 'built' | 'unchanged' | 'absent'

/**
 * Builds the web app in a separate process if its sources have changed.
 *
 * @throws {ProcessNotReadyError} when it cannot be built; the earlier build stays
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

/** Command for a script of package.json, with the npm that runs us if there is one. */
function npmRun(project: string, script: string): { command: string; args: string[] } {
  const npm = process.env['npm_execpath']
  const args = ['run', '--silent', '--prefix', project, script]
  return npm === undefined ? { command: 'npm', args } : { command: process.execPath, args: [npm, ...args] }
}
