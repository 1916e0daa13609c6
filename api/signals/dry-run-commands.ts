import type { Broker, BrokerClock } from '#brokers/port.ts'
import { readEntryMarket } from '#brokers/entry-market.ts'
import { describeBrokerType } from '#brokers/registry.ts'
import { findAccountConnection } from '#db/accounts/sync.ts'
import type { Database } from '#db/engine/database.ts'
import { readProspectiveFacts } from '#db/orders/entry-facts.ts'
import { actAs } from '#db/engine/row-security.ts'
import { findLiveBySource } from '#db/signals/signals.ts'
import { findOwnStrategy } from '#db/signals/strategies.ts'
import type { Decimal } from '#domain/decimal.ts'
import {
  judgeEntry,
  marketNeeds,
  predecessors,
  type EntryDecision,
  type EntryContext,
  type EntryVerdict,
} from '#domain/entry-check.ts'
import { entryOrder } from '#domain/entry-order.ts'
import { earliestFill } from '#domain/earliest-fill.ts'
import { resolveExitTime } from '#domain/exit-time.ts'
import type { ExitPlan } from '#domain/exit.ts'
import { clientOrderIdFor, type OrderRequest } from '#domain/order.ts'
import type { TradingSession } from '#domain/session.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { addDays } from '#domain/wall-time.ts'
import { askBroker, connectTo, type BrokerAccess } from '../brokers/access.ts'
import type { ApiContext } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { runBounded, type WorkBounds } from '../http/work-bounds.ts'
import { newSignal } from './new-signal.ts'
import type { Advisory, SignalRequest } from './schema.ts'
import { senderOf, type Sender } from '../access/sender.ts'
import { termsOf } from '#db/signals/terms.ts'

export interface DryRunDeps extends BrokerAccess {
  maxStaleness: number
  /** The operator lets real money be traded. */
  liveTrading: boolean
}

/** What a dry run needs beside trading, of which it takes nothing. */
export interface BoundedDryRunDeps extends DryRunDeps {
  work: WorkBounds
  ordinaryDatabase: Database
}

/** What would become of a signal that was sent now. */
export interface DryRun {
  /** Null when no size can be worked out, so that there would be no order. */
  order: OrderRequest | null
  decision: EntryDecision
  verdicts: EntryVerdict[]
  /** Ids of earlier signals that it would wait for. */
  waitsFor: string[]
  clock: BrokerClock
  /** When its exit would be sent if the entry were filled as soon as it can be; null without an exit. */
  exit: ExitPlan | null
  advisories: Advisory[]
}

/** Covers the longest closure of an exchange with room to spare, in days. */
const REACH = 14

/**
 * A dry run within the bounds of other work: it comes by the route of signals, and neither waits among them nor takes
 * their connections to the database. Throws as {@link dryRunSignal}, and {@link ApiError} TOO_MANY_AT_ONCE and TOO_BUSY.
 */
export function boundedDryRun(
  deps: BoundedDryRunDeps,
  ctx: ApiContext,
  request: SignalRequest,
): Promise<DryRun> {
  const sender = senderOf(ctx)
  const { userId } = sender.principal
  const em = deps.ordinaryDatabase.em.fork()
  actAs(em, userId)
  return runBounded(deps.work, 'broker', userId, ctx, () => dryRunSignal(deps, { ...sender, em }, request))
}

/**
 * Plays a signal through without storing or sending anything: the same judgement that decides right before an
 * entry is sent, on the ledger and the market of this moment.
 *
 * Throws {@link ApiError} ACCOUNT_NOT_FOUND, STRATEGY_NOT_FOUND, BROKER_CREDENTIALS_INVALID, BROKER_SHARE_SPENT,
 * BROKER_ERROR.
 */
async function dryRunSignal(deps: DryRunDeps, sender: Sender, request: SignalRequest): Promise<DryRun> {
  const { em, principal, beforeDatabaseDeadline: inTime } = sender
  const terms = termsOf(newSignal(principal.userId, request, deps.maxStaleness))
  const connection = await inTime(findAccountConnection(em, terms.accountId))
  const ledgerFacts = await inTime(readProspectiveFacts(em, { ...terms, sourceId: request.sourceId }))
  if (!connection || !ledgerFacts) throw new ApiError('ACCOUNT_NOT_FOUND')
  const context = { ...ledgerFacts, liveTrading: deps.liveTrading }
  if (terms.strategyId !== null && !(await inTime(findOwnStrategy(em, terms.userId, terms.strategyId))))
    throw new ApiError('STRATEGY_NOT_FOUND')
  const holder =
    request.sourceId === null
      ? null
      : await inTime(findLiveBySource(em, terms.userId, terms.accountId, request.sourceId))

  const market = await askBroker(() =>
    observe(
      connectTo(deps, connection),
      terms,
      context,
      describeBrokerType(connection.brokerType).capabilities.calendarZone,
    ),
  )
  const { verdicts, decision, quantity } = judgeEntry(terms, context, market.facts)
  return {
    order: quantity === null ? null : orderOf(terms, quantity),
    decision,
    verdicts,
    waitsFor: predecessors(terms, context),
    clock: market.clock,
    exit: market.exit,
    advisories: [
      ...request.advisories,
      ...(decision.outcome === 'ready' ? decision.advisories : []),
      ...(holder && !request.replaceExisting ? [sourceIdTaken(holder.id)] : []),
    ],
  }
}

/** Everything that the dry run asks of the broker. The entry is taken to be filled as soon as it can be. */
async function observe(broker: Broker, terms: SignalTerms, context: EntryContext, zone: string) {
  const now = Date.now()
  const sentAt = new Date(Math.max(now, Date.parse(terms.scheduledAt ?? '') || 0)).toISOString()
  const sessions = (instant: string): Promise<TradingSession[]> => {
    const date = instant.slice(0, 10)
    // From the day before, whatever the zone.
    return broker.listSessions(addDays(date, -1), addDays(date, REACH))
  }
  const [facts, clock, exit] = await Promise.all([
    readEntryMarket(broker, terms, marketNeeds(terms, context), {
      sessions: () => sessions(new Date(now).toISOString()),
      now,
    }),
    broker.getClock(),
    terms.exit &&
      sessions(sentAt).then((known) => {
        const filledAt = earliestFill(terms, sentAt, known)
        return resolveExitTime(terms.exit!, { endedAt: filledAt, filledAt }, known, zone)
      }),
  ])
  return { facts, clock, exit }
}

const orderOf = (terms: SignalTerms, quantity: Decimal): OrderRequest => ({
  clientOrderId: clientOrderIdFor('<signal id>', 'entry', 1),
  ...entryOrder(terms, quantity),
})

const sourceIdTaken = (id: string): Advisory => ({
  code: 'source_id_taken',
  message: `The signal ${id} holds this sourceId: sent without replaceExisting, that one would be returned`,
})
