import { decimal, type Decimal } from './decimal.ts'
import { isAtOnce, type ExitRule } from './exit.ts'
import { sideOpenedBy } from './likely-fill.ts'
import { belowZero, PLAN_PARTS, planFaults, type PlanFault, type Protection } from './protection.ts'
import { isByRisk, type SignalTerms } from './signal.ts'
import type { SignalStatus } from './signal-status.ts'

/** Of a request: an absent part stays as it is, null takes it away. */
export type PlanChange = { [Part in keyof Protection]?: Protection[Part] | null | undefined }

export const NO_LEVELS: Protection = {
  stop: null,
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
}

/** Null where the change leaves no level. */
export function changedPlan(plan: Protection | null, { until, ...parts }: PlanChange): Protection | null {
  const given = Object.entries(parts).filter(([, part]) => part !== undefined)
  const changed = { ...NO_LEVELS, ...plan, ...Object.fromEntries(given), ...(until && { until }) }
  return PLAN_PARTS.every((part) => changed[part] === null) ? null : changed
}

/** `path`: fields within the plan. */
export interface RuleFault {
  path: string[]
  code: string
  message: string
}

/**
 * The plan as it is now, or why it stays as it was: faults of the merged plan, or none at a wrong moment. `covered`: of a signal that
 * had ended, filled shares that it does not own any more.
 */
export type ProtectionChanged =
  { plan: Protection | null; covered?: Decimal } | { refused: string; faults: RuleFault[] }

const fault = (path: string[], code: string, message: string): RuleFault => ({ path, code, message })

/** Numbers may be as the database has them. */
export interface ChangedSignal extends Pick<SignalTerms, 'action' | 'quantityType'> {
  status: SignalStatus
  exitRule?: Pick<ExitRule, 'trigger'> | null | undefined
  protection?: Protection | null | undefined
  limitPrice?: Decimal | null | undefined
  stopPrice?: Decimal | null | undefined
  avgFillPrice?: Decimal | null | undefined
}

/** What is wrong with a change whatever the market's price is: judged by the API, and once more as it is merged. */
export function faultsOfChange(signal: ChangedSignal, change: PlanChange): RuleFault[] {
  const plan = changedPlan(signal.protection ?? null, change)
  const { quantityType, status, exitRule } = signal
  if (PLAN_PARTS.every((part) => change[part] === undefined) && (change.until === undefined || plan === null))
    return [fault([], 'required', CHANGES_NOTHING)]
  if (status !== 'executed' && isByRisk(quantityType) && !hasStopFromFill(plan)) {
    const why = `is required: the quantity (${quantityType}) follows from its distance`
    return [fault(['stop'], 'required', `A stop, or a trail that counts from the fill on, ${why}`)]
  }
  if (plan === null) return []
  const faults = faultsOfPlan(plan).map(({ path, code, message }) =>
    fault(path, code, message.replace('protection.', '').replace('protection ', 'The plan ')),
  )
  if (isAtOnce(exitRule?.trigger)) faults.push(fault([], 'not_allowed', NOTHING_TO_PROTECT))
  // A level that the change leaves alone may have been passed meanwhile, and is acted upon.
  const given = senselessLevels(signal, plan).filter(({ part }) => change[part] != null)
  return [...faults, ...given.map(({ part, message }) => fault([part], 'wrong_side', message))]
}

/** By the average fill, or else by the entry's own price; none where neither is known. */
function senselessLevels({ action, ...prices }: ChangedSignal, plan: Protection): PlanFault[] {
  const side = sideOpenedBy(action)
  const { avgFillPrice: average, limitPrice, stopPrice } = prices
  if (average != null) return belowZero(plan, { side, average: decimal(average), fees: '0' })
  const own = limitPrice ?? stopPrice
  return own == null ? [] : planFaults(plan, side, decimal(own))
}

export const hasStopFromFill = (plan: Protection | null): boolean =>
  plan !== null && (plan.stop !== null || (plan.trail !== null && plan.trail.after === undefined))

export function faultsOfPlan({ stop, target, trail, breakEven, until }: Protection): RuleFault[] {
  if (stop === null && target === null && trail === null)
    return [fault([], 'required', 'protection must have a stop, a target or a trail')]
  // The end of its order at the broker ends a plan for a session.
  if (until === 'session' && stop === null && target === null && trail?.after !== undefined)
    return [fault(['until'], 'not_allowed', `protection.until session ${BEGINS_LATER}`)]
  if (breakEven === null || stop !== null || trail !== null) return []
  return [fault(['breakEven'], 'not_allowed', `protection.breakEven ${MOVES_NOTHING}`)]
}

const CHANGES_NOTHING =
  'The body changes nothing: say which part of the exit plan changes. null takes a part away, and stop, target, trail and breakEven, each null, end the plan'
const NOTHING_TO_PROTECT = 'The exit of the signal takes all shares at once: there is nothing to protect'
const BEGINS_LATER =
  'is not allowed with nothing but a trail that begins at a profit: give a stop or a target as well, or leave until out'
const MOVES_NOTHING = 'is not allowed without a stop or a trail, which it moves: leave it out'
