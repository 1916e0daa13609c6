import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfSources, PROJECT } from '#config/source-hash.ts'
import type { ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

/** Everything that the web app is made of, and what builds it. */
const WEB_APP_SOURCES = ['web', 'domain', 'contract', 'client', 'package-lock.json']
const isSource = (path: string): boolean => !/^web\/(dist|node_modules)\//.test(path)

/** Where the API finds the built app, from the top of the project. */
const BUILT = join('web', 'dist')
/** In it: what the sources were known by when the build was made. */
const STAMP = '.sources'

/** absent: this copy has no web app, or not the packages to build it with. */
export type WebAppState = 'built' | 'unchanged' | 'absent'

/**
 * Builds the web app when its sources have changed since the last build, in a process of its own.
 *
 * @throws {ProcessNotReadyError} when it cannot be built; the build before it stays
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
  // Last: a build that was cut short is made again.
  writeFileSync(stamp, hash)
  return 'built'
}

/** How to run a script of package.json, with the npm that runs us where there is one. */
function npmRun(project: string, script: string): { command: string; args: string[] } {
  const npm = process.env['npm_execpath']
  const args = ['run', '--silent', '--prefix', project, script]
  return npm === undefined ? { command: 'npm', args } : { command: process.execPath, args: [npm, ...args] }
}
