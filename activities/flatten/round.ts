import { randomUUID } from 'node:crypto'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { openEntries, type OpenEntry } from '#db/flatten/entries.ts'
import { beginRound, endFlattening, noteEntering, type Flattening } from '#db/flatten/flattenings.ts'
import {
  noteClosed,
  noteLine,
  readLines,
  storeClosingOrder,
  type FlattenLine,
  type NotedLine,
} from '#db/flatten/lines.ts'
import { raiseAlert, resolveAlert } from '#db/risk/alerts.ts'
import { currentHalt } from '#db/risk/halts.ts'
import { figure } from '#domain/figures.ts'
import {
  FILL_SHOWN_WITHIN_MS,
  FLATTEN_PATIENCE_MS,
  isOpenAt,
  isToBeClosed,
  notFlat,
  pauseAfterRound,
  stepOf,
} from '#domain/flatten.ts'
import { haltDenial } from '#domain/halt.ts'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import { isTerminal } from '#domain/order.ts'
import { manualClientOrderId, type ManualOrderTerms } from '#domain/manual-order.ts'
import { placedEntry } from '#domain/timeline.ts'
import type { FlattenRound } from '#workflows/flatten/contract.ts'
import type { SessionCalendar } from '../session-calendar.ts'
import { readHoldings, type Holding } from './holdings.ts'

/** By the entries' own workflows; safe to repeat. */
export interface EntryStopper {
  cancel(entry: Extract<OpenEntry, { what: 'order' }>, ask: { by: string; askId: string }): Promise<void>
  withdraw(signalId: string, ask: { by: string; askId: string }): Promise<void>
}

export interface FlattenDependencies {
  em: EntityManager
  brokerFor(accountId: string): Promise<Broker>
  forget(accountId: string): void
  calendar: SessionCalendar
  stopper: EntryStopper
  now(): number
}

/** Milliseconds; the next round makes another order. */
const SENT_WITHIN_MS = 60_000
/** Milliseconds after which the order of an entry is known that was decided before openings were denied. */
const ENTRY_KNOWN_WITHIN_MS = 15_000
const HANDLED_AT_A_TIME = { accounts: 5, entries: 16 }

interface AccountStanding {
  accountId: string
  lines: NotedLine[]
  orders: ManualOrderTerms[]
  trouble: string | null
  isOpen: boolean
  /** Of later positions neither. */
  isEmpty: boolean
}

/** Stops entries, and stores one order for every held position without one. Safe to repeat by any worker. */
export async function flattenRound(deps: FlattenDependencies, flattenId: string): Promise<FlattenRound> {
  const { em, now } = deps
  const over = { orders: [], isOver: true, pause: 0, standing: 'It has ended' }
  const flattening = await beginRound(em, flattenId)
  if (flattening === null || flattening.status !== 'working') return over
  const { closesAt, alarmAt } = flattening
  const isPast = closesAt !== null && now() >= Date.parse(closesAt)
  const entries = isPast ? [] : await stopEntries(deps, flattening)
  const known = await readLines(em, [flattenId])
  const standings: AccountStanding[] = []
  await forEachAtMost(HANDLED_AT_A_TIME.accounts, flattening.accountIds, async (accountId) => {
    standings.push(await lookAt(deps, flattening, accountId, { known, entries, isPast }))
  })
  const isOver = isOverNow(flattening, standings, entries, now())
  for (const standing of standings) await alarm(deps, flattening, standing, isOver)
  const left = standings.flatMap(({ lines }) => lines)
  const isFlat = left.length === 0 && standings.every(({ trouble }) => trouble === null)
  if (isOver) await endFlattening(em, flattenId, isFlat ? 'done' : 'failed')
  return {
    orders: standings.flatMap(({ orders }) => orders),
    isOver,
    pause: pauseAfterRound(flattening.rounds, {
      isOpen: standings.some(({ isOpen }) => isOpen),
      now: now(),
      before: [alarmAt, closesAt],
    }),
    standing: inWords(standings, entries),
  }
}

/** Returns the entries that are left. A failed request is repeated by the next round. */
async function stopEntries(
  { em, stopper }: FlattenDependencies,
  flattening: Flattening,
): Promise<readonly OpenEntry[]> {
  const { cause, scope, includeManual, createdAt } = flattening
  const entries = await openEntries(em, {
    ...flattening,
    withManual: scope === 'account' && includeManual,
    // By the calendar all working entries are stopped; those that wait for another day are left alone.
    before: cause === 'request' ? createdAt : null,
    onlyStarted: true,
  })
  const by = flattening.askedBy
  await forEachAtMost(HANDLED_AT_A_TIME.entries, entries, async (entry) => {
    const askId = `flatten-${flattening.id}-${entry.what === 'order' ? entry.clientOrderId : entry.signalId}`
    const asked =
      entry.what === 'order'
        ? stopper.cancel(entry, { by, askId })
        : stopper.withdraw(entry.signalId, { by, askId })
    await asked.catch(() => {})
  })
  return entries
}

async function lookAt(
  deps: FlattenDependencies,
  flattening: Flattening,
  accountId: string,
  round: { known: readonly FlattenLine[]; entries: readonly OpenEntry[]; isPast: boolean },
): Promise<AccountStanding> {
  const { em, now } = deps
  const { known, isPast } = round
  const own = known.filter((line) => line.accountId === accountId)
  let all: Holding[]
  try {
    all = await readHoldings(em, await deps.brokerFor(accountId), flattening, accountId)
  } catch (error) {
    deps.forget(accountId)
    const lines = own
      .filter(({ status }) => status !== 'closed')
      .map((line) => ({ ...line, held: line.quantity }))
    return { accountId, lines, orders: [], trouble: messageOf(error), isOpen: true, isEmpty: false }
  }
  const entering = flattening.entering[accountId] ?? null
  const holdings = all.filter(({ symbol, side }) => {
    const status = own.find((line) => line.symbol === symbol && line.side === side)?.status ?? null
    return isToBeClosed(flattening.cause, { symbol, status }, entering)
  })
  const stopped = await fullStop(em, accountId)
  const orders: ManualOrderTerms[] = []
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
    if (isPast || isKept || step.next === null || step.next > now()) continue
    const terms = closingTerms(flattening, holding, now())
    const order = { terms, received: receivedEntry(flattening, terms) }
    if (await storeClosingOrder(em, flattening, { ...holding, tries }, order)) orders.push(terms)
  }
  for (const line of own.filter(({ symbol }) => !holdings.some((holding) => holding.symbol === symbol))) {
    if (await isOrderStillOut(deps, flattening, line)) lines.push({ ...line, held: line.quantity })
    else await noteClosed(em, flattening.id, line)
  }
  if (flattening.cause === 'request') {
    const alive = round.entries.filter((entry) => entry.accountId === accountId)
    await noteEntering(em, flattening.id, accountId, [...new Set(alive.map(({ symbol }) => symbol))])
  }
  const isSession = await isOpen(deps, accountId)
  return { accountId, lines, orders, trouble: null, isOpen: isSession, isEmpty: all.length === 0 }
}

async function fullStop(em: EntityManager, accountId: string): Promise<string | null> {
  const halt = await currentHalt(em, accountId)
  if (halt?.level !== 'fullStop') return null
  return `${haltDenial(halt).detail}. It is closed as soon as the stop is lifted, or made reduceOnly`
}

/** Nothing is held, and its order works: it has just filled, or somebody else was faster and it is cancelled. */
async function isOrderStillOut(
  { stopper, now }: FlattenDependencies,
  { id, askedBy }: Flattening,
  { accountId, order, orderId, symbol, tries }: FlattenLine,
): Promise<boolean> {
  if (order === null || orderId === null || isTerminal(order.status)) return false
  if (now() - Date.parse(order.changedAt) < FILL_SHOWN_WITHIN_MS) return true
  const clientOrderId = manualClientOrderId(orderId)
  await stopper
    .cancel(
      { what: 'order', accountId, signalId: null, orderId, clientOrderId, symbol },
      { by: askedBy, askId: `flatten-${id}-${orderId}-${tries}` },
    )
    .catch(() => {})
  return true
}

async function isOpen({ calendar, now }: FlattenDependencies, accountId: string): Promise<boolean> {
  try {
    return isOpenAt(now(), await calendar.sessionsNow(accountId, new Date(now()).toISOString()))
  } catch {
    // An order that would wait for the session is better alarmed than taken for one that does.
    return true
  }
}

/** For no more than is held when it is sent. */
function closingTerms(
  { userId }: Flattening,
  { accountId, symbol, side, held, owners }: Holding,
  now: number,
): ManualOrderTerms {
  return {
    orderId: randomUUID(),
    userId,
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
    acceptedAt: new Date(now).toISOString(),
    sendBefore: new Date(now + SENT_WITHIN_MS).toISOString(),
  }
}

const receivedEntry = ({ id, askedBy, tokenId }: Flattening, { acceptedAt, ...terms }: ManualOrderTerms) =>
  placedEntry(
    acceptedAt,
    askedBy,
    `${terms.side === 'SELL' ? 'Sell' : 'Buy'} ${figure(terms.quantity)} ${terms.symbol} at market, to close everything`,
    { requestId: id, tokenId },
  )

function isOverNow(
  { closesAt, createdAt }: Flattening,
  standings: readonly AccountStanding[],
  entries: readonly OpenEntry[],
  now: number,
): boolean {
  const begun = Date.parse(createdAt)
  const end = closesAt === null ? begun + FLATTEN_PATIENCE_MS : Date.parse(closesAt)
  if (now >= end) return true
  // An entry that was decided right before may not be known yet.
  if (closesAt !== null && now < begun + ENTRY_KNOWN_WITHIN_MS) return false
  return (
    entries.length === 0 &&
    standings.every(
      ({ lines, trouble }) => trouble === null && lines.every(({ status }) => status === 'failed'),
    )
  )
}

/** While there is still time, and at the end; resolved when everything is closed. */
async function alarm(
  { em, now }: FlattenDependencies,
  { id, scope, symbols, includeManual, alarmAt, closesAt }: Flattening,
  { accountId, lines, trouble, isOpen: isSession, isEmpty }: AccountStanding,
  isOver: boolean,
): Promise<void> {
  const subject = { accountId, signalId: null }
  // Nothing at all is held: earlier requests are done as well.
  const isAll = isEmpty && scope === 'account' && symbols === null && includeManual
  if (lines.length === 0 && trouble === null)
    return resolveAlert(em, subject, 'not_flat', isAll ? {} : { flattenId: id })
  const isLate = now() >= Date.parse(alarmAt)
  // An order that waits at the broker for the session is on its way.
  const isStuck = trouble !== null || isSession || lines.some(({ status }) => status !== 'closing')
  const hasFailed = lines.some(({ status }) => status === 'failed')
  if (!isOver && !hasFailed && !(isLate && isStuck)) return
  const left = lines.map(({ symbol, held, detail }) => ({ symbol, quantity: held, detail }))
  await raiseAlert(em, subject, notFlat(id, left, { trouble, isOver, closesAt }))
}

function inWords(standings: readonly AccountStanding[], entries: readonly OpenEntry[]): string {
  const lines = standings.flatMap(({ accountId, lines: own, trouble }) => [
    ...own.map(
      ({ symbol, held, status, detail }) =>
        `- ${figure(held)} ${symbol} of ${accountId}: ${status}${detail === null ? '' : ` (${detail})`}`,
    ),
    ...(trouble === null ? [] : [`- ${accountId}: ${trouble}`]),
  ])
  const stopped = entries.map((entry) => `- entry in ${entry.symbol}: being stopped`)
  return [...stopped, ...lines].join('\n') || 'Nothing is held'
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
