import { fault, type Fault } from '../http/errors.ts'
import type { ValidFields } from './valid-fields.ts'

/** What an order for a target may be: one that trades whenever it is known what is missing. */
const TAKEN = {
  quantityType: ['fixed'],
  orderType: ['market', 'limit'],
  timeInForce: ['day', 'gtc', 'ioc', 'fok'],
} as const

/** What is wrong between a target and the fields beside it. */
export function* targetFaults({ values }: ValidFields): Generator<Fault> {
  if (values.targetPosition === undefined) return
  for (const field of ['quantityType', 'orderType', 'timeInForce'] as const) {
    const taken: readonly string[] = TAKEN[field]
    const given = values[field]
    if (given !== undefined && !taken.includes(given))
      yield fault([field], 'not_allowed', `${field} must be ${taken.join(' or ')} with targetPosition`)
  }
}
