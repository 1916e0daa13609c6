import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import type { Mutant } from './mutant.ts'

/** Not needed by the tests of mutants, or not to be written to. */
const LEFT_OUT = new Set(['node_modules', '.git', '.data', 'dist', 'docs', 'test/histories/v0.1.0'])
/** A mutant may never come to an end: then its tests are ended after so many milliseconds for each of their files. */
const LIMIT = 120_000

/** What became of a run of tests. */
export type TestEnd = 'passed' | 'failed' | 'timed out'

/** A copy of the tree in which a mutant lives, so that the work tree is never changed. */
export class ScratchCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'durable-trader-mutants-'))

  constructor() {
    cpSync(REPOSITORY, this.#folder, {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(relative(REPOSITORY, source)),
    })
    symlinkSync(join(REPOSITORY, 'node_modules'), join(this.#folder, 'node_modules'))
  }

  /** Runs the tests of a mutant with the mutant in place, which is taken out again. */
  async try(mutant: Mutant, onOutput: (text: string) => void = () => {}): Promise<TestEnd> {
    const path = join(this.#folder, mutant.file)
    const sound = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      sound.replace(mutant.find, () => mutant.replacement),
    )
    try {
      return await this.test(mutant.tests, onOutput)
    } finally {
      writeFileSync(path, sound)
    }
  }

  /** Runs test files, up to the first failure. */
  async test(files: readonly string[], onOutput: (text: string) => void): Promise<TestEnd> {
    const mocha = spawn(
      process.execPath,
      [join('node_modules', 'mocha', 'bin', 'mocha.js'), '--bail', '--reporter', 'dot', ...files],
      // A group of its own, to end it with all that it has started.
      { cwd: this.#folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    mocha.stdout.on('data', (data: Buffer) => onOutput(data.toString()))
    mocha.stderr.on('data', (data: Buffer) => onOutput(data.toString()))
    let isLate = false
    const limit = setTimeout(() => {
      isLate = true
      process.kill(-mocha.pid!, 'SIGKILL')
    }, LIMIT * files.length)
    const code = await new Promise<number | null>((resolve, reject) => {
      mocha.once('error', reject)
      mocha.once('exit', resolve)
    })
    clearTimeout(limit)
    if (isLate) return 'timed out'
    return code === 0 ? 'passed' : 'failed'
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }
}
