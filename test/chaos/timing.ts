import { instantToLocal, localToInstant } from '#domain/time/wall-time.ts'
import type { TradeRequest } from '#test/support/evidence.ts'

/** The times of a signal in milliseconds from the moment in which it is sent. */
export interface Timing {
  /** When it is to be processed. */
  dueInMs?: number
  /** How long it is valid. */
  validForMs?: number
  /** When its order is to be cancelled. */
  expiresInMs?: number
  /** An exit that a clock decides. */
  exit?: ClockedExit
}

/**
 * An exit in the first full minute that begins so many milliseconds after the sending: by the clock, counted from the
 * close, or counted from it and meant for the closing auction.
 */
export interface ClockedExit {
  by: 'clock' | 'close' | 'auction'
  leadMs: number
}

/** The zone of the exchange. */
const ZONE = 'America/New_York'
/** An order that left in time may have lain on the road for so long when the broker accepts it. */
const ON_THE_ROAD_MS = 8_000
/** How long before the close an exit may be that counts from it, and how long an order for its auction must be, in minutes. */
const BEFORE_CLOSE = { most: 60, leastForAuction: 15 }
/** So long before the close runs begin, in minutes: exits may count from it, and none has to wait for the next day. */
const RUN_BEFORE_CLOSE = 50
/** The last minute of a day, which the calendar of the venue gives for a close at midnight. */
const LAST_MINUTE = '23:59'
const MINUTE_MS = 60_000

/**
 * When the sessions of a run end that begins now: as a local time of New York, and as an instant in milliseconds. Late in
 * the evening it is the last minute of the day, for a calendar of Alpaca's form has no later close.
 */
export function closeAfter(now: number): { local: string; at: number } {
  const { date } = instantToLocal(instant(now), ZONE)
  const at = Math.min(
    Math.ceil(now / MINUTE_MS + RUN_BEFORE_CLOSE) * MINUTE_MS,
    Date.parse(localToInstant(`${date}T${LAST_MINUTE}`, ZONE)),
  )
  return { local: instantToLocal(instant(at), ZONE).time.slice(0, 5), at }
}

/**
 * Milliseconds until a run of that length can begin: 0 where it ends before the close, else the time until the sessions of
 * the next day have begun. In a run across midnight exits roll into a session that the run does not live to see.
 */
export function untilRunFits(now: number, lengthMs: number): number {
  if (now + lengthMs < closeAfter(now).at) return 0
  const { date } = instantToLocal(instant(now), ZONE)
  return Date.parse(localToInstant(`${date}T24:00`, ZONE)) - now
}

/** A body's times, and what they allow. */
export interface Times {
  fields: object
  bounds: Pick<TradeRequest, 'exitNotBefore'> & Partial<Pick<TradeRequest, 'notBefore' | 'sendBefore'>>
}

/** The times of a body that is sent at `now`, in sessions that end at `closesAt`; milliseconds since the epoch. */
export function timesAt(timing: Timing, now: number, closesAt: number): Times {
  const { dueInMs, validForMs, expiresInMs, exit } = timing
  const exitAt = exit && Math.ceil((now + exit.leadMs) / MINUTE_MS) * MINUTE_MS
  return {
    fields: {
      ...(dueInMs !== undefined && { scheduledProcessAt: localTime(now + dueInMs), timezone: 'UTC' }),
      ...(validForMs !== undefined && { validUntil: localTime(now + validForMs), timezone: 'UTC' }),
      ...(expiresInMs !== undefined && { expiresAt: instant(now + expiresInMs) }),
      ...(exit && exitFields(exit.by, exitAt!, closesAt)),
    },
    bounds: {
      exitNotBefore: exitAt === undefined ? null : instant(exitAt),
      ...(dueInMs !== undefined && { notBefore: instant(now + dueInMs) }),
      ...(validForMs !== undefined && { sendBefore: instant(now + validForMs + ON_THE_ROAD_MS) }),
    },
  }
}

/** Where the close is too near or too far to count from, the clock decides. */
function exitFields(by: ClockedExit['by'], at: number, closesAt: number): object {
  const minutes = (closesAt - at) / MINUTE_MS
  const least = by === 'auction' ? BEFORE_CLOSE.leastForAuction : 1
  if (by === 'clock' || minutes < least || minutes > BEFORE_CLOSE.most)
    return {
      exitTriggerType: 'atClockTime',
      exitTriggerTime: instantToLocal(instant(at), ZONE).time.slice(0, 5),
    }
  return {
    exitTriggerType: 'minutesBeforeClose',
    exitTriggerMinutes: minutes,
    ...(by === 'auction' && { exitOrderType: 'moc', exitTimeInForce: 'cls' }),
  }
}

/** From now on an order may come: somebody has asked for it. */
export function allow(wish: TradeRequest): void {
  const now = instant(Date.now())
  if (wish.notBefore !== null && now < wish.notBefore) wish.notBefore = now
}

/** What takes the place of the signal has no end of its own. */
export function unbound(wish: TradeRequest): void {
  allow(wish)
  wish.sendBefore = null
}

const instant = (time: number): string => new Date(time).toISOString()
const localTime = (time: number): string => instant(time).slice(0, -1)
