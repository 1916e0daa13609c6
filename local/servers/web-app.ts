import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProgramSource } from './program-source.ts'
import { hashOfSources, PROJECT } from './source-hash.ts'
import { runTool } from './tool-run.ts'

/** Everything that the web app is made of, and what builds it. */
const SOURCES = ['web', 'domain', 'client', 'package-lock.json']
const isSource = (path: string): boolean => !/^web\/(dist|node_modules)\//.test(path)

/** Where the API finds the built app, from the top of the project. */
const BUILT = join(PROJECT, 'web', 'dist')
/** Holds what the sources were known by when the build was made. */
const STAMP = join(BUILT, '.sources')

/** absent: this copy has no web app, or not the packages to build it with. */
export type WebAppState = 'built' | 'unchanged' | 'absent'

/** Builds the web app when its sources have changed since the last build, in a process of its own. */
export async function ensureWebApp(source: ProgramSource): Promise<WebAppState> {
  const vite = join(PROJECT, 'node_modules', 'vite')
  if (!existsSync(join(PROJECT, 'web', 'vite.config.ts')) || !existsSync(vite)) return 'absent'
  const hash = hashOfSources(SOURCES, isSource)
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return 'unchanged'
  source.report('building')
  await runTool({
    name: 'Build of the web app',
    ...npmRun('build:web'),
    logFile: join(source.logFolder, 'web-app.log'),
    record: source.record,
    timeLimitMs: 5 * 60_000,
    onProgress: () => {},
  })
  // Last: a build that was cut short is made again.
  writeFileSync(STAMP, hash)
  return 'built'
}

/** How to run a script of package.json, with the npm that runs us where there is one. */
function npmRun(script: string): { command: string; args: string[] } {
  const npm = process.env['npm_execpath']
  const args = ['run', '--silent', script]
  return npm === undefined ? { command: 'npm', args } : { command: process.execPath, args: [npm, ...args] }
}
