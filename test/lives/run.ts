import { spawnSync } from 'node:child_process'

/** So many lives of each kind, for a search that takes hours: `npm test -- lives 10000`, and a seed to repeat one. */
const [lives = '10000', seed] = process.argv.slice(2)
const { status } = spawnSync('mocha', ['test/lives/lives-with-losses.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, LIVES: lives, ...(seed !== undefined && { LIVES_SEED: seed }) },
})
process.exitCode = status ?? 1
