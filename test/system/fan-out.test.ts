import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { runFanOut } from '#test/chaos/fan-out.ts'

/** The long form: `FAN_OUT_ACCOUNTS=50 FAN_OUT_SIGNALS=20 npm test -- test/system/fan-out.test.ts`. */
const ACCOUNTS = Number(process.env['FAN_OUT_ACCOUNTS'] ?? 8)
const SIGNALS = Number(process.env['FAN_OUT_SIGNALS'] ?? 5)

describe('signals for many accounts under kill -9', function () {
  this.timeout(1_800_000)
  const seed = randomInt(2 ** 31)

  it(`signals for many accounts under kill -9 have one entry and one exit on each account (seed ${seed})`, async () => {
    const { faults, kills, drainMs } = await runFanOut({
      accounts: ACCOUNTS,
      signals: SIGNALS,
      seed,
      killEveryMs: 2_000,
      drainLimitMs: 60_000 + ACCOUNTS * SIGNALS * 500,
    })
    console.log(`        ${kills} kills, closed ${Math.round(drainMs)} ms after the last`)
    assert.deepEqual(faults, [])
    assert.ok(kills >= 1, `${kills} kills`)
  })
})
