import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from '#test/architecture/source-files.ts'

/** The figures that a benchmark prints when it measures very little. */
export async function figuresOf(file: string, ...options: string[]): Promise<object> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(REPOSITORY, file), '--json', ...options],
    { cwd: REPOSITORY, maxBuffer: 2 ** 24 },
  )
  return JSON.parse(stdout) as object
}
