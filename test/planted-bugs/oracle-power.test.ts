import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectLedgers, settle } from '#test/chaos/collect.ts'
import { Deciders } from '#test/chaos/deciders.ts'
import { Havoc } from '#test/chaos/havoc.ts'
import { limitPosition } from '#test/chaos/position-limit.ts'
import { Random } from '#test/chaos/random.ts'
import { Senders } from '#test/chaos/senders.ts'
import type { ResolvedRequest } from '#test/chaos/wishes.ts'
import { Faults } from '#test/faults/fault-plan.ts'
import { LATE_FILL_MS } from '#test/faults/stories.ts'
import { eventually } from '#test/support/eventually.ts'
import { evidenceIn, type Evidence } from '#test/support/evidence.ts'
import { lettersOf } from '#test/support/letters.ts'
import { violationsOf, type Violation } from '#test/support/oracle.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { substituting } from '#test/support/substitutes.ts'
import type { BugName } from './bugs.ts'
import { planting } from './plan.ts'
import { MAX_POSITION_SHARES, SCENES, STRATEGY_WITHOUT_SHARES, type Scene } from './scenes.ts'

const SUBSTITUTES = {
  'worker/worker.ts': {
    '#activities/index.ts': 'test/planted-bugs/activities.ts',
    '#brokers/registry.ts': 'test/planted-bugs/brokers.ts',
    './feed/workflow-announcer.ts': 'test/planted-bugs/announcer.ts',
  },
  'activities/index.ts': {
    '#db/order/decisions.ts': 'test/planted-bugs/decisions.ts',
    '#db/order/reports.ts': 'test/planted-bugs/reports.ts',
  },
  'activities/order/throttle.ts': { '#db/order/throttle.ts': 'test/planted-bugs/throttle.ts' },
  'activities/signal/decide.ts': {
    '#db/order/decisions.ts': 'test/planted-bugs/decisions.ts',
    '#db/order/entry-facts.ts': 'test/planted-bugs/entry-facts.ts',
  },
  'activities/signal/opening.ts': {
    '#db/order/decisions.ts': 'test/planted-bugs/decisions.ts',
    '#db/order/entry-facts.ts': 'test/planted-bugs/entry-facts.ts',
  },
}
/** A bug may keep its signal from ever coming to an end, so nobody waits for that longer than this. */
const SETTLING_MS = 60_000
/** Scenes that are played at once: all of them would be more than a small machine answers in time. */
const AT_ONCE = 5

/**
 * Whether the oracle would find what it is there to find: real mistakes in a running service, each in signals of its
 * own, beside the same signals without a mistake.
 */
describe('a bug that is planted into the worker', function () {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-bugs-'))
  const planFile = join(folder, 'plan.json')
  const scenes = Object.entries(SCENES).map(([name, scene], number) => ({
    name: name as BugName,
    scene,
    planted: `ZTBUG${lettersOf(number)}`,
    sound: `ZTSOUND${lettersOf(number)}`,
  }))
  const faults = scenes.flatMap(({ scene: { fault }, planted, sound }) =>
    fault ? [planted, sound].map((symbol) => [symbol, fault] as const) : [],
  )
  const worker = {
    BROKER_POLL_INTERVAL: '3s',
    ...substituting(SUBSTITUTES),
    ...planting(Object.fromEntries(scenes.map(({ planted, name }) => [planted, name]))),
    ...Faults.write(planFile, Object.fromEntries(faults)),
  }
  const service = useStack({ worker }, { holdsTimelines: false })
  let evidence: Evidence

  before(async function () {
    this.timeout(300_000)
    const { stack } = service
    await limitPosition(stack, MAX_POSITION_SHARES)
    await stack.query(
      `insert into strategies (id, user_id, name) select '${STRATEGY_WITHOUT_SHARES}', user_id, 'of others' from accounts where id = '${stack.accountId}' returning id`,
    )
    const deciders = await Deciders.of(stack)
    const senders = new Senders(stack, deciders, Number.POSITIVE_INFINITY)
    const wishes: ResolvedRequest['wish'][] = []
    const play = async ({ story }: Scene, symbol: string): Promise<void> => {
      for (const [place, plan] of story.plans(symbol, stack.accountId).entries()) {
        wishes.push(plan.wish)
        await senders.send(plan, place)
      }
    }
    const dies = (symbol: string): Promise<void> =>
      eventually(() => assert.ok(Faults.struckIn(planFile).includes(symbol)), { within: 30_000, every: 50 })
    const supervisor = new Havoc(stack, new Random(1))
    await stack.venue.script(
      scenes.flatMap(({ scene, planted, sound }) =>
        [planted, sound].flatMap((symbol) => scene.story.broker?.(symbol) ?? []),
      ),
    )
    const faultless = scenes.filter(({ scene }) => !scene.fault)
    for (let first = 0; first < faultless.length; first += AT_ONCE)
      await Promise.all(
        faultless
          .slice(first, first + AT_ONCE)
          .flatMap(({ scene, planted, sound }) => [play(scene, planted), play(scene, sound)]),
      )
    // A worker that dies takes all signals along, so those in which it does come one after the other.
    for (const { scene, planted, sound } of scenes.filter((each) => each.scene.fault))
      for (const symbol of [planted, sound]) {
        await stack.untilReady()
        // Or the next scene would begin in a worker that is about to die.
        const { ended } = stack.parts.worker
        await Promise.all([play(scene, symbol), dies(symbol), ended])
      }
    await sleep(LATE_FILL_MS)
    await settle(stack, SETTLING_MS)
    await supervisor.end()
    await supervisor.release()
    evidence = {
      wishes,
      attempts: senders.attempts,
      withdrawals: deciders.withdrawals,
      ...(await collectLedgers(stack)),
      maxPositionShares: MAX_POSITION_SHARES,
      // How long it took says nothing: some of these bugs never let a signal come to an end.
      drain: { tookMs: 0, limitMs: 0 },
    }
  })
  after(() => rmSync(folder, { recursive: true }))

  const found = (symbol: string): Violation[] => violationsOf(evidenceIn(symbol, evidence))

  for (const { name, scene, planted, sound } of scenes)
    it(`${scene.breaks === null ? 'is made good' : `breaks ${scene.breaks}, and the oracle says so`}: ${name}`, () => {
      if (scene.fault)
        for (const symbol of [planted, sound]) assert.ok(Faults.struckIn(planFile).includes(symbol))
      assert.deepEqual(found(sound), [], 'nothing is found where the bug is not')
      const invariants = found(planted).map(({ invariant }) => invariant)
      if (scene.breaks === null) assert.deepEqual(found(planted), [])
      else assert.ok(invariants.includes(scene.breaks), `found ${JSON.stringify(found(planted))}`)
    })
})
