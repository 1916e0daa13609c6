import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The packages cannot be had on this machine: no Python, an older one, or no package index. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing'
}

/**
 * The folder of the programs of a virtual environment with exactly these packages, which is made at first. Throws
 * {@link ToolMissing}.
 *
 * @param name of the environment
 * @param requirements path of the list of packages, every one with its version
 */
export async function pythonPrograms(name: string, requirements: string): Promise<string> {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const folder = join(cache, 'durable-trader', `${name}-${version}`)
  const programs = join(folder, 'bin')
  const finished = join(folder, 'complete')
  if (existsSync(finished)) return programs
  const run = promisify(execFile)
  try {
    await run('python3', ['-m', 'venv', '--clear', folder])
    await run(join(programs, 'python'), [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-compile',
      '--no-deps',
      '-r',
      requirements,
    ])
    // An installation that was cut off has no such file, and is made again.
    await writeFile(finished, '')
  } catch (error) {
    throw new ToolMissing(`The packages of ${requirements} cannot be installed here`, { cause: error })
  }
  return programs
}
