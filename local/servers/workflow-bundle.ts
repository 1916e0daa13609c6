import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfSources, PROJECT } from '#config/source-hash.ts'
import type { ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

const BUNDLE_SOURCES = ['workflows', 'domain', 'worker/bundle.ts', 'package-lock.json']

/**
 * Builds changed workflow code in a separate process, which frees its memory.
 *
 * @param folder keeps only the newest bundle
 */
export async function ensureWorkflowBundle(
  folder: string,
  source: ProgramSource,
): Promise<{ file: string; isNew: boolean }> {
  const name = `${hashOfSources(BUNDLE_SOURCES)}.js`
  const file = join(folder, name)
  if (existsSync(file)) return { file, isNew: false }
  mkdirSync(folder, { recursive: true })
  source.report('building')
  await runTool({
    name: 'Build of the workflow bundle',
    command: process.execPath,
    args: [join(PROJECT, 'worker', 'bundle.ts'), file],
    logFile: join(source.logFolder, 'workflow-bundle.log'),
    record: source.record,
    timeLimitMs: 5 * 60_000,
    onProgress: () => {},
  })
  for (const other of readdirSync(folder)) if (other !== name) rmSync(join(folder, other))
  return { file, isNew: true }
}
