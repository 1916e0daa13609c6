import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { untilRunFits } from '#test/chaos/timing.ts'
import { Theatre } from '#test/stories/theatre.ts'
import { live } from './life.ts'
import { anyOddLife } from './plan.ts'
import { requestsBeyondBudget } from './promises.ts'

const LIVES = Number(process.env['ODD_LIVES'] ?? 80)
const SEED = Number(process.env['ODD_LIVES_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
/** The number of the one life that is to be lived; all by default. */
const ONLY = process.env['ODD_LIVES_ONLY']
/** Accounts in which lives are lived side by side. */
const DESKS = 40
const LONGEST_LIFE = 120_000

describe('lives of signals at brokers that are odd at any point', function () {
  let theatre: Theatre
  before(async function () {
    this.timeout(240_000)
    await sleep(untilRunFits(Date.now(), LONGEST_LIFE))
    theatre = await Theatre.open()
  })
  after(async function () {
    this.timeout(60_000)
    await theatre?.close()
  })

  it(`keep their promises: ${LIVES} lives of seed ${SEED}`, async function () {
    this.timeout(LONGEST_LIFE * Math.ceil(LIVES / DESKS) + 60_000)
    const lives = [...fc.sample(anyOddLife, { numRuns: LIVES, seed: SEED }).entries()]
    const waiting = ONLY === undefined ? lives : lives.filter(([number]) => String(number) === ONLY)
    const broken: string[] = []
    const work = async (): Promise<void> => {
      const desk = await theatre.desk()
      await theatre.untilFollowed(desk)
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [number, life] = next
        const violations = await live(desk, life, `L${number}`)
        if (violations.length > 0)
          broken.push(`life ${number}: ${violations.join('; ')}\n    ${JSON.stringify(life)}`)
      }
      broken.push(...requestsBeyondBudget(desk))
    }
    await Promise.all(Array.from({ length: Math.min(DESKS, waiting.length) }, work))
    assert.equal(broken.length, 0, `of ${LIVES} lives of seed ${SEED}:\n  ${broken.join('\n  ')}`)
  })
})
