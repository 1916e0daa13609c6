import { setTimeout as sleep } from 'node:timers/promises'
import type { Evidence } from '#test/support/evidence.ts'
import { violationsOf, type Violation } from '#test/support/oracle.ts'
import { Stack } from '#test/support/stack.ts'
import type { ActiveFault } from '#test/support/venue-desk.ts'
import { eventually } from '#test/support/eventually.ts'
import { ByHand, planHandAct } from './by-hand.ts'
import { faultScriptFor } from './broker-faults.ts'
import { collectByHand, collectLedgers, settle } from './collect.ts'
import { Deciders } from './deciders.ts'
import { Disturbances } from './disturbances.ts'
import { Havoc } from './havoc.ts'
import type { ChaosOptions } from './options.ts'
import { Recess } from './recess.ts'
import { restoreOlderLedger, type Rollback } from './older-ledger.ts'
import { MovedClocks } from './moved-clocks.ts'
import { limitPosition } from './position-limit.ts'
import { Random } from './random.ts'
import { Senders } from './senders.ts'
import { closeAfter, untilRunFits } from './timing.ts'
import { resolveRequest, type ResolvedRequest } from './wishes.ts'

/** A run and its verdict. */
export interface ChaosReport {
  options: ChaosOptions
  evidence: Evidence
  violations: Violation[]
  kills: Readonly<Record<string, number>>
  /** How often what else was done to the service, by its name. */
  disturbances: Readonly<Record<string, number>>
  faults: ActiveFault[]
  /** What those who decided on signals were told: the decision and the status of the answer. */
  decisions: string[]
  /** Milliseconds from the first signal to the last answer. */
  trafficMs: number
}

/** How far a run is. */
export interface ChaosProgress {
  phase: 'waiting for midnight in New York' | 'starting' | 'sending' | 'settling' | 'judging'
  sent: number
  answered: number
  kills: number
}

/**
 * Sends signals through a whole service of its own while its processes are killed and its broker misbehaves, waits
 * until nothing moves any more, and has the oracle judge. `inspect` is called with the stack before it is closed.
 */
export async function runChaos(
  options: ChaosOptions,
  tell: (progress: ChaosProgress) => void = () => {},
  inspect: (stack: Stack, report: ChaosReport) => Promise<void> = async () => {},
): Promise<ChaosReport> {
  const progress: ChaosProgress = { phase: 'starting', sent: 0, answered: 0, kills: 0 }
  const enter = (phase: ChaosProgress['phase']) => {
    progress.phase = phase
    tell(progress)
  }
  const midnightIn = untilRunFits(Date.now(), longestRunMs(options))
  if (midnightIn > 0) {
    enter('waiting for midnight in New York')
    await sleep(midnightIn)
  }
  enter('starting')
  const close = closeAfter(Date.now())
  const clocks = new MovedClocks(new Random(options.seed ^ 0xc10c))
  const { api, worker } = options.moveClockEveryMs > 0 ? clocks.settings : {}
  const stack = await Stack.start({
    venue: { VENUE_CLOSE: close.local, VENUE_FEE_PER_SHARE: '0.01' },
    api: { EMBEDDED_WORKER: options.hasApiWorker ? 'on' : 'off', ...api },
    worker: { ...worker },
  })
  try {
    // Each its own, so that what is sent does not depend on how the killing went.
    const [traffic, chance] = [new Random(options.seed), new Random(options.seed ^ 0x5eed)]
    const secondsToClose = (close.at - Date.now()) / 1_000
    const plans = Array.from({ length: options.signals }, (_, number) =>
      resolveRequest(
        number,
        {
          accountId: stack.accountId,
          secondsLeft: (options.signals - number) / options.rate,
          secondsToClose: secondsToClose - number / options.rate,
          isOfPlans: options.isOfPlans,
        },
        traffic,
      ),
    )
    const recess = new Recess()
    const byHand = new ByHand(stack, recess)
    const deciders = await Deciders.of(stack, recess, byHand.tickets)
    const hands = new Random(options.seed ^ 0x4a4d)
    const acts = plans.map(({ wish }) => planHandAct(wish, hands))
    // Where others trade in its symbol, a level is not certain.
    for (const [number, act] of acts.entries()) if (act?.kind === 'ticket') plans[number]!.wish.levels = null
    const senders = new Senders(stack, deciders, close.at, recess)
    await limitPosition(stack, options.maxPositionShares)
    await stack.venue.script(faultScriptFor(options.faultRate), options.seed)

    enter('sending')
    const begun = performance.now()
    const havoc = new Havoc(stack, chance)
    if (options.killEveryMs > 0) havoc.begin(options.killEveryMs)
    const disturbances = new Disturbances(stack, options, clocks, recess)
    disturbances.begin()
    const sending: Promise<void>[] = []
    let rollback: Rollback | null = null
    for (const [number, plan] of plans.entries()) {
      if (options.losesLedger && number === Math.floor(plans.length * 0.75))
        rollback = await loseLedger(stack, havoc, disturbances, recess)
      if (options.losesTemporal && number === Math.floor(plans.length / 2)) await havoc.loseTemporal()
      progress.sent += 1
      const sent = senders.send(plan, options.seed + number).then(() => void (progress.answered += 1))
      // Waited for below, together with the others.
      sent.catch(() => {})
      sending.push(sent)
      const act = acts[number]
      if (act) sending.push(byHand.do(act, plan.wish))
      progress.kills = Object.values(havoc.kills).reduce((sum, count) => sum + count, 0)
      tell(progress)
      await sleep(1_000 / options.rate)
    }
    await Promise.all(sending)
    const trafficMs = performance.now() - begun

    enter('settling')
    await disturbances.end()
    await havoc.end()
    const faults = await stack.venue.activeFaults()
    await eventually(() => stack.venue.clearScript())
    const wishes = plans.flatMap(({ wish, next }) => (next ? [wish, next.wish] : [wish]))
    const swing = swingOf(stack, senders, plans)
    const drain = await settle(stack, options.drainLimitMs, async () => {
      await Promise.all([deciders.cancelDistantExits(wishes), swing()])
    })
    await havoc.release()

    enter('judging')
    const evidence: Evidence = {
      wishes,
      attempts: senders.attempts,
      withdrawals: deciders.withdrawals,
      ...(await collectLedgers(stack)),
      byHand: {
        ...(await collectByHand(stack)),
        tickets: byHand.tickets,
        notifiedFlattenings: byHand.notifiedFlattenings,
      },
      drain,
      maxPositionShares: options.maxPositionShares,
      temporalLostAt: havoc.temporalLostAt,
      unwatched: [
        ...havoc.unwatched,
        ...disturbances.unwatched,
        ...(rollback ? [rollback.unwatched] : []),
      ].toSorted((a, b) => a.from.localeCompare(b.from)),
      ...disturbances.evidence,
      market: senders.market,
      // Nobody of ours knows them any more.
      bySite: [...disturbances.atSite, ...(rollback?.evidence.lost ?? [])],
      rollback: rollback?.evidence ?? null,
    }
    const violations = violationsOf(evidence)
    const decisions = [...deciders.answers, ...byHand.answers]
    const { kills } = havoc
    const { counts } = disturbances
    const report = {
      options,
      evidence,
      violations,
      kills,
      disturbances: counts,
      faults,
      decisions,
      trafficMs,
    }
    await inspect(stack, report)
    return report
  } finally {
    await stack.close()
    clocks.remove()
  }
}

/** A ledger that was set back takes a minute to be compared, and as long to be told from its copy. */
const RESTORED_WITHIN_MS = 300_000

/** Milliseconds from the start of the service to its last exit, with a minute for the start and one for what is sent late. */
const longestRunMs = ({ signals, rate, drainLimitMs, losesLedger }: ChaosOptions): number =>
  (signals / rate) * 1_000 + drainLimitMs + 120_000 + (losesLedger ? RESTORED_WITHIN_MS : 0)

/** Prices that go through the levels of every plan, wherever its entry was; each stays for so many looks, in which it is seen. */
const SWING = [100, 94, 88, 94, 100, 106, 112, 106]
const SEEN_AFTER_LOOKS = 4

/** The market goes on to move where somebody waits for a level. */
function swingOf(stack: Stack, senders: Senders, plans: readonly ResolvedRequest[]): () => Promise<void> {
  const symbols = new Set(plans.flatMap(({ wish, body }) => ('protection' in body ? [wish.symbol] : [])))
  let looks = 0
  return async () => {
    const price = SWING[Math.floor(looks++ / SEEN_AFTER_LOOKS) % SWING.length]!
    const held = await stack.query<{ symbol: string }>(
      `select symbol from positions union select symbol from signals where status in ('queued', 'transmitted')
       union select symbol from protections where ended_at is null`,
    )
    const moving = held.filter(({ symbol }) => symbols.has(symbol))
    await Promise.all(moving.map(({ symbol }) => senders.pin(symbol, price)))
  }
}

/** Restores an older ledger while nothing else is done to the service. */
async function loseLedger(
  stack: Stack,
  havoc: Havoc,
  disturbances: Disturbances,
  recess: Recess,
): Promise<Rollback> {
  await recess.begin()
  try {
    return await disturbances.withoutStandstills(() => havoc.leaveTo(() => restoreOlderLedger(stack)))
  } finally {
    recess.end()
  }
}
