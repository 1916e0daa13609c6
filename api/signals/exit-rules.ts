import { hasLimitPrice, hasStopPrice } from '#domain/order.ts'
import { isOpening } from '#domain/signal.ts'
import { fault, type Fault } from '../http/errors.ts'
import type { SignalField } from './fields.ts'
import type { ValidFields } from './valid-fields.ts'

/** A closing auction's order must be in this long before the close. */
const MOC_HEAD_ROOM_MINUTES = 15

export const EXIT_FIELDS = [
  'exitTriggerType',
  'exitTriggerMinutes',
  'exitTriggerTime',
  'exitTriggerValue',
  'exitOrderType',
  'exitLimitPrice',
  'exitStopPrice',
  'exitTimeInForce',
] as const satisfies SignalField[]

/** The one field that each trigger reads its time from; null where there is nothing to tell. */
const TRIGGER_FIELD = {
  minutesAfterEntry: 'exitTriggerMinutes',
  minutesBeforeClose: 'exitTriggerMinutes',
  atClockTime: 'exitTriggerTime',
  immediate: null,
  timed: 'exitTriggerValue',
} as const

/** What is wrong between the fields that describe the exit; without a trigger there is no exit to describe. */
export function* exitFaults(fields: ValidFields): Generator<Fault> {
  const { exitTriggerType, action, targetPosition } = fields.values
  // A target may open whatever the action says; where it only closes, the exit says nothing.
  if (targetPosition === undefined && action !== undefined && !isOpening(action)) {
    for (const field of EXIT_FIELDS) yield* fields.notAllowed(field, `for ${action}: it is an exit by itself`)
    return
  }
  if (exitTriggerType === undefined) return
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

function* triggerFaults(fields: ValidFields, trigger: keyof typeof TRIGGER_FIELD): Generator<Fault> {
  const when = `when exitTriggerType is ${trigger}`
  const own = TRIGGER_FIELD[trigger]
  for (const field of ['exitTriggerMinutes', 'exitTriggerTime', 'exitTriggerValue'] as const) {
    yield* field === own ? fields.required(field, when) : fields.notAllowed(field, when)
  }
}

function* orderFaults(fields: ValidFields): Generator<Fault> {
  if (fields.isFaulty('exitOrderType')) return
  const type = fields.values.exitOrderType ?? 'market'
  const when = `with exitOrderType ${type}`
  yield* hasLimitPrice(type)
    ? fields.required('exitLimitPrice', when)
    : fields.notAllowed('exitLimitPrice', when)
  yield* hasStopPrice(type)
    ? fields.required('exitStopPrice', when)
    : fields.notAllowed('exitStopPrice', when)
}

function* auctionFaults(fields: ValidFields): Generator<Fault> {
  const { exitOrderType, exitTimeInForce, exitTriggerType, exitTriggerMinutes } = fields.values
  if (exitOrderType !== 'moc') return
  if (exitTimeInForce === 'day') {
    yield fault(['exitTimeInForce'], 'invalid_value', 'exitTimeInForce must be cls when exitOrderType is moc')
  }
  const isTooLate = exitTriggerMinutes !== undefined && exitTriggerMinutes < MOC_HEAD_ROOM_MINUTES
  if (exitTriggerType === 'minutesBeforeClose' && isTooLate) {
    yield fault(
      ['exitTriggerMinutes'],
      'too_small',
      `exitTriggerMinutes must be at least ${MOC_HEAD_ROOM_MINUTES} for a moc exit before the close`,
    )
  }
}
