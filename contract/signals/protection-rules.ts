import { compare, isZero, type Decimal } from '#domain/decimal.ts'
import type { TradeSide } from '#domain/profit.ts'
import { isAtOnce } from '#domain/exit.ts'
import { planFaults } from '#domain/protection.ts'
import { faultsOfPlan } from '#domain/protection-change.ts'
import { isOpening } from '#domain/signal.ts'
import { fault, type Fault } from '../errors.ts'
import { LEVEL } from './protection-schema.ts'
import type { ValidFields } from './valid-fields.ts'

export function* protectionFaults(fields: ValidFields): Generator<Fault> {
  const { action, targetPosition, exitTriggerType, protection, limitPrice, stopPrice } = fields.values
  // A target may open whatever the action says; where it only closes, the plan says nothing.
  if (targetPosition === undefined && action !== undefined && !isOpening(action))
    yield* fields.notAllowed('protection', `for ${action}, which closes a position`)
  if (protection === undefined) return
  for (const { path, code, message } of faultsOfPlan(protection))
    yield fault(['protection', ...path], code, message)
  if (isAtOnce(exitTriggerType))
    yield* fields.notAllowed('protection', 'when exitTriggerType is immediate, whose order takes all shares')
  const side = sideOf(action, targetPosition)
  const own = limitPrice ?? stopPrice
  if (side === null || own === undefined) return
  const name = limitPrice === undefined ? 'stopPrice' : 'limitPrice'
  for (const { part, message } of planFaults(protection, side, own)) {
    const field = LEVEL.find((kind) => kind in protection[part]!)!
    const why = `protection.${part}.${field}: ${message}, the ${name} of the entry`
    yield fault(['protection', part, field], 'wrong_side', why)
  }
}

function sideOf(action: string | undefined, target: Decimal | undefined): TradeSide | null {
  if (target !== undefined) return isZero(target) ? null : compare(target, '0') > 0 ? 'LONG' : 'SHORT'
  return action === 'openLong' ? 'LONG' : action === 'openShort' ? 'SHORT' : null
}
