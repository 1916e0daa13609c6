import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hashOfSources, PROJECT } from '#config/source-hash.ts'
import type { ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

/** Everything that goes into the bundle, and what builds it. */
const BUNDLE_SOURCES = ['workflows', 'domain', 'worker/bundle.ts', 'package-lock.json']

/**
 * The file with the workflow code as the worker runs it: built when the sources have changed since the last
 * start, in a process of its own so that its memory is given back.
 *
 * @param folder where bundles are kept; only the newest one is
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
