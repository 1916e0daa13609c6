import type { Broker } from '#brokers/port.ts'
import { compare, smaller } from '#domain/decimal.ts'
import { resolveExitTime } from '#domain/exit-time.ts'
import type { SizedExit, SizeExitInput } from './contract.ts'
import { unsettled } from './failures.ts'
import type { SessionCalendar } from './plan-exit.ts'

/** How long after a fill the broker's positions may not show it yet, in milliseconds. */
const POSITION_LAG = 5_000

/** Decisions that are taken once for a signal, by their key. */
export interface KeptDecisions {
  /** Null when it was not taken yet. */
  recall<T>(signalId: string, key: string): Promise<T | null>
  /** Returns the decision that counts: the first one. */
  keep<T>(signalId: string, key: string, decision: T): Promise<T>
}

export interface SizeExitDependencies {
  decisions: KeptDecisions
  brokerFor(accountId: string): Promise<Broker>
  calendar: SessionCalendar
  zoneOf(accountId: string): Promise<string>
  /** Milliseconds since the epoch. */
  now(): number
}

/**
 * Shares to close: what the entry filled, never more than is still held, so that an exit cannot flip a
 * position that a person has reduced or closed by hand; "0" when nothing is left. Or, when the calendar has
 * changed since the exit was planned, the instant to wait for: an order sent while the exchange is closed would
 * be queued by some brokers and refused by others.
 *
 * The first size is kept and given again for its generation: a task that is done over would find the position
 * moved by the very exit that it is to send, and send another quantity under the same client order id, or none.
 */
export async function sizeExit(
  { decisions, brokerFor, calendar, zoneOf, now }: SizeExitDependencies,
  { signalId, generation, accountId, symbol, side, filledQuantity, entryEndedAt, rule }: SizeExitInput,
): Promise<SizedExit> {
  const key = `exit-${generation}`
  const before = await decisions.recall<SizedExit>(signalId, key)
  if (before !== null) return before
  const at = new Date(now()).toISOString()
  const atOnce = {
    trigger: 'immediate',
    minutes: null,
    clockTime: null,
    timeInForce: rule.timeInForce,
  } as const
  const sessions = await calendar.sessionsFrom(accountId, at)
  const { submitAt, reason } = resolveExitTime(
    atOnce,
    { endedAt: at, filledAt: null },
    sessions,
    await zoneOf(accountId),
  )
  if (reason !== null) return { quantity: null, answersFor: null, notBefore: submitAt }

  const broker = await brokerFor(accountId)
  const position = await broker.getPosition(symbol)
  const holds = position !== null && position.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  const held = holds ? position.quantity : '0'
  if (compare(held, filledQuantity) < 0 && now() < Date.parse(entryEndedAt) + POSITION_LAG)
    throw unsettled(`the broker shows ${held} ${symbol} where ${filledQuantity} were filled a moment ago`)
  return decisions.keep<SizedExit>(signalId, key, {
    quantity: smaller(held, filledQuantity),
    answersFor: filledQuantity,
    notBefore: null,
  })
}
