import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { isFresh, readCoverage } from '#test/runner/coverage.ts'
import { Lane } from '#test/runner/lanes.ts'

/** Not needed by the tests of mutants, or not to be written to. */
const LINKED = ['node_modules', 'docs']
const LEFT_OUT = new Set([...LINKED, '.git', '.data', 'dist'])
/** A mutant may never come to an end: a file's tests are ended after so many seconds, or after so many times their usual ones. */
const LIMIT = { seconds: 60, times: 10 }

/** Which test file failed, and its first test that did; null where all passed. */
export type Notice = { file: string; title: string } | null

/** A copy of the tree in which a mutant lives, so that the work tree is never changed. */
export class ScratchCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'durable-trader-mutants-'))
  readonly #env: NodeJS.ProcessEnv
  readonly #sound = new Map<string, boolean>()

  /** @param env of the processes that run tests */
  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
    cpSync(REPOSITORY, this.#folder, {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(relative(REPOSITORY, source)),
    })
    for (const name of LINKED) symlinkSync(join(REPOSITORY, name), join(this.#folder, name))
  }

  /** Runs test files with another text in place of a file's own, up to the first failure of a test that passes without. */
  async try(file: string, text: string, tests: readonly string[]): Promise<Notice> {
    const path = join(this.#folder, file)
    const sound = readFileSync(path, 'utf8')
    for (let rest = tests; ;) {
      writeFileSync(path, text)
      const notice = await this.#run(rest)
      writeFileSync(path, sound)
      if (notice === null || (await this.#isSound(notice.file))) return notice
      rest = rest.slice(rest.indexOf(notice.file) + 1)
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }

  /** A test that fails without a mutant would seem to notice each. */
  async #isSound(file: string): Promise<boolean> {
    const coverage = readCoverage(file)
    const isSound =
      this.#sound.get(file) ?? ((coverage && isFresh(coverage)) || (await this.#run([file])) === null)
    this.#sound.set(file, isSound)
    if (!isSound) console.log(`${file} fails without a mutant`)
    return isSound
  }

  async #run(tests: readonly string[]): Promise<Notice> {
    if (tests.length === 0) return null
    const lane = new Lane({ folder: this.#folder, env: { ...this.#env, RECORD_COVERAGE: undefined } })
    try {
      for (const file of tests) {
        const seconds = Math.max(LIMIT.seconds, LIMIT.times * (readCoverage(file)?.seconds ?? 0))
        let isLate = false
        const limit = setTimeout(() => {
          isLate = true
          lane.kill()
        }, seconds * 1_000)
        const { failures } = (await lane.run(file, { bail: true })).result
        clearTimeout(limit)
        if (failures.length > 0) return { file, title: isLate ? 'the time limit' : failures[0]!.title }
      }
      return null
    } finally {
      await lane.end()
    }
  }
}
