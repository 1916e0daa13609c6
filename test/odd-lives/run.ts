import { spawnSync } from 'node:child_process'

/**
 * So many lives, for a search that takes hours: `npm test -- odd-lives 10000`, a seed behind it to repeat a run, and
 * the number of a life behind that to live it alone.
 */
const [lives = '10000', seed, only] = process.argv.slice(2)
const { status } = spawnSync('mocha', ['test/odd-lives/odd-lives.test.ts'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ODD_LIVES: lives,
    ...(seed !== undefined && { ODD_LIVES_SEED: seed }),
    ...(only !== undefined && { ODD_LIVES_ONLY: only }),
  },
})
process.exitCode = status ?? 1
