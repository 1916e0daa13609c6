import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mapLimit } from '#domain/async/map-limit.ts'
import { collectLedgers, settle } from '#test/chaos/collect.ts'
import { Deciders } from '#test/chaos/deciders.ts'
import { Havoc } from '#test/chaos/havoc.ts'
import { Random } from '#test/chaos/random.ts'
import { Senders } from '#test/chaos/senders.ts'
import type { ResolvedRequest } from '#test/chaos/wishes.ts'
import { evidenceIn, type Evidence } from '#test/support/evidence.ts'
import { violationsOf } from '#test/support/oracle.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { again, casesOf, levelsOfSignal, SOUND_CASES, type FaultCase } from './cases.ts'
import { Faults } from './fault-plan.ts'
import { faultyWorker } from './faulty-worker.ts'
import { LATE_FILL_MS } from './stories.ts'

/**
 * How many signals are on their way at once, round by round: on a busy machine, or when a worker dies that carries others
 * too, a signal may not come to where it was to go wrong, or wait for a worker until it is too old to be sent, and is told
 * once more in a calmer round.
 */
const AT_ONCE = { calm: [30, 5, 1], dying: [16, 5, 1] }
const SETTLING_MS = 60_000

/**
 * Every call that the worker makes for a signal fails, never returns, or is where the worker dies, once before it has
 * done anything and once after; each in a signal of its own, many of them at once, on one service.
 */
describe('a call that goes wrong', function () {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-faults-'))
  const planFile = join(folder, 'plan.json')
  const calm = roundsOf([...casesOf('throw'), ...casesOf('hang')])
  const dying = roundsOf(casesOf('crash'))
  const cases = [...SOUND_CASES, ...calm.flat(), ...dying.flat()]
  const service = useStack({
    // What a dead feed has missed is found by comparing, which is seldom done otherwise.
    worker: {
      BROKER_POLL_INTERVAL: '3s',
      ...faultyWorker(planFile, levelsOfSignal(cases)),
    },
  })
  const wishes: ResolvedRequest['wish'][] = []
  let evidence: Evidence
  const struck = ({ symbol }: FaultCase): boolean => Faults.struckIn(planFile).includes(symbol)

  before(async function () {
    // About two minutes; a busy machine is given its time.
    this.timeout(900_000)
    const { stack } = service
    const deciders = await Deciders.of(stack)
    const senders = new Senders(stack, deciders, Number.POSITIVE_INFINITY)
    const notifyAll = async (told: readonly FaultCase[], atOnce: number): Promise<void> => {
      await stack.venue.script(told.flatMap(({ story, symbol }) => story.broker?.(symbol) ?? []))
      await mapLimit(atOnce, told, async ({ story, symbol }) => {
        for (const [place, plan] of story.plans(symbol, stack.accountId).entries()) {
          wishes.push(plan.wish)
          await senders.send(plan, place)
        }
        await sleep(story.waitsMs ?? 0)
        await ended(symbol)
      })
    }
    const client = await stack.temporal()
    const ended = async (symbol: string): Promise<void> => {
      const deadline = performance.now() + SETTLING_MS
      const running = `Symbol = '${symbol}' and ExecutionStatus = 'Running'`
      while ((await client.workflow.count(running)).count > 0 && performance.now() < deadline)
        await sleep(300)
    }
    /** Symbols of signals that no worker has sent in time, because each that took them died at another signal. */
    const symbolsTooOld = async (): Promise<Set<string>> => {
      const rows = await stack.query<{ symbol: string }>(
        `select symbol from signals where status_reason = 'STALE'`,
      )
      return new Set(rows.map(({ symbol }) => symbol))
    }
    const supervisor = new Havoc(stack, new Random(1))
    const reportRounds = async (
      rounds: readonly (readonly FaultCase[])[],
      atOnce: number[],
    ): Promise<void> => {
      for (const [index, round] of rounds.entries()) {
        const tooOld = await symbolsTooOld()
        const hasEnded = (place: number): boolean =>
          rounds
            .slice(0, index)
            .some((earlier) => struck(earlier[place]!) && !tooOld.has(earlier[place]!.symbol))
        await notifyAll(
          round.filter((_, place) => !hasEnded(place)),
          atOnce[index]!,
        )
      }
    }
    await notifyAll(SOUND_CASES, SOUND_CASES.length)
    await reportRounds(calm, AT_ONCE.calm)
    await reportRounds(dying, AT_ONCE.dying)
    await sleep(LATE_FILL_MS)
    const drain = await settle(stack, SETTLING_MS)
    await supervisor.end()
    await supervisor.release()
    evidence = {
      wishes,
      attempts: senders.attempts,
      withdrawals: deciders.withdrawals,
      ...(await collectLedgers(stack)),
      drain,
    }
  })
  after(() => rmSync(folder, { recursive: true }))

  const assertUnharmed = ({ story, symbol }: FaultCase): void => {
    const found = evidenceIn(symbol, { ...evidence, drain: { tookMs: 0, limitMs: 0 } })
    const violations = violationsOf(found)
    if (violations.length > 0) console.error(JSON.stringify(found))
    assert.deepEqual(violations, [])
    const ends = found.signals
      .toSorted((a, b) => a.acceptedAt.localeCompare(b.acceptedAt))
      .map(({ status, statusReason, exitStatus }) => {
        const how = statusReason === null ? status : `${status} ${statusReason}`
        return exitStatus === null ? how : `${how}, exit ${exitStatus}`
      })
    assert.deepEqual([...new Set(ends)], story.ends)
  }

  it('keeps nothing from coming to its end', () => {
    assert.ok(evidence.drain.tookMs <= evidence.drain.limitMs, `it took ${evidence.drain.tookMs} ms`)
  })

  describe('for comparison, nothing goes wrong', () => {
    for (const each of SOUND_CASES) it(each.name, () => assertUnharmed(each))
  })

  for (const [what, mode, rounds] of [
    ['fails', 'throw', calm],
    ['never returns', 'hang', calm],
    ['is where the worker dies', 'crash', dying],
  ] as const)
    describe(what, () => {
      for (const [place, { name, fault }] of rounds[0]!.entries())
        if (fault?.mode === mode)
          it(name, () => {
            const round = rounds.findLast((each) => struck(each[place]!))
            assert.ok(round, 'it did go wrong')
            assertUnharmed(round[place]!)
          })
    })
})

function roundsOf(cases: readonly FaultCase[]): FaultCase[][] {
  return [1, 2, 3].map((round) => cases.map((each) => again(each, round)))
}
