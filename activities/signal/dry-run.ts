import { ApplicationFailure } from '@temporalio/activity'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { goFirst } from '#db/order/sequencing.ts'
import {
  judgeEntry,
  type EntryContext,
  type EntryDecision,
  type EntryMarket,
  type EntryTerms,
  type EntryVerdict,
  type EntryForApproval,
} from '#domain/risk/entry-check.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { nameOfOrder, type LiveOrder } from '#domain/position/symbol-state.ts'
import { cancelBlockingOrders } from '../order/cancel.ts'
import { decideEntry } from './decide.ts'
import type { DecideEntryDependencies } from './deciding.ts'

export interface Simulation extends Pick<
  DecideEntryDependencies,
  'liveTrading' | 'maxWaiting' | 'askMarket'
> {
  /** Its transaction is rolled back. */
  em: EntityManager
  /** Carries out no cancel, and answers as if it had. */
  broker: Broker
  /** UTC instant at which the entry would be sent. */
  at: string
  contextThen(context: EntryContext): EntryContext
}

export interface Judged {
  terms: EntryTerms
  market: EntryMarket
  verdicts: EntryVerdict[]
  quantity: Decimal | null
}

export type SimulatedOutcome =
  EntryDecision | EntryForApproval | { outcome: 'nothing' | 'waits'; detail: string }

export interface Simulated {
  decision: SimulatedOutcome
  /** Null where no rule was asked. */
  judged: Judged | null
  waitsFor: string[]
  cancels: string[]
}

/** Decides as {@link decideEntry}, but ends the wait for earlier signals. */
export async function simulateEntry(
  { em, broker, at, contextThen, ...given }: Simulation,
  terms: SignalTerms,
): Promise<Simulated> {
  const waitsFor: string[] = []
  const cancels: string[] = []
  let last: (Judged & { decision: EntryDecision | EntryForApproval }) | null = null
  const deps: DecideEntryDependencies = {
    ...given,
    em,
    now: () => Date.parse(at),
    brokerFor: () => Promise.resolve(broker),
    keysRejected() {},
    hearsEveryRule: true,
    judge(judgedTerms, context, market) {
      const judged = judgeEntry(judgedTerms, contextThen(context), market)
      last = { terms: judgedTerms, market, ...judged }
      return judged
    },
    async cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]) {
      cancels.push(...orders.map(nameOfOrder))
      await cancelBlockingOrders({ em, brokerFor: deps.brokerFor, now: deps.now }, accountId, closer, orders)
    },
  }
  const decide = async (): Promise<SimulatedOutcome> => {
    const { prepared } = await decideEntry(deps, terms, null)
    if (prepared.outcome === 'not_yet') {
      waitsFor.push(...prepared.behind)
      await goFirst(em, terms.signalId)
      return decide()
    }
    if (prepared.outcome === 'ended') return { outcome: 'nothing', detail: prepared.detail ?? '' }
    if (prepared.outcome === 'held' && prepared.refused)
      return { outcome: 'denied', code: prepared.refused.code, detail: prepared.detail }
    return prepared
  }
  const decision = await decide().catch((error: unknown): SimulatedOutcome => {
    if (!(error instanceof ApplicationFailure)) throw error
    const denied = last?.decision
    if (denied?.outcome === 'denied' && denied.detail === error.message) return denied
    return { outcome: 'waits', detail: error.message }
  })
  return { decision, judged: last, waitsFor, cancels }
}
