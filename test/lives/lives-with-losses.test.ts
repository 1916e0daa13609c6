import assert from 'node:assert/strict'
import { mock } from 'node:test'
import fc from 'fast-check'
import type { Database } from '#db/engine/database.ts'
import { useDatabase } from '#test/support/database.ts'
import { installCopies, LedgerCopies } from './ledger-copies.ts'
import { KNOWN_LIVES } from './known-lives.ts'
import { Life, type LifeEnd, type LifeServices } from './life.ts'
import { installClock, LivesClock } from './lives-clock.ts'
import {
  anyPlan,
  entriesAreDetermined,
  isDetermined,
  withoutLosses,
  type LifePlan,
  type Loss,
} from './plan.ts'
import { Troupe } from './troupe.ts'

/**
 * Lives of each kind; `npm test -- lives` sets them, and the seed of a run that is to be repeated. The short form lives the same
 * lives each time: what the search of hours finds becomes one of the known lives.
 */
const LIVES = Number(process.env['LIVES'] ?? 50)
const SEED =
  process.env['LIVES_SEED'] === undefined
    ? LIVES === 50
      ? 20_261_125
      : Date.now() % 2 ** 31
    : Number(process.env['LIVES_SEED'])
/** Workflows that live at once: those of a life's signals and manual orders. */
const STAGES = 32

/**
 * The real workflows with the real activities on a real PostgreSQL live through random lives, in which Temporal's data is
 * lost, an older copy of the ledger put in its place, or both, between any two steps: what is rebuilt from the ledger keeps
 * the same promises, and comes to the same end as the same life without losses. A life that fails is printed with the seed,
 * and as short as it can be made; it becomes one of the lives below.
 */
describe('lives that lose what they are remembered by', function () {
  this.timeout(Math.max(600_000, LIVES * 10_000))
  let services: LifeServices
  let database: Database
  useDatabase(async (opened, url) => {
    database = opened
    await installClock(url)
    await installCopies(url)
  })
  before(async () => {
    const { em } = database
    const troupe = await Troupe.gather(STAGES)
    services = { database, clock: new LivesClock(em), copies: new LedgerCopies(em), troupe }
  })
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: 0 }))
  afterEach(() => mock.timers.reset())

  let lived = 0
  async function assertRebuilt(plan: LifePlan): Promise<void> {
    lived += 1
    if (lived % 100 === 0 && LIVES > 50) console.log(`      ${lived} lives, seed ${SEED}`)
    const end = await new Life(services, plan).live()
    assert.deepEqual(end.faults, [])
    if (!isDetermined(plan) && !entriesAreDetermined(plan)) return
    const calm = await new Life(services, withoutLosses(plan)).live()
    assert.deepEqual(calm.faults, [], 'without losses')
    if (isDetermined(plan)) assert.deepEqual(end.signals, calm.signals)
    else assert.deepEqual(entries(end, end), entries(calm, end))
  }

  /** What the entries have filled of those signals that the ledger of `known` still knows. */
  const entries = ({ signals }: LifeEnd, known: LifeEnd): (string | null)[] =>
    signals.map(({ entryFilled }, index) =>
      known.signals[index]!.status === 'never came' ? null : entryFilled,
    )

  const live = (losses: readonly Loss[]): Promise<void> =>
    fc.assert(fc.asyncProperty(anyPlan(losses), assertRebuilt), { numRuns: LIVES, seed: SEED })

  for (const side of ['LONG', 'SHORT'] as const)
    for (const [title, life] of KNOWN_LIVES)
      it(`end as if nothing were lost, ${side}: ${title}`, async () => {
        const plan = { side, ...life }
        const end = await new Life(services, plan).live()
        assert.deepEqual(end, await new Life(services, withoutLosses(plan)).live())
        assert.deepEqual(end.faults, [])
      })

  it('keep their promises, and come to the same end, whenever Temporal’s data is lost', () =>
    live(['temporal']))

  it('keep their promises whenever an older ledger is restored, beside Temporal or without it', () =>
    live(['temporal', 'ledger', 'both']))
})
