import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '#local/servers/program-source.ts'
import { ToolMissing } from './left-out.ts'
import { remedyOf, tool } from './tools.ts'

/**
 * The folder of the programs of a virtual environment with exactly these packages, which is made at first. Throws
 * {@link ToolMissing} where there is no Python, or no package index.
 *
 * @param name of the environment
 * @param requirements path of the list of packages, every one with its version
 */
export async function pythonPrograms(name: string, requirements: string): Promise<string> {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const folder = join(cacheFolder(), `${name}-${version}`)
  const programs = join(folder, 'bin')
  const finished = join(folder, 'complete')
  if (existsSync(finished)) return programs
  const python = await tool('python')
  const run = promisify(execFile)
  try {
    await run(python, ['-m', 'venv', '--clear', folder])
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
    const reason = `the packages of ${requirements} cannot be installed: ${String(error)}`
    throw new ToolMissing('python', reason, remedyOf('python'), { cause: error })
  }
  return programs
}
