import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from '#test/architecture/source-files.ts'

const MAIN = join(REPOSITORY, 'bench/main.ts')

/** The figures that a benchmark prints when it measures very little. */
export async function figuresOf(scenario: string, ...options: string[]): Promise<object> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', MAIN, scenario, '--json', ...options],
    { cwd: REPOSITORY, maxBuffer: 2 ** 24 },
  )
  return JSON.parse(stdout) as object
}
