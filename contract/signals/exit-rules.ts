import { EXIT_TRIGGERS, TRIGGER, type ExitTrigger } from '#domain/exit.ts'
import { hasLimitPrice, hasStopPrice } from '#domain/order.ts'
import { isOpening } from '#domain/signal.ts'
import { fault, type Fault } from '../errors.ts'
import { signalFields, type SignalField } from './fields.ts'
import type { ValidFields } from './valid-fields.ts'

type ExitField = Extract<SignalField, `exit${string}`>

export const EXIT_FIELDS = Object.keys(signalFields).filter((field): field is ExitField =>
  field.startsWith('exit'),
)

const fieldOf = (trigger: ExitTrigger | 'timed') =>
  trigger === 'timed' ? 'exitTriggerValue' : TRIGGER[trigger].field

const TRIGGER_FIELDS = new Set([...EXIT_TRIGGERS, 'timed' as const].map(fieldOf))

export function* exitFaults(fields: ValidFields): Generator<Fault> {
  const { exitTriggerType, action, targetPosition } = fields.values
  // A target may open whatever the action says; where it only closes, the exit says nothing.
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
