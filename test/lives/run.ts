import { spawnSync } from 'node:child_process'

/**
 * So many lives of each kind, for a search that takes hours: `npm test -- lives 10000`; a seed behind it repeats a run, and words of a
 * title behind that live one kind alone, such as `npm test -- lives 300 7 "odd at any point"`.
 */
const [lives = '10000', seed, kind] = process.argv.slice(2)
const words = kind === undefined ? [] : ['--grep', kind]
const { status } = spawnSync('mocha', ['test/lives/lives-with-losses.test.ts', ...words], {
  stdio: 'inherit',
  env: { ...process.env, LIVES: lives, ...(seed !== undefined && { LIVES_SEED: seed }) },
})
process.exitCode = status ?? 1
