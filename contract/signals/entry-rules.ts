import { hasLimitPrice, hasStopPrice } from '#domain/order.ts'
import { isOpening } from '#domain/signal.ts'
import { NonExistentLocalTimeError } from '#domain/wall-time.ts'
import { DAY_MS } from '#domain/time-units.ts'
import { fault, type Fault } from '../errors.ts'
import { instantOf } from '../values/instants.ts'
import { pairFault } from '../values/symbol-spelling.ts'
import type { ValidFields } from './valid-fields.ts'

const MAX_EXPIRY_DAYS = 90
/** Temporal's timers hold 292 years, in nanoseconds. */
const MAX_WAIT_YEARS = 100

/** Nothing but the time that has passed since the body was written. */
export const isOverdue = ({ code }: Fault): boolean => code === 'not_in_future'

/** `now`: milliseconds since the epoch. */
export function* entryFaults(fields: ValidFields, now: number): Generator<Fault> {
  yield* symbolFaults(fields)
  yield* priceFaults(fields)
  yield* timingFaults(fields, now)
  yield* expiryFaults(fields, now)
}

function* symbolFaults({ values: { action, symbol } }: ValidFields): Generator<Fault> {
  if (action === undefined || symbol === undefined || !isOpening(action)) return
  const message = pairFault(symbol)
  if (message !== null) yield fault(['symbol'], 'not_a_share', message)
}

function* priceFaults(fields: ValidFields): Generator<Fault> {
  const { orderType } = fields.values
  if (orderType === undefined) return
  const when = `for orderType ${orderType}`
  // A price that would be left out of the order is refused: the sender meant something by it.
  yield* fields.requiredIf(hasLimitPrice(orderType), 'limitPrice', when)
  yield* fields.requiredIf(hasStopPrice(orderType), 'stopPrice', when)
}

function* timingFaults(fields: ValidFields, now: number): Generator<Fault> {
  const { executeMode, scheduledProcessAt, validUntil, timezone } = fields.values
  if (executeMode !== undefined) {
    const when = `when executeMode is ${executeMode}`
    yield* fields.requiredIf(executeMode === 'scheduled', 'scheduledProcessAt', when)
  }
  if (scheduledProcessAt === undefined && validUntil === undefined) return
  yield* fields.required('timezone', 'when scheduledProcessAt or validUntil is set')
  if (timezone === undefined) return
  const scheduledAt = yield* futureInstant('scheduledProcessAt', scheduledProcessAt, timezone, now)
  const validTo = yield* futureInstant('validUntil', validUntil, timezone, now)
  if (scheduledAt !== null && validTo !== null && Date.parse(validTo) <= Date.parse(scheduledAt)) {
    yield fault(['validUntil'], 'too_early', 'validUntil must be later than scheduledProcessAt')
  }
}

function* futureInstant(
  field: string,
  text: string | undefined,
  timezone: string,
  now: number,
): Generator<Fault, string | null> {
  if (text === undefined) return null
  try {
    const instant = instantOf(text, timezone)
    const ahead = Date.parse(instant) - now
    if (ahead > MAX_WAIT_YEARS * 366 * DAY_MS)
      yield fault([field], 'too_late', `${field} must be at most ${MAX_WAIT_YEARS} years ahead`)
    else if (ahead > 0) return instant
    else yield fault([field], 'not_in_future', `${field} must be in the future`)
  } catch (error) {
    if (!(error instanceof NonExistentLocalTimeError)) throw error
    yield fault([field], 'nonexistent_local_time', `${field}: ${error.message}`)
  }
  return null
}

function* expiryFaults(fields: ValidFields, now: number): Generator<Fault> {
  const { timeInForce, expiresAt, timezone } = fields.values
  if (timeInForce !== undefined)
    yield* fields.requiredIf(timeInForce === 'gtd', 'expiresAt', `when timeInForce is ${timeInForce}`)
  if (expiresAt === undefined) return
  const isFaultyLocal = yield* localExpiryFaults(expiresAt, timezone)
  if (isFaultyLocal) return
  const ahead = Date.parse(instantOf(expiresAt, timezone)!) - now
  if (ahead <= 0) yield fault(['expiresAt'], 'not_in_future', 'expiresAt must be in the future')
  if (ahead > MAX_EXPIRY_DAYS * DAY_MS) {
    yield fault(['expiresAt'], 'too_late', `expiresAt must be at most ${MAX_EXPIRY_DAYS} days ahead`)
  }
}

function* localExpiryFaults(expiresAt: string, timezone: string | undefined): Generator<Fault, boolean> {
  try {
    if (instantOf(expiresAt, timezone) !== null) return false
    yield fault(['expiresAt'], 'no_offset', 'expiresAt must carry Z or an offset, or timezone must be set')
  } catch (error) {
    if (!(error instanceof NonExistentLocalTimeError)) throw error
    yield fault(['expiresAt'], 'nonexistent_local_time', `expiresAt: ${error.message}`)
  }
  return true
}
