import { fault, type Fault } from '../errors.ts'
import type { ValidFields } from './valid-fields.ts'

const TAKEN_FOR_TARGETS = {
  quantityType: ['fixed'],
  orderType: ['market', 'limit'],
  timeInForce: ['day', 'gtc', 'ioc', 'fok'],
} as const

/** Milliseconds that a sender's clock may go ahead: a later target would wait for that long to count. */
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
