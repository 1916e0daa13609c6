import { randomUUID } from 'node:crypto'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { openEntries, type OpenEntry } from '#db/flatten/entries.ts'
import { beginRound, endFlattening, noteOpenings, type Flattening } from '#db/flatten/flattenings.ts'
import {
  noteClosed,
  noteLine,
  readLines,
  storeClosingOrder,
  type FlattenLine,
  type NotedLine,
} from '#db/flatten/lines.ts'
import { raiseAlert, resolveAlert } from '#db/alert/alerts.ts'
import { currentHalt } from '#db/risk/halts.ts'
import { stopCrossing } from '#db/signal/reversal.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { figure } from '#domain/money/decimal.ts'
import {
  FILL_SHOWN_WITHIN_MS,
  FLATTEN_PATIENCE_MS,
  isOpenAt,
  mustClose,
  notFlat,
  pauseAfterRound,
  stepOf,
  type Opening,
} from '#domain/position/flatten.ts'
import { haltDenial } from '#domain/risk/halt.ts'
import { mapLimit } from '#domain/async/map-limit.ts'
import { termsByHand, type ByHandTerms } from '#domain/signal/by-hand.ts'
import { isTerminal } from '#domain/order/order.ts'
import { withdrawnDetail } from '#domain/signal/signal.ts'
import { placedEntry } from '#domain/signal/timeline.ts'
import type { FlattenRound } from '#workflows/flatten/contract.ts'
import type { SessionCalendar } from '../brokers.ts'
import { readHoldings, type Holding } from './holdings.ts'

/** Safe to repeat. */
export interface EntryStopper {
  /** Stops an entry before sending, or as soon as the broker has it. */
  stop(
    entry: Pick<OpenEntry, 'signalId' | 'clientOrderId' | 'how'>,
    ask: { by: string; askId: string },
  ): Promise<void>
}

export interface FlattenDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
  forget(accountId: string): void
  calendar: SessionCalendar
  stopper: EntryStopper
  now(): number
}

const SENT_WITHIN_MS = 60_000
const ENTRY_KNOWN_WITHIN_MS = 15_000
const HANDLED_AT_A_TIME = { accounts: 5, entries: 16 }

interface AccountState {
  accountId: string
  lines: NotedLine[]
  openings: Opening[]
  orders: ByHandTerms[]
  trouble: string | null
  isOpen: boolean
  isEmpty: boolean
}

/** Stops entries, and stores an order for each held position without one. Safe to repeat. */
export async function flattenRound(deps: FlattenDependencies, flattenId: string): Promise<FlattenRound> {
  const { em, now } = deps
  const over = { orders: [], hasEnded: true, pause: 0, standing: 'It has ended' }
  const flattening = await beginRound(em, flattenId)
  if (flattening === null || flattening.status !== 'working') return over
  const { closesAt, alarmAt } = flattening
  const isPast = closesAt !== null && now() >= Date.parse(closesAt)
  const entries = await entriesOf(em, flattening)
  if (!isPast) await stopEntries(deps, flattening, entries)
  const known = await readLines(em, [flattenId])
  const states: AccountState[] = []
  await mapLimit(HANDLED_AT_A_TIME.accounts, flattening.accountIds, async (accountId) => {
    states.push(await lookAt(deps, flattening, accountId, { known, entries, isPast }))
  })
  const hasEnded = hasEndedNow(flattening, states, now())
  for (const standing of states) await alarm(deps, flattening, standing, hasEnded)
  const isFlat = states.every(
    ({ lines, openings, trouble }) => lines.length === 0 && openings.length === 0 && trouble === null,
  )
  if (hasEnded) await endFlattening(em, flattenId, isFlat ? 'done' : 'failed')
  return {
    orders: states.flatMap(({ orders }) => orders),
    hasEnded,
    pause: pauseAfterRound(flattening.rounds, {
      isOpen: states.some(({ isOpen }) => isOpen),
      now: now(),
      before: [alarmAt, closesAt],
    }),
    standing: inWords(states),
  }
}

const entriesOf = (em: EntityManager, flattening: Flattening): Promise<OpenEntry[]> =>
  openEntries(em, {
    ...flattening,
    withManual: flattening.scope === 'account' && flattening.includeManual,
    // Until the close every undecided entry is denied; entries for another day are left alone.
    before: flattening.cause === 'request' ? flattening.createdAt : null,
  })

/** The next round repeats a failed request. */
async function stopEntries(
  { em, stopper, now }: FlattenDependencies,
  { id, askedBy: by }: Flattening,
  entries: readonly OpenEntry[],
): Promise<void> {
  const stop = async (entry: OpenEntry): Promise<void> => {
    const { signalId, clientOrderId, how, isStarted } = entry
    const at = new Date(now()).toISOString()
    if (how === 'crossing') return void (await stopCrossing(em, signalId, at, by))
    if (!isStarted)
      await recordCancelled(em, signalId, at, { reason: 'WITHDRAWN', detail: withdrawnDetail(entry, by) })
    await stopper.stop(entry, { by, askId: `flatten-${id}-${clientOrderId}` })
  }
  await mapLimit(HANDLED_AT_A_TIME.entries, entries, (entry) => stop(entry).catch(() => {}))
}

async function lookAt(
  deps: FlattenDependencies,
  flattening: Flattening,
  accountId: string,
  round: { known: readonly FlattenLine[]; entries: readonly OpenEntry[]; isPast: boolean },
): Promise<AccountState> {
  const { em, now } = deps
  const { known, isPast } = round
  const own = known.filter((line) => line.accountId === accountId)
  const openings = round.entries.filter((entry) => entry.accountId === accountId).map(openingOf)
  let all: Holding[]
  try {
    const found = await readHoldings(em, await deps.brokerFor(accountId), flattening, accountId)
    all = found.holdings
    openings.push(...found.foreign.map(({ symbol, detail }) => ({ symbol, detail })))
  } catch (error) {
    deps.forget(accountId)
    const lines = own
      .filter(({ status }) => status !== 'closed')
      .map((line) => ({ ...line, held: line.quantity }))
    return { accountId, lines, openings, orders: [], trouble: messageOf(error), isOpen: true, isEmpty: false }
  }
  const before = flattening.openings[accountId] ?? null
  const holdings = all.filter(({ symbol, side }) => {
    const line = own.find((one) => one.symbol === symbol && one.side === side) ?? null
    return mustClose(flattening.cause, symbol, line, before)
  })
  const stopped = await fullStop(em, accountId)
  const orders: ByHandTerms[] = []
  const lines: NotedLine[] = []
  for (const holding of holdings) {
    const line = own.find(({ symbol }) => symbol === holding.symbol)
    const tries = line?.tries ?? 0
    const step = stepOf({ ...holding, tries, order: line?.order ?? null }, now())
    const isKept = step.next !== null && stopped !== null
    const noted = isKept
      ? { ...holding, status: 'held' as const, detail: stopped }
      : { ...holding, status: step.status, detail: step.detail }
    await noteLine(em, flattening, noted)
    lines.push(noted)
    if (isPast || isKept || step.next === null || step.next > now()) {
      // Shares that an older entry opened meanwhile are closed by the next round.
      if (line?.order?.status === 'FILLED')
        openings.push(...(before ?? []).filter((opening) => opening.symbol === holding.symbol))
      continue
    }
    const terms = closingTerms(flattening, holding, now())
    const order = { terms, received: receivedEntry(flattening, terms) }
    if (await storeClosingOrder(em, flattening.id, { ...holding, tries }, order)) orders.push(terms)
  }
  for (const line of own.filter(({ symbol }) => !holdings.some((holding) => holding.symbol === symbol))) {
    if (await isOrderStillOut(deps, flattening, line)) lines.push({ ...line, held: line.quantity })
    else await noteClosed(em, flattening.id, line)
  }
  await noteOpenings(em, flattening.id, accountId, openings)
  const isSession = await isOpen(deps, accountId)
  return { accountId, lines, openings, orders, trouble: null, isOpen: isSession, isEmpty: all.length === 0 }
}

const openingOf = ({ symbol, signalId, ask, clientOrderId }: OpenEntry): Opening => ({
  symbol,
  detail: `${ask ? `order ${clientOrderId}` : `signal ${signalId}`} in ${symbol} is being stopped`,
})

async function fullStop(em: EntityManager, accountId: string): Promise<string | null> {
  const halt = await currentHalt(em, accountId)
  if (halt?.level !== 'fullStop') return null
  return `${haltDenial(halt).detail}. It is closed as soon as the stop is lifted, or made reduceOnly`
}

/** Nothing is held: the order has just filled, or another close was faster and it is cancelled. */
async function isOrderStillOut(
  { stopper, now }: FlattenDependencies,
  { id, askedBy }: Flattening,
  { order, orderId, tries }: FlattenLine,
): Promise<boolean> {
  if (order === null || orderId === null || isTerminal(order.status)) return false
  if (now() - Date.parse(order.changedAt) < FILL_SHOWN_WITHIN_MS) return true
  const { signalId, clientOrderId } = order
  await stopper
    .stop(
      { signalId, clientOrderId, how: 'working' },
      { by: askedBy, askId: `flatten-${id}-${orderId}-${tries}` },
    )
    .catch(() => {})
  return true
}

async function isOpen({ calendar, now }: FlattenDependencies, accountId: string): Promise<boolean> {
  try {
    return isOpenAt(now(), await calendar.sessionsNow(accountId, new Date(now()).toISOString()))
  } catch {
    // A needless alarm is better than a missing one.
    return true
  }
}

const closingTerms = (
  { userId }: Flattening,
  { accountId, symbol, side, held, owners }: Holding,
  now: number,
): ByHandTerms =>
  termsByHand(
    {
      accountId,
      symbol,
      side: side === 'LONG' ? 'SELL' : 'BUY',
      quantity: held,
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
      extendedHours: false,
      reducesOnly: true,
      ...(owners !== null && { owners }),
    },
    {
      signalId: randomUUID(),
      userId,
      origin: 'flatten',
      acceptedAt: new Date(now).toISOString(),
      sendBefore: new Date(now + SENT_WITHIN_MS).toISOString(),
    },
  )

const receivedEntry = ({ id, askedBy, tokenId }: Flattening, terms: ByHandTerms) =>
  placedEntry(
    terms.acceptedAt,
    askedBy,
    `${terms.ask.side === 'SELL' ? 'Sell' : 'Buy'} ${figure(terms.quantity)} ${terms.symbol} at market, to close everything`,
    { requestId: id, tokenId },
  )

function hasEndedNow(
  { closesAt, createdAt }: Flattening,
  states: readonly AccountState[],
  now: number,
): boolean {
  const begun = Date.parse(createdAt)
  const end = closesAt === null ? begun + FLATTEN_PATIENCE_MS : Date.parse(closesAt)
  if (now >= end) return true
  // An entry decided right before may not be known yet.
  if (closesAt !== null && now < begun + ENTRY_KNOWN_WITHIN_MS) return false
  return states.every(
    ({ lines, openings, trouble }) =>
      openings.length === 0 && trouble === null && lines.every(({ status }) => status === 'failed'),
  )
}

async function alarm(
  { em, now }: FlattenDependencies,
  { id, scope, symbols, includeManual, alarmAt, closesAt }: Flattening,
  { accountId, lines, openings, trouble, isOpen: isSession, isEmpty }: AccountState,
  hasEnded: boolean,
): Promise<void> {
  const subject = { accountId, signalId: null }
  const isAll = isEmpty && scope === 'account' && symbols === null && includeManual
  if (lines.length === 0 && openings.length === 0 && trouble === null)
    return resolveAlert(em, subject, 'not_flat', isAll ? {} : { flattenId: id })
  const isLate = now() >= Date.parse(alarmAt)
  // An order that waits for the session is on its way.
  const isStuck =
    trouble !== null || isSession || openings.length > 0 || lines.some(({ status }) => status !== 'closing')
  const hasFailed = lines.some(({ status }) => status === 'failed')
  if (!hasEnded && !hasFailed && !(isLate && isStuck)) return
  await raiseAlert(em, subject, notFlat(id, { lines, openings, trouble }, { hasEnded, closesAt }))
}

function inWords(states: readonly AccountState[]): string {
  const lines = states.flatMap(({ accountId, lines: own, openings, trouble }) => [
    ...openings.map(({ detail }) => `- ${detail}`),
    ...own.map(
      ({ symbol, held, status, detail }) =>
        `- ${figure(held)} ${symbol} of ${accountId}: ${status}${detail === null ? '' : ` (${detail})`}`,
    ),
    ...(trouble === null ? [] : [`- ${accountId}: ${trouble}`]),
  ])
  return lines.join('\n') || 'Nothing is held'
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
