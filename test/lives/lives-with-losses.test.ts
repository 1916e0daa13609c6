import assert from 'node:assert/strict'
import { mock } from 'node:test'
import fc from 'fast-check'
import type { Database } from '#db/engine/database.ts'
import { useDatabase } from '#test/support/database.ts'
import { installCopies, LedgerCopies } from './ledger-copies.ts'
import { KNOWN_LIVES, PLAN_LIVES } from './known-lives.ts'
import { Life, type LifeEnd, type LifeServices } from './life.ts'
import { installClock, LivesClock } from './lives-clock.ts'
import {
  anyAddition,
  anyOddLife,
  anyPlan,
  anyProtectedLife,
  entriesAreDetermined,
  isDetermined,
  withoutLosses,
  type LifePlan,
} from './plan.ts'
import { PLANTED } from './planted.ts'
import { Troupe } from './troupe.ts'
import { MADE_WAY, VisitCount } from './visits.ts'

/** Lives of each kind in the short form. */
const SHORT = 8

/**
 * Lives of each kind; `npm test -- lives` sets them, and the seed of a run that is to be repeated. The short form lives the same
 * lives each time: what the search of hours finds becomes one of the known lives.
 */
const LIVES = Number(process.env['LIVES'] ?? SHORT)
const SEED = Number(process.env['LIVES_SEED'] ?? (LIVES === SHORT ? 20_261_125 : Date.now() % 2 ** 31))
/** Lives of each kind from which on it is asked how many have come through what. */
const ENOUGH = 300
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
  const visits = new VisitCount()
  async function liveOnce(plan: LifePlan, count?: VisitCount): Promise<LifeEnd> {
    lived += 1
    if (lived % 100 === 0 && LIVES > SHORT) console.log(`      ${lived} lives, seed ${SEED}`)
    const life = new Life(services, plan)
    const end = await life.live()
    assert.deepEqual(end.faults, [])
    count?.add(life.visited)
    return end
  }

  async function assertRebuilt(plan: LifePlan): Promise<void> {
    const end = await liveOnce(plan)
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

  const live = (lives: fc.Arbitrary<LifePlan>, assertOf = assertRebuilt): Promise<void> =>
    fc.assert(fc.asyncProperty(lives, assertOf), { numRuns: LIVES, seed: SEED })

  for (const side of ['LONG', 'SHORT'] as const)
    for (const [title, life] of KNOWN_LIVES)
      it(`end as if nothing were lost, ${side}: ${title}`, async () => {
        const plan = { side, ...life }
        const end = await new Life(services, plan).live()
        assert.deepEqual(end, await new Life(services, withoutLosses(plan)).live())
        assert.deepEqual(end.faults, [])
      })

  for (const side of ['LONG', 'SHORT'] as const)
    for (const [title, life] of PLAN_LIVES)
      it(`keep their promises, ${side}: ${title}`, async () => {
        const { faults } = await new Life(services, { side, ...life }).live()
        assert.deepEqual(faults, [])
      })

  for (const { title, plant, life, fault } of PLANTED)
    it(`show that ${title}`, async () => {
      const { faults } = await new Life({ ...services, plant }, { side: 'LONG', ...life }).live()
      assert.ok(
        faults.some((one) => fault.test(one)),
        `found ${JSON.stringify(faults)}`,
      )
    })

  it('keep their promises, and come to the same end, whenever Temporal’s data is lost', () =>
    live(anyPlan(['temporal'])))

  it('keep their promises whenever an older ledger is restored, beside Temporal or without it', () =>
    live(anyPlan(['temporal', 'ledger', 'both'])))

  it('keep their promises with an exit by levels, after any loss', () =>
    live(
      anyProtectedLife(['temporal', 'temporal', 'temporal', 'ledger', 'both']),
      async (plan) => void (await liveOnce(plan, visits)),
    ))

  it('keep their promises where a position with an exit by levels is added to, after any loss', async () => {
    const added = new VisitCount()
    await live(
      anyAddition(['temporal', 'temporal', 'ledger', 'both']),
      async (plan) => void (await liveOnce(plan, added)),
    )
    if (LIVES >= ENOUGH) assert.ok(added.share(MADE_WAY) > 30, added.table)
  })

  it('keep their promises at a broker that is odd at any point', () =>
    live(anyOddLife(['temporal']), async (plan) => void (await liveOnce(plan))))

  it('come through all that an exit by levels may, often enough', function () {
    if (LIVES === SHORT) return this.skip()
    console.log(visits.table)
    // Few lives say nothing of how rare something is.
    if (LIVES >= ENOUGH) assert.deepEqual(visits.tooRare, [])
  })
})
