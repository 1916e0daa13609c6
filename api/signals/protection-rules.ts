import { compare, isZero, type Decimal } from '#domain/decimal.ts'
import type { TradeSide } from '#domain/profit.ts'
import { isAtOnce } from '#domain/exit.ts'
import { planFaults, type PlanPart, type Protection } from '#domain/protection.ts'
import { isOpening } from '#domain/signal.ts'
import { fault, type Fault } from '../http/errors.ts'
import type { ValidFields } from './valid-fields.ts'

export function* protectionFaults(fields: ValidFields): Generator<Fault> {
  const { action, targetPosition, exitTriggerType, protection, limitPrice, stopPrice } = fields.values
  // A target may open whatever the action says; where it only closes, the plan says nothing.
  if (targetPosition === undefined && action !== undefined && !isOpening(action))
    yield* fields.notAllowed('protection', `for ${action}, which closes a position`)
  if (protection === undefined) return
  yield* faultsOfPlan(protection)
  if (isAtOnce(exitTriggerType))
    yield* fields.notAllowed('protection', 'when exitTriggerType is immediate, whose order takes all shares')
  const side = sideOf(action, targetPosition)
  const own = limitPrice ?? stopPrice
  if (side === null || own === undefined) return
  const name = limitPrice === undefined ? 'stopPrice' : 'limitPrice'
  for (const { part, message } of planFaults(protection, side, own))
    yield* at(protection, part, 'wrong_side', `${message}, the ${name} of the entry`)
}

function sideOf(action: string | undefined, target: Decimal | undefined): TradeSide | null {
  if (target !== undefined) return isZero(target) ? null : compare(target, '0') > 0 ? 'LONG' : 'SHORT'
  return action === 'openLong' ? 'LONG' : action === 'openShort' ? 'SHORT' : null
}

export function* faultsOfPlan(plan: Protection): Generator<Fault> {
  const { stop, target, trail, breakEven, until } = plan
  if (stop === null && target === null && trail === null)
    yield fault(['protection'], 'required', 'protection must have a stop, a target or a trail')
  // The end of its order at the broker ends a plan for a session.
  else if (until === 'session' && stop === null && target === null && trail?.after !== undefined)
    yield fault(
      ['protection', 'until'],
      'not_allowed',
      'protection.until session is not allowed with nothing but a trail that begins at a profit: give a stop or a target as well, or leave until out',
    )
  else if (breakEven !== null && stop === null && trail === null)
    yield fault(
      ['protection', 'breakEven'],
      'not_allowed',
      'protection.breakEven is not allowed without a stop or a trail, which it moves: leave it out',
    )
}

function* at(plan: Protection, part: PlanPart, code: string, message: string) {
  const level = plan[part]!
  const field = 'price' in level ? 'price' : 'percent' in level ? 'percent' : 'amount'
  yield fault(['protection', part, field], code, `protection.${part}.${field}: ${message}`)
}
