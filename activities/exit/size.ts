import { correctionBy, withinOwnKnowledge } from '#domain/time/broker-clock.ts'
import {
  scheduleExitBy,
  type ScheduledExit,
  NoSessionForExit,
  resolveExitTime,
  takesOrdersAt,
} from '#domain/exit/schedule.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { type BrokerClocks, type SessionCalendar, priceQuestion } from '../brokers.ts'
import type { EntryByLedger } from '#db/exit/exits.ts'
import type { ScheduleExitInput, ExitOrderTerms, SizedExit, SizeExitInput } from '../contract.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Broker } from '#brokers/port.ts'
import { compare, isPositive, subtract, type Decimal, figure } from '#domain/money/decimal.ts'
import type { ExitTerms } from '#domain/exit/exit.ts'
import { nameOfOrder, type LiveOrder, type SymbolState } from '#domain/position/symbol-state.ts'
import { haltDenial, type ActiveHalt } from '#domain/risk/halt.ts'
import type { ExitSizeFacts } from '#domain/risk/sizing.ts'
import { clientOrderIdOf, findItself, keyOf, decideSize, type Asked, type Look } from './decide-size.ts'
import { foreignOpposite, recentSplits } from './beyond-fills.ts'
import { halted, outcomeUnknown } from '../failures.ts'
import { foreignHolders } from '#brokers/foreign-holders.ts'
import { believedPrice, noneIfAway } from '#brokers/entry-market.ts'
import { CANCEL_ROUNDS } from '../order/cancel.ts'

/** Milliseconds between two readings, which must agree before an exit moves. */
const CONFIRMED_AFTER = 300

class CalendarUnsettled extends Error {
  override readonly name = 'CalendarUnsettled'
}

export interface ExitSchedulingDependencies {
  calendar: SessionCalendar
  zoneOf(accountId: string): Promise<string>
  clocks: Pick<BrokerClocks, 'offsetOf'>
  entryByLedger(signalId: string): Promise<EntryByLedger>
  now(): number
  pause(milliseconds: number): Promise<unknown>
}

/** Schedules an exit; a scheduled one moves only when two fresh calendars agree. */
export async function findExitTime(
  deps: ExitSchedulingDependencies,
  input: ScheduleExitInput,
): Promise<ScheduledExit> {
  const { accountId, rule, entry, entryEndedAt, scheduledFor = null, heardAt } = input
  const [zone, offset] = await Promise.all([deps.zoneOf(accountId), deps.clocks.offsetOf(accountId)])
  // Timers run by the ledger's clock, not this process's.
  const { now, sentAt } = await deps.entryByLedger(input.signalId)
  const ahead = deps.now() - Date.parse(now)
  const correction = offset === null ? 0 : correctionBy(offset + ahead)
  const byBroker = (told: string): string =>
    withinOwnKnowledge(told, correction, { since: sentAt, until: heardAt ?? now })
  const ended =
    entry.endedAt === entryEndedAt ? byBroker(entryEndedAt) : instant(Date.parse(entryEndedAt) + correction)
  const terms = {
    rule,
    entry: { endedAt: ended, filledAt: entry.filledAt && byBroker(entry.filledAt) },
    zone,
    clockOffset: correction,
    scheduledFor,
  }
  const from = instant(Math.min(Date.parse(ended), Date.parse(now) + correction))
  const scheduleBy = (sessions: readonly TradingSession[]): ScheduledExit => {
    try {
      return scheduleExitBy({ ...terms, sessions, now })
    } catch (error) {
      if (error instanceof NoSessionForExit) deps.calendar.forget(accountId, from)
      throw error
    }
  }
  if (scheduledFor === null) return scheduleBy(await deps.calendar.sessionsFrom(accountId, from))
  const again = scheduleBy(await deps.calendar.sessionsFrom(accountId, from, 0))
  if (again.shift === null) return again
  await deps.pause(CONFIRMED_AFTER)
  const confirmed = scheduleBy(await deps.calendar.sessionsFrom(accountId, from, 0))
  if (confirmed.submitAt !== again.submitAt)
    throw new CalendarUnsettled('the calendar of the broker says something else each time that it is read')
  return confirmed
}

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Milliseconds that a due exit waits for the broker's price. */
const PRICE_WITHIN = 10_000

/** `basis`: facts in words. `leaves`: shares left without an exit. `price`: the market's then. */
export type KeptExit = SizedExit & {
  order?: ExitOrderTerms
  coveredBefore?: Decimal
  sizedAt?: string
  basis?: string
  leaves?: Decimal
  price?: Decimal
  stopped?: true
}

export interface SizeExitDependencies {
  readDecision(signalId: string, key: string): Promise<KeptExit | null>
  /** `books`: shares (negative: sold) that only the owner's choice explains. */
  decideUnderLock<T>(
    accountId: string,
    symbol: string,
    decide: (
      symbolState: SymbolState,
      keep: (input: SizeExitInput, sized: KeptExit, books?: Decimal) => Promise<KeptExit>,
    ) => Promise<T>,
  ): Promise<T>
  standingOf(signalId: string): Promise<ExitSizeFacts>
  haltOf(accountId: string): Promise<ActiveHalt | null>
  brokerFor(accountId: string): Promise<Broker>
  /** Throws a retryable failure while cancels in its favour are a moment old. */
  assertCancelledFor(accountId: string, symbol: string, clientOrderId: string): Promise<void>
  /** Throws a retryable failure until all have ended. */
  cancelBlockingOrders(accountId: string, closer: string, orders: readonly LiveOrder[]): Promise<void>
  calendar: SessionCalendar
  clocks: Pick<BrokerClocks, 'offsetOf'>
  zoneOf(accountId: string): Promise<string>
  now(): number
}

/**
 * Sizes an exit by the signal's own open shares (`domain/position/ownership.ts`), never more than are held. When the
 * calendar has changed it returns the next opening, because brokers would queue or reject the order; else the obstacle.
 * Our orders that hold the shares, or would make the broker reject the exit, are cancelled first; where possible a
 * market exit becomes a limit order that avoids the latter. While the broker shows more shares than anything explains,
 * and for an exit by price also fewer, the owner has to choose; any other exit stays due until executions or the
 * position comparison say that the shares are gone. A full stop throws a retryable failure `Halted`.
 * The first size is stored and returned for its generation: a retry would find a position that the exit itself has
 * changed.
 */
export async function sizeExit(deps: SizeExitDependencies, input: SizeExitInput): Promise<SizedExit> {
  const { signalId, accountId, symbol, rule, reason } = input
  const clientOrderId = clientOrderIdOf(input)
  const before = await deps.readDecision(signalId, keyOf(input))
  if (before?.stopped) return GIVEN_UP
  if (before !== null) return sizeIn(before, input)
  if (input.until != null && deps.now() >= Date.parse(input.until)) return OLD
  // The position may differ by the time the stop is lifted.
  const halt = await deps.haltOf(accountId)
  if (halt?.level === 'fullStop') throw halted(haltDenial(halt).detail)
  const notBefore = await closedUntil(deps, accountId, rule)
  if (notBefore !== null) return { quantity: null, coversQuantity: null, notBefore }

  await deps.assertCancelledFor(accountId, symbol, clientOrderId)
  const standing = await deps.standingOf(signalId)
  const broker = await deps.brokerFor(accountId)
  const asked: Asked = { position: null }
  for (let round = 1; ; round += 1) {
    asked.position = await broker.getPosition(symbol)
    const look = await deps.decideUnderLock<Look>(accountId, symbol, async (symbolState, keep) => {
      const found = decideSize(input, asked, symbolState, standing)
      if (!('sized' in found) || found.sized.quantity === null) return found
      const leaves = subtract(input.filledQuantity, found.sized.coversQuantity)
      const kept = {
        order: { reason, terms: rule },
        ...found.sized,
        coveredBefore: input.coveredQuantity,
        ...(isPositive(leaves) && { leaves }),
        sizedAt: symbolState.asOf,
        basis: basisOf(asked, symbolState),
        ...marketPrice(asked),
      }
      return { sized: sizeIn(await keep(input, kept, found.books), input) }
    })
    if ('sized' in look) return look.sized
    if (round === CANCEL_ROUNDS)
      throw outcomeUnknown('orders that blocked the exit have ended, and new ones have come')
    if ('blockingOrders' in look)
      await deps.cancelBlockingOrders(accountId, clientOrderId, look.blockingOrders)
    else if (look.asks === 'itself') asked.itself = await findItself(broker, input)
    else if (look.asks === 'opposite') asked.opposite = await foreignOpposite(broker, symbol, input.side)
    else if (look.asks === 'splits') asked.splits = await recentSplits(broker, symbol, deps.now())
    else if (look.asks === 'holders') asked.holders = await foreignHolders(broker, symbol, input.side)
    else {
      const isPatient = standing.dueAt !== null && deps.now() < Date.parse(standing.dueAt) + PRICE_WITHIN
      const price = believedPrice(
        broker,
        { symbol, action: input.side === 'SELL' ? 'closeLong' : 'closeShort' },
        priceQuestion(deps, accountId, deps.now()),
      )
      asked.lastPrice = isPatient ? await price : await price.catch(noneIfAway)
    }
  }
}

/** Null while the exchange is open. A closed one is read twice: one odd answer must not delay an exit. */
async function closedUntil(
  { calendar, clocks, zoneOf, brokerFor, now }: SizeExitDependencies,
  accountId: string,
  { timeInForce }: Pick<ExitTerms, 'timeInForce'>,
): Promise<string | null> {
  if (timeInForce === 'gtc') return null
  const correction = correctionBy((await clocks.offsetOf(accountId)) ?? 0)
  const at = new Date(now() + correction).toISOString()
  const rule = { trigger: 'immediate', minutes: null, clockTime: null, timeInForce } as const
  const sessionByClock = async (error: unknown): Promise<TradingSession[]> => {
    noneIfAway(error)
    const { isOpen, nextClose } = await (await brokerFor(accountId)).getClock()
    if (!isOpen) throw error
    return [{ date: at.slice(0, 10), opensAt: at, closesAt: nextClose }]
  }
  if (takesOrdersAt(at, rule, await calendar.sessionsNow(accountId, at).catch(sessionByClock))) return null
  const sessions = await calendar.sessionsFrom(accountId, at, 0)
  if (takesOrdersAt(at, rule, sessions)) return null
  return resolveExitTime(rule, { endedAt: at, filledAt: null }, sessions, await zoneOf(accountId)).submitAt
}

function sizeIn(
  { basis: _, sizedAt: __, leaves: ___, price: ____, coveredBefore, ...sized }: KeptExit,
  { coveredQuantity, reason, rule }: SizeExitInput,
): SizedExit {
  const { order, ...size } = sized
  if (size.quantity === null) return size
  const isAsAsked = order === undefined || isDeepStrictEqual(order, { reason, terms: rule })
  const known = isAsAsked ? size : { ...size, order }
  if (coveredBefore === undefined) return known
  return compare(coveredBefore, coveredQuantity) === 0 ? known : { ...known, coveredBefore }
}

function basisOf({ position }: Asked, { asOf, shares, live }: SymbolState): string {
  const owned = shares.lots.map(({ owner, quantity }) => `${figure(quantity)} of ${owner ?? 'nobody'}`)
  const held = shares.side === null ? 'nothing' : `${shares.side} ${owned.join(', ')}`
  const shown = position
    ? `${position.side} ${figure(position.quantity)} (${figure(position.availableQuantity)} free)`
    : 'nothing'
  const working = live.map(nameOfOrder).join(', ') || 'none'
  return `${asOf}: held by the fills ${held}; shown by the broker ${shown}; orders of ours ${working}`
}

/** A broker without a price shows a close or the cost, and no change of the day. */
const marketPrice = ({ position, itself }: Asked): Pick<KeptExit, 'price'> =>
  itself || position === null || position.dayChange === null ? {} : { price: position.currentPrice }

const OLD = { quantity: null, coversQuantity: null, notBefore: null, isOld: true } as const
const GIVEN_UP = { quantity: null, coversQuantity: null, notBefore: null, givenUp: true } as const
