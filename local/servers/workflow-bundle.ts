import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProgramSource } from './program-source.ts'
import { runTool } from './tool-run.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
/** Everything that goes into the bundle, and what builds it. */
const SOURCES = ['workflows', 'domain', 'worker/bundle.ts', 'package-lock.json']

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
  const name = `${hashOfSources()}.js`
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

function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap(filesUnder))
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(PROJECT, path)))
  return hash.digest('hex').slice(0, 16)
}

/** The files of a folder in the project, or the file itself, by their paths from its top, in a fixed order. */
function filesUnder(path: string): string[] {
  if (path.includes('.')) return [path]
  return readdirSync(join(PROJECT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT.length))
    .toSorted()
}
