import { compare, type Decimal } from '#domain/decimal.ts'
import { hasStopFromFill } from '#domain/protection-change.ts'
import { isByRisk, isOpening, type QuantityType } from '#domain/signal.ts'
import { fault, type Fault } from '../errors.ts'
import type { ValidFields } from './valid-fields.ts'

export function* sizeFaults(fields: ValidFields): Generator<Fault> {
  const { action, quantity, quantityType, targetPosition, protection } = fields.values
  if (quantityType === undefined) return
  if (quantity !== undefined) {
    const message = percentFault(quantityType, quantity)
    if (message !== null) yield fault(['quantity'], 'too_big', `quantity ${message}`)
  }
  // With a target only shares are taken, which its own rule says.
  if (action === undefined || targetPosition !== undefined) return
  if (quantityType === 'percentPosition' && isOpening(action))
    yield fault(
      ['quantityType'],
      'not_allowed',
      `quantityType percentPosition is not allowed for ${action}: it is a part of what is held, for closing actions`,
    )
  if (!isByRisk(quantityType)) return
  if (!isOpening(action))
    yield fault(
      ['quantityType'],
      'not_allowed',
      `quantityType ${quantityType} is not allowed for ${action}, which risks nothing: percentPosition closes a part of what is held`,
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
