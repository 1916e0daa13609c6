import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { EntryFacts } from '#db/order/entry-facts.ts'
import type { EntryMarket, judgeEntry, MarketNeeds } from '#domain/risk/entry-check.ts'
import type { OrderCaps } from '#domain/risk/buying-power.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { LiveOrder } from '#domain/position/symbol-state.ts'
import type { PreparedEntry } from '../contract.ts'
import type { Permitted } from '../order/throttle.ts'

export interface DecideEntryDependencies {
  em: EntityManager
  now(): number
  brokerFor(accountId: string): Promise<Broker>
  liveTrading: boolean
  maxWaiting: number
  keysRejected(accountId: string): void
  /** Throws a retryable failure until all have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
  askMarket(broker: Broker, terms: SignalTerms, needs: MarketNeeds): Promise<EntryMarket>
  judge: typeof judgeEntry
  /** A dry run asks every rule. */
  hearsEveryRule?: true
}

export interface DecidedEntry {
  prepared: PreparedEntry
  permitted?: Permitted
}

export interface Sending {
  caps: OrderCaps
  until: number
}

export type Ready = Extract<PreparedEntry, { outcome: 'ready' }>

export type Keep = (decision: PreparedEntry, em?: EntityManager) => Promise<DecidedEntry>

export type Refusal = Extract<PreparedEntry, { outcome: 'denied' | 'held' }>

/** A refusal claims nothing, and asks the broker outside the lock. */
export type Found = DecidedEntry | { refused: Refusal }

/** Throws when the approval of that instant, or its absence, no longer counts. */
export function assertApprovedAt(
  facts: EntryFacts | null,
  signalId: string,
  at: string | null,
): asserts facts is EntryFacts {
  if (facts === null || (facts.approval?.at ?? null) !== at)
    throw new Error(`${signalId} was approved meanwhile`)
}
