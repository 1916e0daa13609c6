import {
  add,
  compare,
  isPositive,
  isZero,
  magnitude,
  multiply,
  negate,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import {
  clientOrderIdFor,
  executionSide,
  parseClientOrderId,
  type OrderRole,
  type OrderStatus,
} from '#domain/order/order.ts'
import { ENTRY_SIDE, isOpening, isFailed } from '#domain/signal/signal.ts'
import type {
  Evidence,
  StoredAlert,
  StoredSignal,
  StoredTrade,
  WorkflowEnd,
  TradeRequest,
} from './evidence.ts'
import { flattenFaults, openingsByHand, ticketFaults } from './by-hand-faults.ts'
import { groupFaults } from './group-faults.ts'
import { joinedOrders } from './joined-orders.ts'
import { reactionsOf } from './reached-levels.ts'
import { replayShares } from './share-replay.ts'
import type { LedgerOrder } from './venue-desk.ts'

/**
 * What must hold of every run, whatever failed during it.
 *
 * - I1 no loss: every acknowledged signal is on record and has come to one end
 * - I2 at most one order at the broker per signal, role and generation, and no more bought than asked for
 * - I3 the exit closes exactly what the entry filled
 * - I4 no order at the broker that no signal asked for
 * - I5 no order before or after its time, no exit before its own or before the entry has ended
 * - I6 no order of a signal that was withdrawn or declined, on record or as its owner was told
 * - I7 one sourceId names one signal, until that one has ended without an order or given way unfilled
 * - I8 database, broker and workflow say the same
 * - I9 everything settles in bounded time
 * - I10 a request that was not acknowledged has come to something once or not at all
 * - I11 every execution is on record once, and the trades add up to what they did to the cash
 * - I12 each share that is sold has an owner: an exit sells its own signal's, and opens nothing on the other side
 * - I13 what is held and what open entries may add never exceed a limit of the position
 * - I14 entries and exits are sent when they are due, or their owner is alerted within 30 s
 * - I15 nothing is sent that was given up, however long whoever was to send it stood still
 * - I16 the exits of a signal that work at the same time, and what was closed before, never exceed its shares; of a signal with an
 *   exit plan one works at a time, of whatever purpose
 * - I17 nothing is sent while all trading is stopped
 * - I18 of a ledger that was set back its owner is told each order at the broker that it does not know
 * - I19 a group has one signal or a refusal for each of its accounts, and no other group has its name
 * - I20 a level of an exit plan that the market has reached is acted upon while it stays there, or its owner is alerted
 * - I21 a key of a ticket or a close has one order, for no more than was asked for; a key of a flattening has one
 * - I22 after a flattening is done nothing fills any more in its symbols that opens and was accepted before, and nothing of it is held
 * - I23 what manages its own shares is to close no others
 */
export const INVARIANTS = [
  'I1',
  'I2',
  'I3',
  'I4',
  'I5',
  'I6',
  'I7',
  'I8',
  'I9',
  'I10',
  'I11',
  'I12',
  'I13',
  'I14',
  'I15',
  'I16',
  'I17',
  'I18',
  'I19',
  'I20',
  'I21',
  'I22',
  'I23',
] as const
export type Invariant = (typeof INVARIANTS)[number]

export interface Violation {
  invariant: Invariant
  /** What is wrong with what, in words. */
  message: string
}

/** One signal with everything that is on record of it. */
interface Dossier {
  signal: StoredSignal
  desired: TradeRequest | undefined
  entries: LedgerOrder[]
  exits: LedgerOrder[]
  entryFilled: Decimal
  exitFilled: Decimal
  /** Of its shares, those that closes and manual sales have taken. */
  closedByOthers: Decimal
  workflow: WorkflowEnd | undefined
}

/** Judges a run that has settled. Pure; an empty list means that nothing was lost, doubled or left open. */
export function violationsOf(found: Evidence): Violation[] {
  const evidence = { ...found, ledger: { ...found.ledger, orders: joinedOrders(found.ledger.orders) } }
  const dossiers = dossiersOf(evidence)
  const findings: Record<Invariant, Iterable<string>> = {
    I1: lost(evidence, dossiers),
    I2: doubled(evidence, dossiers),
    I3: notClosed(dossiers),
    I4: orphans(evidence, dossiers),
    I5: untimely(evidence, dossiers),
    I6: sentAfterWithdrawal(evidence, dossiers),
    I7: sharedSources(evidence, dossiers),
    I8: disagreements(evidence, dossiers),
    I9: unsettled(evidence),
    I10: repeatedRequests(evidence, dossiers),
    I11: miscounted(evidence),
    I12: replay(evidence).faults,
    I13: overLimit(evidence),
    I14: silentlyLate(evidence, dossiers),
    I15: sentAfterGivenUp(evidence),
    I16: closedTwice(dossiers),
    I17: sentWhileStopped(evidence),
    I18: unnotified(evidence),
    I19: groupFaults(evidence.groups ?? []),
    I20: missedLevels(evidence),
    I21: askedByHand(evidence),
    I22: openedAfterFlat(evidence, dossiers),
    I23: closedForOthers(evidence),
  }
  return INVARIANTS.flatMap((invariant) =>
    [...findings[invariant]].map((message) => ({ invariant, message })),
  )
}

function dossiersOf(evidence: Evidence): Dossier[] {
  const { signals, wishes, ledger, workflows } = evidence
  const { closedByOthers } = replay(evidence)
  const requestByKey = new Map(wishes.map((desired) => [desired.key, desired]))
  const workflowById = new Map(workflows.map((workflow) => [workflow.signalId, workflow]))
  const ordersById = Map.groupBy(
    ledger.orders,
    ({ client_order_id }) => parseClientOrderId(client_order_id)?.signalId,
  )
  return signals.map((signal) => {
    const orders = ordersById.get(signal.id) ?? []
    const inRole = (role: OrderRole) =>
      orders.filter(({ client_order_id }) => parseClientOrderId(client_order_id)?.role === role)
    const [entries, exits] = [inRole('entry'), inRole('exit')]
    return {
      signal,
      desired: signal.sourceId === null ? undefined : requestByKey.get(signal.sourceId),
      entries,
      exits,
      entryFilled: filledIn(entries),
      exitFilled: filledIn(exits),
      closedByOthers: closedByOthers.get(signal.id) ?? '0',
      workflow: workflowById.get(signal.id),
    }
  })
}

function replay({ ledger, orders, signals, wishes, fills, rollback }: Evidence) {
  const recorded = new Map(fills.map(({ executionId, recordedAt }) => [executionId, recordedAt]))
  const requestByKey = new Map(wishes.map((desired) => [desired.key, desired]))
  const actions = new Map(signals.map(({ id, sourceId }) => [id, requestByKey.get(sourceId ?? '')?.action]))
  const decided = [...orders, ...(rollback?.orders ?? [])]
  const reservedLots = new Map(
    decided.flatMap((order) => (order.reservedLots ? [[order.clientOrderId, order.reservedLots]] : [])),
  )
  return replayShares(
    ledger.orders,
    (signalId) =>
      isByHand(orders, clientOrderIdFor(signalId, 'entry', 1)) ? 'by hand' : actions.get(signalId),
    (clientOrderId) => reservedLots.get(clientOrderId) ?? [],
    (executionId) => recorded.get(executionId),
  )
}

const sum = (amounts: readonly Decimal[]): Decimal => amounts.reduce(add, '0')
const filledIn = (orders: readonly LedgerOrder[]): Decimal => sum(orders.map(({ filled_qty }) => filled_qty))
const isAcknowledgement = (status: number | null): boolean => status !== null && status >= 200 && status < 300

function* lost(
  { attempts, signals, temporalLostAt = null, clockErrorMs = 0 }: Evidence,
  dossiers: readonly Dossier[],
): Generator<string> {
  const known = new Set(signals.map(({ id }) => id))
  for (const { key, signalId, status } of attempts) {
    if (isAcknowledgement(status) && signalId === null)
      yield `${key} was acknowledged without naming a signal`
    if (signalId !== null && !known.has(signalId))
      yield `${key}: signal ${signalId}, of which its sender was told, is not on record`
  }
  for (const { signal, desired, workflow, entries, exits, entryFilled, closedByOthers } of dossiers) {
    const { id, status } = signal
    if (!workflow) {
      if (!hasEndedBefore(signal, temporalLostAt, clockErrorMs) && !isWithdrawnUnstarted(signal, entries))
        yield `signal ${id} (${status}) has no workflow`
    } else if (workflow.status !== 'COMPLETED') yield `the workflow of signal ${id} is ${workflow.status}`
    if (status !== 'executed' && !isFailed(status)) yield `signal ${id} has come to no end: ${status}`
    if (status === 'executed' && entries.length === 0)
      yield `signal ${id} is executed and the broker has no order`
    if (desired?.wantsExit && compare(entryFilled, closedByOthers) > 0 && exits.length === 0)
      yield `signal ${id} has filled and has no exit`
  }
}

function* doubled({ ledger }: Evidence, dossiers: readonly Dossier[]): Generator<string> {
  for (const [id, orders] of Map.groupBy(ledger.orders, ({ client_order_id }) => client_order_id))
    if (orders.length > 1) yield `the broker has ${orders.length} orders under ${id}`
  for (const { signal, desired, entries } of dossiers) {
    // An order that is dead counts with what it filled, one that is alive with all it may fill.
    const committed = sum(entries.map((order) => (isDead(order) ? order.filled_qty : order.qty)))
    if (desired && compare(committed, desired.quantity) > 0)
      yield `signal ${signal.id} asked for ${desired.quantity} and has entries for ${committed}`
  }
}

function* notClosed(dossiers: readonly Dossier[]): Generator<string> {
  for (const { signal, desired, exits, entryFilled, exitFilled, closedByOthers } of dossiers) {
    const difference = compare(add(exitFilled, closedByOthers), entryFilled)
    const others = isZero(closedByOthers) ? '' : `, others ${closedByOthers}`
    if (difference > 0) yield `signal ${signal.id} closed ${exitFilled} of ${entryFilled}${others}`
    if (difference < 0 && desired?.wantsExit)
      yield `signal ${signal.id} filled ${entryFilled} and closed only ${exitFilled}${others}`
    if (exits.length > 0 && desired && !desired.wantsExit)
      yield `signal ${signal.id} asked for no exit and has ${exits.length}`
  }
}

const isByHand = (orders: Evidence['orders'], id: string): boolean =>
  orders.some(({ clientOrderId, isByHand: byHand }) => clientOrderId === id && byHand)

function* orphans(
  { ledger, orders, bySite = [] }: Evidence,
  dossiers: readonly Dossier[],
): Generator<string> {
  const placedAtSite = new Set(bySite)
  const dossierById = new Map(dossiers.map((dossier) => [dossier.signal.id, dossier]))
  for (const { client_order_id, symbol, side, qty } of ledger.orders) {
    const identity = parseClientOrderId(client_order_id)
    const dossier = identity && dossierById.get(identity.signalId)
    const order = `order ${client_order_id} (${side} ${qty} ${symbol})`
    if (isByHand(orders, client_order_id)) continue
    if (placedAtSite.has(client_order_id)) continue
    if (!dossier) yield `${order} belongs to no signal`
    else if (dossier.desired) {
      const opening = buys(dossier.desired) ? 'buy' : 'sell'
      const closing = opening === 'buy' ? 'sell' : 'buy'
      if (symbol !== dossier.desired.symbol) yield `${order} is not in ${dossier.desired.symbol}`
      if (side !== (identity.role === 'entry' ? opening : closing)) yield `${order} is on the wrong side`
    }
  }
}

function* untimely({ clockErrorMs = 0 }: Evidence, dossiers: readonly Dossier[]): Generator<string> {
  for (const { desired, entries, exits } of dossiers) {
    for (const { client_order_id, created_at } of entries) {
      if (desired?.notBefore && created_at < desired.notBefore)
        yield `${client_order_id} came at ${created_at}, before ${desired.notBefore}`
      if (desired?.sendBefore && Date.parse(created_at) > Date.parse(desired.sendBefore) + clockErrorMs)
        yield `${client_order_id} came at ${created_at}, after ${desired.sendBefore}`
    }
    for (const exit of exits)
      for (const entry of entries) {
        const ended = endedAt(entry)
        if (ended === null || Date.parse(exit.created_at) < Date.parse(ended) + (desired?.exitAfterMs ?? 0))
          yield `${exit.client_order_id} came at ${exit.created_at}; the entry ended ${ended ?? 'never'}`
      }
    for (const { client_order_id, created_at } of exits)
      if (desired?.exitNotBefore && created_at < desired.exitNotBefore)
        yield `${client_order_id} came at ${created_at}, before ${desired.exitNotBefore}`
  }
}

function* sentAfterWithdrawal(
  { withdrawals, ledger, signals }: Evidence,
  dossiers: readonly Dossier[],
): Generator<string> {
  for (const { signal, entries } of dossiers)
    if (signal.statusReason === 'WITHDRAWN' || signal.statusReason === 'DECLINED')
      for (const { client_order_id } of entries)
        yield `${client_order_id} is at the broker; its signal is on record as ${signal.statusReason}`
  const statuses = new Map(signals.map(({ id, status }) => [id, status]))
  for (const { signalId, acknowledgedAt } of withdrawals) {
    // Whoever is told that a signal is withdrawn is told that no order was sent either, not only that none will be.
    for (const { client_order_id, at, outcome } of ledger.submissions)
      if (outcome === 'accepted' && client_order_id?.startsWith(signalId))
        yield `${client_order_id} was sent at ${at}; its withdrawal was acknowledged at ${acknowledgedAt}`
    const status = statuses.get(signalId)
    if (status !== 'cancelled' && status !== 'rejected')
      yield `signal ${signalId} is ${status ?? 'not on record'}; its withdrawal was acknowledged at ${acknowledgedAt}`
  }
}

function* sharedSources(
  { attempts, signals, clockErrorMs = 0 }: Evidence,
  dossiers: readonly Dossier[],
): Generator<string> {
  const stored = new Map(signals.map((signal) => [signal.id, signal]))
  for (const [source, holders] of Map.groupBy(signals, ({ sourceId }) => sourceId)) {
    if (source === null) continue
    const inOrder = holders.toSorted((a, b) => a.acceptedAt.localeCompare(b.acceptedAt))
    const holder = inOrder.findIndex(({ status }) => !isFailed(status))
    // One that was replaced held the sourceId before, though it may have come later than the one that took its place.
    const isLater = ({ acceptedAt }: StoredSignal): boolean =>
      Date.parse(acceptedAt) >= Date.parse(inOrder[holder]!.acceptedAt) + 2 * clockErrorMs
    const later =
      holder < 0 ? [] : inOrder.slice(holder + 1).filter((signal) => !isReplaced(signal) && isLater(signal))
    if (later.length > 0)
      yield `${source} is held by ${inOrder[holder]!.id}, and went to ${later.map(({ id }) => id).join(', ')} too`
  }
  for (const { key, signalId } of attempts) {
    const signal = signalId === null ? undefined : stored.get(signalId)
    if (signal && signal.sourceId !== key) yield `${key} was answered with the signal of ${signal.sourceId}`
  }
  for (const { signal, entries } of dossiers) {
    if (!isReplaced(signal)) continue
    for (const entry of entries)
      if (!mayHaveFilled(signal, entry))
        yield `signal ${signal.id} was replaced at ${signal.cancelledAt}; its entry had filled at ${entry.filled_at}`
    if (!signals.some((other) => other.sourceId === signal.sourceId && other.id !== signal.id))
      yield `signal ${signal.id} was replaced by none`
  }
}

function* disagreements(evidence: Evidence, dossiers: readonly Dossier[]): Generator<string> {
  yield* ordersThatDiffer(evidence)
  for (const { signal, workflow, entryFilled, exitFilled, closedByOthers } of dossiers) {
    const { id, status } = signal
    if (compare(signal.filledQuantity, entryFilled) !== 0)
      yield `signal ${id} shows ${signal.filledQuantity} filled, the broker ${entryFilled}`
    const outcome = workflow?.outcome
    if (outcome && outcome.status !== status)
      yield `signal ${id} is ${status}, its workflow ${outcome.status}`
    if (outcome && compare(outcome.entryFilled, entryFilled) !== 0)
      yield `the workflow of signal ${id} saw ${outcome.entryFilled} filled, the broker ${entryFilled}`
    if (outcome && compare(outcome.exitFilled, exitFilled) !== 0)
      yield `the workflow of signal ${id} saw ${outcome.exitFilled} closed, the broker ${exitFilled}`
    const isClosed = isPositive(exitFilled) && compare(entryFilled, add(exitFilled, closedByOthers)) === 0
    if ((signal.exitStatus === 'filled') !== isClosed)
      yield `signal ${id} shows its exit ${signal.exitStatus}; ${exitFilled} of ${entryFilled} are closed`
  }
  yield* positionsThatDiffer(evidence, dossiers)
}

function* ordersThatDiffer({ orders, ledger, bySite = [], rollback }: Evidence): Generator<string> {
  const stored = new Map(orders.map((order) => [order.clientOrderId, order]))
  for (const placed of ledger.orders) {
    const { client_order_id, status, filled_qty } = placed
    if (bySite.includes(client_order_id)) continue
    const order = stored.get(client_order_id)
    // A ledger that was set back does not learn again what was rejected without a fill.
    const wasKnown = rollback?.orders.some(({ clientOrderId }) => clientOrderId === client_order_id)
    if (!order && wasKnown && status === 'rejected' && isZero(filled_qty)) continue
    if (!order) yield `order ${client_order_id} is at the broker and not on record`
    else if (!statusesOf(placed).includes(order.status) || compare(order.filledQuantity, filled_qty) !== 0)
      yield `order ${client_order_id} is ${order.status} ${order.filledQuantity}, at the broker ${status} ${filled_qty}`
  }
  const atBroker = new Set(ledger.orders.map(({ client_order_id }) => client_order_id))
  for (const { clientOrderId } of orders)
    if (!atBroker.has(clientOrderId)) yield `order ${clientOrderId} is on record and not at the broker`
}

function* positionsThatDiffer(
  { ledger, orders, positions, bySite = [] }: Evidence,
  dossiers: readonly Dossier[],
): Generator<string> {
  const expected = new Map<string, Decimal>()
  for (const { desired, entryFilled, exitFilled } of dossiers) {
    if (!desired) continue
    const open = subtract(entryFilled, exitFilled)
    const change = buys(desired) ? open : negate(open)
    expected.set(desired.symbol, add(expected.get(desired.symbol) ?? '0', change))
  }
  for (const { client_order_id, symbol, side, filled_qty } of ledger.orders)
    if (isByHand(orders, client_order_id) || bySite.includes(client_order_id))
      expected.set(symbol, add(expected.get(symbol) ?? '0', side === 'buy' ? filled_qty : negate(filled_qty)))
  const held = new Map(ledger.positions.map(({ symbol, qty }) => [symbol, qty]))
  const shown = new Map(positions.map(({ symbol, quantity }) => [symbol, quantity]))
  for (const symbol of new Set([...expected.keys(), ...held.keys(), ...shown.keys()])) {
    const [wanted, atBroker, onRecord] = [expected, held, shown].map((source) => source.get(symbol) ?? '0')
    if (compare(wanted!, atBroker!) !== 0)
      yield `the broker holds ${atBroker} ${symbol}; the signals add up to ${wanted}`
    if (compare(atBroker!, onRecord!) !== 0)
      yield `the service shows ${onRecord} ${symbol}; the broker holds ${atBroker}`
  }
}

function* unsettled({ drain }: Evidence): Generator<string> {
  if (drain.tookMs > drain.limitMs)
    yield `it took ${Math.round(drain.tookMs)} ms to settle; ${drain.limitMs} are allowed${drain.moving ? `; left are ${drain.moving}` : ''}`
}

function* repeatedRequests({ wishes }: Evidence, dossiers: readonly Dossier[]): Generator<string> {
  const known = new Set(wishes.map(({ key }) => key))
  for (const [source, all] of Map.groupBy(dossiers, ({ signal }) => signal.sourceId)) {
    if (source === null || !known.has(source)) yield `${source ?? 'a signal without a source'} was never sent`
    // Where the broker does not cancel, a replaced order may fill (specification 3.2); it has its own exit then.
    const traded = all.filter(
      ({ entryFilled, entries, signal }) =>
        !isZero(entryFilled) &&
        !(isReplaced(signal) && entries.every((entry) => mayHaveFilled(signal, entry))),
    )
    if (traded.length > 1) yield `${source} was carried out by ${traded.length} signals`
  }
}

/** What may be lost by rounding the average prices of open trades, in dollars. */
const ROUNDING = '0.01'

function* miscounted({ ledger, fills, trades }: Evidence): Generator<string> {
  const executed = new Map(
    ledger.orders.flatMap((order) => order.fills).map((fill) => [fill.execution_id, fill]),
  )
  const stored = Map.groupBy(fills, ({ executionId }) => executionId)
  for (const [id, { qty, price }] of executed) {
    const [fill, ...again] = stored.get(id) ?? []
    if (!fill) yield `execution ${id} is not on record`
    else if (again.length > 0) yield `execution ${id} is on record ${again.length + 1} times`
    else if (compare(fill.quantity, qty) !== 0 || compare(fill.price, price) !== 0)
      yield `execution ${id} shows ${fill.quantity} at ${fill.price}, at the broker ${qty} at ${price}`
  }
  for (const id of stored.keys()) if (!executed.has(id)) yield `execution ${id} is not at the broker`
  const change = subtract(ledger.account.cash, ledger.account.openingCash)
  const accounted = sum(trades.map((trade) => trade.realisedPnl ?? cashSpentOn(trade)))
  if (compare(magnitude(subtract(change, accounted)), ROUNDING) > 0)
    yield `the trades add up to ${accounted} dollars, the cash has changed by ${change}`
}

/** The change of cash by opening a trade: a purchase costs, a short sale brings money. */
const cashSpentOn = ({ side, quantity, entryPrice, fees }: StoredTrade): Decimal => {
  const value = multiply(quantity, entryPrice)
  return subtract(side === 'SHORT' ? value : negate(value), fees)
}

/** Walks through acceptances and executions: each order that opens counts with all it may fill. */
function* overLimit({ ledger, maxPositionShares }: Evidence): Generator<string> {
  if (maxPositionShares === undefined || maxPositionShares === null) return
  for (const [symbol, orders] of Map.groupBy(ledger.orders, (order) => order.symbol)) {
    const opening = orders.filter(({ position_intent: intent }) => intent.endsWith('_to_open'))
    for (const { client_order_id: id, created_at: at } of opening) {
      const before = orders.flatMap((order) =>
        order.fills
          .filter((fill) => fill.at < at)
          .map(({ qty }) => (order.side === 'buy' ? qty : negate(qty))),
      )
      const open = opening
        .filter((order) => order.created_at <= at && (endedAt(order) ?? at) >= at)
        .map((order) => {
          const filled = sum(order.fills.filter((fill) => fill.at < at).map(({ qty }) => qty))
          return subtract(order.qty, filled)
        })
      const committed = add(magnitude(sum(before)), sum(open))
      if (compare(committed, maxPositionShares) > 0)
        yield `with ${id} up to ${committed} ${symbol} could be held; ${maxPositionShares} are allowed`
    }
  }
}

/** Whatever is not done so long after its instant has to be known to its owner, in milliseconds. */
const TOLD_WITHIN = 30_000

function* silentlyLate(
  { alerts = [], unwatched = [], collectedAt, clockErrorMs = 0 }: Evidence,
  dossiers: readonly Dossier[],
): Generator<string> {
  for (const dossier of dossiers) {
    const { id } = dossier.signal
    const duties = [entryDuty(dossier), exitDuty(dossier)].filter((duty) => duty !== null)
    for (const [what, dueAt, doneAt = collectedAt] of duties) {
      const told = alerts
        .filter((alert) => alert.signalId === id && TELLS_OF[what](alert, doneAt))
        .map(({ raisedAt }) => Date.parse(raisedAt))
      // The clock that tells when it is due, or watches, may be behind.
      const limit = afterWatching(Date.parse(dueAt), unwatched) + clockErrorMs
      if (doneAt === undefined || Date.parse(doneAt) <= limit || told.some((at) => at <= limit)) continue
      yield `the ${what} of signal ${id} was due at ${dueAt} and came ${doneAt}; nobody was alerted in time`
    }
  }
}

/** When the time to tell of what is due is over: what was not watched does not count. */
function afterWatching(
  dueAt: number,
  unwatched: NonNullable<Evidence['unwatched']>,
  within = TOLD_WITHIN,
): number {
  let limit = dueAt + within
  for (const { from, to } of unwatched)
    if (Date.parse(from) < limit && Date.parse(to) > dueAt)
      limit += Date.parse(to) - Math.max(Date.parse(from), dueAt)
  return limit
}

/** What was to be done when, and when it was; undefined when it is not done yet. */
type Duty = [what: 'entry' | 'exit', dueAt: string, doneAt: string | undefined]

const TELLS_OF: Record<Duty[0], (alert: StoredAlert, doneAt?: string) => boolean> = {
  // An alert that is still open tells of the exit from the moment on at which that is overdue too.
  entry: ({ what, raisedAt }, sentAt = raisedAt) =>
    what === 'entry' || what === 'scheduled_entry' || (isOfExit(what) && raisedAt < sentAt),
  // An exit waits for the end of its entry.
  exit: ({ kind, what }) => kind === 'unprotected_position' || isOfExit(what),
}
const isOfExit = (what: StoredAlert['what']): boolean => what === 'exit' || what === 'order_end'

/** Null for an entry that was not sent, for one that a person let go, and for one that waited for others. */
function entryDuty({ signal, desired, entries }: Dossier): Duty | null {
  const [entry] = entries
  if (!desired || !entry || signal.executeMode === 'pending' || signal.hasWaitedForTurn) return null
  return ['entry', latest(signal.acceptedAt, desired.notBefore), entry.created_at]
}

/** Null where no exit is due, or none is needed any more. */
function exitDuty({ signal, desired, entries, exits, entryFilled }: Dossier): Duty | null {
  const [entry] = entries
  const ended = entry && endedAt(entry)
  if (!desired?.wantsExit || desired.exitWaitsForPrice || !ended || !isPositive(entryFilled)) return null
  if (exits.length === 0 && signal.exitStatus !== 'waiting' && signal.exitStatus !== 'scheduled') return null
  const filled = latest(ended, entry.filled_at)
  const after = new Date(Date.parse(filled) + desired.exitAfterMs).toISOString()
  return ['exit', latest(after, desired.exitNotBefore), exits.map((exit) => exit.created_at).toSorted()[0]]
}

function* sentAfterGivenUp({ ledger, givenUp = [] }: Evidence): Generator<string> {
  const ids = new Set(givenUp)
  for (const { client_order_id, created_at } of ledger.orders)
    if (ids.has(client_order_id)) yield `${client_order_id} was given up and came at ${created_at}`
}

/** Walks through the exits of each signal, each of which counts with all it may close until it ends. */
function* closedTwice(dossiers: readonly Dossier[]): Generator<string> {
  for (const { entries, exits } of dossiers) {
    const hasProtection = exits.some(({ client_order_id: id }) => parseClientOrderId(id)!.purpose === 'plan')
    for (const exit of exits) {
      const others = exits.filter((other) => other !== exit && other.created_at <= exit.created_at)
      const works = (other: LedgerOrder): boolean => (endedAt(other) ?? '9') > exit.created_at
      const beside = others.find(works)
      if (hasProtection && beside)
        yield `${exit.client_order_id} came while ${beside.client_order_id} of the same plan worked`
      const committed = others.map((other) => (works(other) ? other.qty : other.filled_qty))
      const total = add(exit.qty, sum(committed))
      const owned = sum(
        entries.flatMap(({ fills }) =>
          fills.filter(({ at }) => Date.parse(at) <= Date.parse(exit.created_at)).map(({ qty }) => qty),
        ),
      )
      if (compare(total, owned) > 0)
        yield `with ${exit.client_order_id} the exits may close ${total}; ${owned} were filled by then`
      if (compare(exit.filled_qty, exit.qty) > 0)
        yield `${exit.client_order_id} has closed ${exit.filled_qty} of ${exit.qty}`
    }
  }
}

/** An order may arrive so long after the answer that nothing leaves any more, and has left before; milliseconds. */
const ON_ITS_WAY = 1_000

function* sentWhileStopped({ ledger, fullStops = [], bySite = [] }: Evidence): Generator<string> {
  // A broker may take its time with a request that left before the stop.
  const cameAt = new Map(
    ledger.submissions.flatMap(({ outcome, client_order_id, at }) =>
      outcome === 'accepted' ? [[client_order_id, at]] : [],
    ),
  )
  for (const { client_order_id, created_at } of ledger.orders) {
    const came = cameAt.get(client_order_id) ?? created_at
    const at = Date.parse(came)
    const stop = fullStops.find(({ from, to }) => at > Date.parse(from) + ON_ITS_WAY && at < Date.parse(to))
    if (stop && !bySite.includes(client_order_id))
      yield `${client_order_id} came at ${came}; trading was stopped from ${stop.from} to ${stop.to}`
  }
}

function* unnotified({ rollback, ledger }: Evidence): Generator<string> {
  if (!rollback) return
  // Of what was rejected without a fill nothing is left at the broker.
  const isNothing = ({ status, filled_qty }: LedgerOrder): boolean =>
    status === 'rejected' && isZero(filled_qty)
  const nothing = new Set(ledger.orders.filter(isNothing).map(({ client_order_id }) => client_order_id))
  for (const id of rollback.lost)
    if (!rollback.told.includes(id) && !nothing.has(id))
      yield `${id} is not in the ledger that was set back, and its owner was not told`
}

/** A level is acted upon so many milliseconds after the market has reached it, while everything works now and then. */
const ACTED_WITHIN = 120_000
/** While trading was stopped nothing is done, and it is looked only so often whether it goes on; milliseconds. */
const LOOKED_FOR_STOP = 60_000

function* missedLevels(evidence: Evidence): Generator<string> {
  const { alerts = [], unwatched = [], fullStops = [] } = evidence
  const idle = [
    ...unwatched,
    ...fullStops.map(({ from, to }) => ({
      from,
      to: new Date(Date.parse(to) + LOOKED_FOR_STOP).toISOString(),
    })),
  ].toSorted((a, b) => a.from.localeCompare(b.from))
  for (const { signalId, level, reachedAt, tookMs, stayedMs } of reactionsOf(evidence)) {
    const from = Date.parse(reachedAt)
    const limit = afterWatching(from, idle, ACTED_WITHIN)
    if (from + (tookMs ?? stayedMs) <= limit) continue
    const isReported = alerts.some(
      (alert) =>
        alert.signalId === signalId &&
        (alert.kind === 'protection_blind' || TELLS_OF.exit(alert)) &&
        Date.parse(alert.raisedAt) <= limit,
    )
    if (!isReported)
      yield `the ${level} of signal ${signalId} was reached at ${reachedAt}, and shares were held for ${tookMs ?? stayedMs} ms more`
  }
}

function* askedByHand({ byHand, ledger, rollback }: Evidence): Generator<string> {
  if (byHand) yield* ticketFaults(byHand, ledger.orders, rollback != null)
}

function* openedAfterFlat(
  { byHand, attempts, ledger }: Evidence,
  dossiers: readonly Dossier[],
): Generator<string> {
  if (!byHand) return
  const told = new Map<string, number>()
  for (const { signalId, status, sentAt, tookMs } of attempts) {
    if (signalId === null || !isAcknowledgement(status)) continue
    const at = Date.parse(sentAt) + tookMs
    if (at < (told.get(signalId) ?? Number.POSITIVE_INFINITY)) told.set(signalId, at)
  }
  const openings = dossiers.flatMap(({ signal, desired, entries, ...filled }) => {
    const notifiedAt = told.get(signal.id)
    // Of one that nobody was told of yet it is not certain which came first.
    if (!desired || notifiedAt === undefined || !isOpening(desired.action)) return []
    const acceptedAt = latest(signal.acceptedAt, new Date(notifiedAt).toISOString())
    const closed = add(filled.exitFilled, filled.closedByOthers)
    const held = subtract(filled.entryFilled, closed)
    return [{ name: `signal ${signal.id}`, symbol: desired.symbol, acceptedAt, orders: entries, held }]
  })
  yield* flattenFaults(byHand, [...openings, ...openingsByHand(byHand, ledger.orders)])
}

function* closedForOthers({ orders }: Evidence): Generator<string> {
  for (const { clientOrderId, takesOfOthers } of orders)
    for (const owner of takesOfOthers ?? []) yield `order ${clientOrderId} was to close shares of ${owner}`
}

const latest = (instant: string, other: string | null): string =>
  other !== null && Date.parse(other) > Date.parse(instant) ? other : instant

const buys = ({ action }: TradeRequest): boolean => executionSide(ENTRY_SIDE[action]) === 'BUY'
/** Its workflow went with the data of Temporal, which nobody needs for a signal that has ended. */
const hasEndedBefore = (
  { endedAt: ended }: StoredSignal,
  lostAt: string | null,
  clockErrorMs: number,
): boolean =>
  // Two clocks were wrong at most: that of the process, and that by which it was corrected.
  lostAt !== null && ended !== null && Date.parse(ended) <= Date.parse(lostAt) + 2 * clockErrorMs

/** Where Temporal cannot be reached, a signal is withdrawn in the ledger: no workflow has to start that would find nothing to do. */
const isWithdrawnUnstarted = ({ statusReason }: StoredSignal, entries: readonly LedgerOrder[]): boolean =>
  statusReason === 'WITHDRAWN' && entries.length === 0

const isReplaced = ({ statusReason }: StoredSignal): boolean => statusReason === 'SUPERSEDED'

/**
 * Of the order of a signal that was replaced: whether it may have filled as it did. Not at all, as far as the service
 * can help it: the broker may fill an order that it has cancelled already, or not have cancelled it, of which the owner is
 * alerted (specification 3.2).
 */
const mayHaveFilled = (
  { cancelledAt, replacedUncancelled }: StoredSignal,
  { filled_at, filled_qty, canceled_at }: LedgerOrder,
): boolean =>
  isZero(filled_qty) ||
  replacedUncancelled ||
  (canceled_at !== null &&
    cancelledAt !== null &&
    filled_at !== null &&
    Date.parse(filled_at) > Date.parse(cancelledAt))

/** Of an order in the ledger: whether nothing can fill any more. */
const isDead = ({ status }: LedgerOrder): boolean =>
  ['filled', 'canceled', 'expired', 'rejected'].includes(status)

/** When an order of the ledger ended first: one that was cancelled may have filled all the same, later. */
export const endedAt = (order: LedgerOrder): string | null =>
  order.canceled_at ??
  order.expired_at ??
  order.failed_at ??
  (order.status === 'filled' ? order.filled_at : null)

/** How the service must show what the ledger says; written down here once more, apart from the code that is judged. */
function statusesOf({ status, filled_qty, time_in_force }: LedgerOrder): OrderStatus[] {
  switch (status) {
    case 'filled':
      return ['FILLED']
    case 'canceled':
      // What an auction leaves over has expired, and so has a good till date order, which is gtc at the broker, when its
      // time has come. The ledger does not say whether somebody cancelled it before.
      return ['opg', 'cls', 'gtc'].includes(time_in_force) ? ['CANCELLED', 'EXPIRED'] : ['CANCELLED']
    case 'rejected':
      return ['REJECTED']
    case 'expired':
      return ['EXPIRED']
    default:
      return [isPositive(filled_qty) ? 'PARTIALLY_FILLED' : 'OPEN']
  }
}
