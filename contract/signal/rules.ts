import { fault, type Fault } from '../errors.ts'
import { type SignalField, type SignalFields, signalFields, LEVEL } from './fields.ts'
import { hasLimitPrice, hasStopPrice } from '#domain/order/order.ts'
import { isOpening, isByRisk, type QuantityType } from '#domain/signal/signal.ts'
import { NonExistentLocalTimeError } from '#domain/time/wall-time.ts'
import { DAY_MS } from '#domain/time/instants.ts'
import { instantOf } from '../values/instants.ts'
import { pairFault } from '../values/values.ts'
import { EXIT_TRIGGERS, TRIGGER, type ExitTrigger, isAtOnce } from '#domain/exit/exit.ts'
import { compare, isZero, type Decimal } from '#domain/money/decimal.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import { levelFaults } from '#domain/exit/protection.ts'
import { ruleFaultsOfLevels, hasStopFromFill } from '#domain/exit/protection-check.ts'

/** No rule calls a given, faulty field missing. */
export class ValidFields {
  readonly values: Partial<SignalFields>
  readonly #faulty: ReadonlySet<string>

  constructor(values: Partial<SignalFields>, faults: readonly Fault[]) {
    this.values = values
    this.#faulty = new Set(faults.map(({ path }) => String(path[0])))
  }

  isFaulty(field: SignalField): boolean {
    return this.#faulty.has(field)
  }

  *requiredIf(isNeeded: boolean, field: SignalField, when: string): Generator<Fault> {
    yield* isNeeded ? this.required(field, when) : this.notAllowed(field, when)
  }

  *required(field: SignalField, when: string): Generator<Fault> {
    if (this.values[field] === undefined && !this.isFaulty(field)) {
      yield fault([field], 'required', `${field} is required ${when}`)
    }
  }

  *notAllowed(field: SignalField, when: string): Generator<Fault> {
    if (this.values[field] !== undefined || this.isFaulty(field))
      yield fault([field], 'not_allowed', `${field} is not allowed ${when}: leave it out`)
  }
}

const MAX_EXPIRY_DAYS = 90
/** Temporal's timers hold 292 years, in nanoseconds. */
const MAX_WAIT_YEARS = 100

/** True for a fault that only the passed time caused. */
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
  // A superfluous price is refused: the sender meant something.
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

type ExitField = Extract<SignalField, `exit${string}`>

export const EXIT_FIELDS = Object.keys(signalFields).filter((field): field is ExitField =>
  field.startsWith('exit'),
)

const fieldOf = (trigger: ExitTrigger | 'timed') =>
  trigger === 'timed' ? 'exitTriggerValue' : TRIGGER[trigger].field

const TRIGGER_FIELDS = new Set([...EXIT_TRIGGERS, 'timed' as const].map(fieldOf))

export function* exitFaults(fields: ValidFields): Generator<Fault> {
  const { exitTriggerType, action, targetPosition } = fields.values
  // A target may open with any action; if it only closes, the exit has no effect.
  if (targetPosition === undefined && action !== undefined && !isOpening(action)) {
    for (const field of EXIT_FIELDS)
      yield* fields.notAllowed(field, `for ${action}, which is an exit by itself`)
    return
  }
  if (exitTriggerType === undefined) {
    if (fields.isFaulty('exitTriggerType')) return
    for (const field of EXIT_FIELDS)
      if (fields.isFaulty(field)) yield* fields.notAllowed(field, 'without exitTriggerType')
    return
  }
  yield* triggerFaults(fields, exitTriggerType)
  yield* orderFaults(fields)
  yield* auctionFaults(fields)
  const exitOrderType = fields.values.exitOrderType ?? 'market'
  if (exitTriggerType === 'timed' && exitOrderType !== 'market' && exitOrderType !== 'limit') {
    yield fault(
      ['exitOrderType'],
      'not_allowed',
      'exitOrderType must be market or limit when exitTriggerType is timed',
    )
  }
}

function* triggerFaults(fields: ValidFields, trigger: ExitTrigger | 'timed'): Generator<Fault> {
  const when = `when exitTriggerType is ${trigger}`
  const own = fieldOf(trigger)
  for (const field of TRIGGER_FIELDS) if (field !== null) yield* fields.requiredIf(field === own, field, when)
}

function* orderFaults(fields: ValidFields): Generator<Fault> {
  if (fields.isFaulty('exitOrderType')) return
  const type = fields.values.exitOrderType ?? 'market'
  const when = `with exitOrderType ${type}`
  yield* fields.requiredIf(hasLimitPrice(type), 'exitLimitPrice', when)
  yield* fields.requiredIf(hasStopPrice(type), 'exitStopPrice', when)
}

function* auctionFaults(fields: ValidFields): Generator<Fault> {
  const { exitOrderType, exitTimeInForce, exitTriggerType, exitTriggerMinutes } = fields.values
  if (exitOrderType !== 'moc') return
  if (exitTimeInForce === 'day') {
    yield fault(['exitTimeInForce'], 'invalid_value', 'exitTimeInForce must be cls when exitOrderType is moc')
  }
  if (exitTriggerType === undefined || exitTriggerType === 'timed') return
  const least = TRIGGER[exitTriggerType].leastForAuction
  if (least !== null && exitTriggerMinutes !== undefined && exitTriggerMinutes < least) {
    yield fault(
      ['exitTriggerMinutes'],
      'too_small',
      `exitTriggerMinutes must be at least ${least} for a moc exit before the close`,
    )
  }
}

export function* protectionFaults(fields: ValidFields): Generator<Fault> {
  const { action, targetPosition, exitTriggerType, protection, limitPrice, stopPrice } = fields.values
  // The same as for the exit.
  if (targetPosition === undefined && action !== undefined && !isOpening(action))
    yield* fields.notAllowed('protection', `for ${action}, which closes a position`)
  if (protection === undefined) return
  for (const { path, code, message } of ruleFaultsOfLevels(protection))
    yield fault(['protection', ...path], code, message)
  if (isAtOnce(exitTriggerType))
    yield* fields.notAllowed('protection', 'when exitTriggerType is immediate, whose order takes all shares')
  const side = sideOf(action, targetPosition)
  const own = limitPrice ?? stopPrice
  if (side === null || own === undefined) return
  const name = limitPrice === undefined ? 'stopPrice' : 'limitPrice'
  for (const { part, message } of levelFaults(protection, side, own)) {
    const field = LEVEL.find((kind) => kind in protection[part]!)!
    const why = `protection.${part}.${field}: ${message}, the ${name} of the entry`
    yield fault(['protection', part, field], 'wrong_side', why)
  }
}

function sideOf(action: string | undefined, target: Decimal | undefined): TradeSide | null {
  if (target !== undefined) return isZero(target) ? null : compare(target, '0') > 0 ? 'LONG' : 'SHORT'
  return action === 'openLong' ? 'LONG' : action === 'openShort' ? 'SHORT' : null
}

export function* sizeFaults(fields: ValidFields): Generator<Fault> {
  const { action, quantity, quantityType, targetPosition, protection } = fields.values
  if (quantityType === undefined) return
  if (quantity !== undefined) {
    const message = percentFault(quantityType, quantity)
    if (message !== null) yield fault(['quantity'], 'too_big', `quantity ${message}`)
  }
  // A target takes only shares.
  if (action === undefined || targetPosition !== undefined) return
  if (quantityType === 'percentPosition' && isOpening(action))
    yield fault(
      ['quantityType'],
      'not_allowed',
      `quantityType percentPosition is not allowed for ${action}: it is a part of the position, for closing actions`,
    )
  if (!isByRisk(quantityType)) return
  if (!isOpening(action))
    yield fault(
      ['quantityType'],
      'not_allowed',
      `quantityType ${quantityType} is not allowed for ${action}, which risks nothing: percentPosition closes a part of the position`,
    )
  else if (protection === undefined ? !fields.isFaulty('protection') : !hasStopFromFill(protection))
    yield fault(
      ['protection'],
      'required',
      `protection with a stop, or a trail that counts from the fill on, is required with quantityType ${quantityType}: the quantity follows from its distance`,
    )
}

const PERCENT_OF_ALL: readonly QuantityType[] = ['percentPosition', 'riskPercent']

export const percentFault = (type: QuantityType, quantity: Decimal): string | null =>
  PERCENT_OF_ALL.includes(type) && compare(quantity, '100') > 0
    ? `must be at most 100 with quantityType ${type}`
    : null

const TAKEN_FOR_TARGETS = {
  quantityType: ['fixed'],
  orderType: ['market', 'limit'],
  timeInForce: ['day', 'gtc', 'ioc', 'fok'],
} as const

/** Milliseconds that a sender's clock may be ahead: a later target would wait that long. */
const CLOCKS_DIFFER = 300_000

/** `now`: milliseconds since the epoch. */
export function* targetFaults(fields: ValidFields, now: number): Generator<Fault> {
  const { values } = fields
  if (values.targetPosition === undefined) {
    yield* fields.notAllowed('targetAt', 'without targetPosition')
    return
  }
  if (values.targetAt !== undefined && Date.parse(values.targetAt) > now + CLOCKS_DIFFER)
    yield fault(['targetAt'], 'in_future', 'targetAt must not be in the future, by more than 5 minutes')
  for (const field of ['quantityType', 'orderType', 'timeInForce'] as const) {
    const taken: readonly string[] = TAKEN_FOR_TARGETS[field]
    const given = values[field]
    if (given !== undefined && !taken.includes(given))
      yield fault([field], 'not_allowed', `${field} must be ${taken.join(' or ')} with targetPosition`)
  }
}
