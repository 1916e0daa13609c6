import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { runChaos, type ChaosReport } from '#test/chaos/chaos.ts'
import { reportTable, violationLines } from '#test/chaos/report.ts'
import { openHistories, storiesBehind } from '#test/chaos/stories.ts'

const SIGNALS = 80

/** The long form is `npm run chaos`; this is what every change has to pass. */
describe('the service under kill -9', function () {
  // Late in the evening of New York the run waits for midnight, as long as it takes itself at most.
  this.timeout(2 * 300_000)
  const seed = randomInt(2 ** 31)
  let report: ChaosReport
  let logs = ''
  let stories = ''

  before(async () => {
    const options = {
      signals: SIGNALS,
      seed,
      killEveryMs: 3_000,
      standEveryMs: 10_000,
      longestStandMs: 8_000,
      fullStopEveryMs: 20_000,
      handSaleEveryMs: 5_000,
      moveClockEveryMs: 8_000,
      faultRate: 0.2,
      rate: 4,
      maxPositionShares: '60' as const,
      losesTemporal: false,
      losesLedger: false,
      hasApiWorker: true,
      isOfPlans: false,
      drainLimitMs: 90_000,
    }
    report = await runChaos(
      options,
      () => {},
      async (stack, judged) => {
        if (judged.violations.length > 0)
          logs = [stack.logs(), ...(await openHistories(stack, judged)).values()].join('\n')
        stories = await storiesBehind(stack, judged)
      },
    )
  })

  it(`the service under kill -9 has lost, doubled and left open nothing (seed ${seed})`, () => {
    if (report.violations.length > 0) console.error(`${logs}\n${reportTable(report)}`)
    assert.equal([violationLines(report), stories].filter(Boolean).join('\n'), '')
  })

  it('the service under kill -9 was really killed while it worked, and traded', () => {
    const kills = Object.values(report.kills).reduce((sum, count) => sum + count, 0)
    assert.ok(kills >= 6, `${kills} kills`)
    const executed = report.evidence.signals.filter(({ status }) => status === 'executed').length
    // The others are denied, by the limit of the position and while trading is stopped too, withdrawn, declined, and replaced before
    // they are sent.
    assert.ok(executed >= SIGNALS / 5, `${executed} signals were executed\n${reportTable(report)}`)
  })
})
