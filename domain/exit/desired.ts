import { earlier, instantAfter } from '../time/instants.ts'
import { compare, isPositive, type Decimal } from '../money/decimal.ts'
import { EXIT_AT_MARKET, type ExitReason, type ExitTerms } from './exit.ts'
import { endOfWait, type ExitProgress, type ExitsAsked, type Wait } from './progress.ts'
import {
  isSameKind,
  restingOrder,
  targetPrice,
  type ProtectedPosition,
  type ProtectiveAbilities,
  type Protection,
  type RestingOrder,
} from './protection.ts'

export interface ExitFacts {
  exit: ExitProgress
  asked: ExitsAsked
  filled: Decimal
  /** Null without levels, and until the average fill is known. */
  levels: {
    position: ProtectedPosition
    best: Decimal
    abilities: ProtectiveAbilities
    resting: RestingOrder | null
    owned: Decimal
  } | null
  working: { fillsAtOnce: boolean; isTooLarge: boolean } | null
  /** Set while trading is halted: no order may be sent. */
  halt: string | null
}

/**
 * none: nothing to close, or a cancelled exit. wait: the present order, if any, stays. `again`: the next instant (UTC)
 * at which facts change by themselves.
 */
export type DesiredExit =
  | { what: 'none'; why: 'closed' | 'cancelled' | 'over' }
  | {
      what: 'wait'
      for: string
      until: string | null
      again: string | null
      keeps?: { alert: string | null }
    }
  | { what: 'order'; reason: ExitReason; terms: ExitTerms; again: string | null }

/** Milliseconds that an order at a target works; then the stop returns. */
const TARGET_WORKS_FOR = 10_000
/** Failed tries of the time exit before the levels return meanwhile. */
const LEVELS_ARE_BACK_AFTER = 4
/** Milliseconds between two looks during a halt. */
const HALTED_FOR = 60_000

interface ReasonRule {
  reason: ExitReason
  isDue(facts: ExitFacts, now: string): boolean
  /** Null where no order is possible yet. */
  terms(facts: ExitFacts): ExitTerms | null
  /** True lets later rules act while this one waits for a try. */
  canBeReplaced(wait: Wait, facts: ExitFacts, now: string): boolean
}

/** In order of precedence. */
const REASON_RULES: readonly ReasonRule[] = [
  {
    reason: 'STOP_LOSS',
    isDue: ({ exit }) => exit.reached === 'STOP_LOSS',
    terms: () => EXIT_AT_MARKET,
    canBeReplaced: () => false,
  },
  {
    reason: 'TAKE_PROFIT',
    isDue: (facts, now) => facts.exit.reached === 'TAKE_PROFIT' && !isUnsold(facts, now),
    terms: ({ asked, levels }) => {
      const limitPrice = levels && asked.protection ? targetPrice(asked.protection, levels.position) : null
      return limitPrice && { orderType: 'limit', limitPrice, stopPrice: null, timeInForce: 'day' }
    },
    canBeReplaced: () => true,
  },
  {
    reason: 'TIME',
    isDue: ({ exit, asked }, now) => hasTime({ exit, asked }) && exit.time.at !== null && exit.time.at <= now,
    terms: ({ asked }) => asked.exit,
    canBeReplaced: ({ why, tries }, facts, now) =>
      (why === 'closed' || tries >= LEVELS_ARE_BACK_AFTER) && levelsCount(facts, now),
  },
  { reason: 'PROTECTION', isDue: levelsCount, terms: restingTerms, canBeReplaced: () => false },
]

/** The exit order that should be at the broker at `now` (UTC): a stop before a target before the time. */
export function desiredExit(facts: ExitFacts, now: string): DesiredExit {
  const { exit, filled, working, halt } = facts
  if (exit.cancelledBy !== null) return { what: 'none', why: 'cancelled' }
  if (working === null && compare(exit.coveredQuantity, filled) >= 0) return { what: 'none', why: 'closed' }
  const desired = requestOf(facts, now)
  const isKept = working === null || halt === null || isServed(facts, desired)
  // No order could replace it, so it stays.
  if (isKept || !facts.asked.protection) return desired
  const until = instantAfter(now, HALTED_FOR)
  return {
    what: 'wait',
    for: halt,
    until,
    again: earlier(nextInstant(facts, now), until),
    keeps: { alert: isAllProtected(facts, desired) ? null : halt },
  }
}

const WATCHED = 'the price to reach a level of the exit, which this service watches'

function requestOf(facts: ExitFacts, now: string): DesiredExit {
  const again = nextInstant(facts, now)
  for (const { reason, isDue, terms, canBeReplaced } of REASON_RULES) {
    if (!isDue(facts, now)) continue
    const wait = workingReason(facts) === reason ? null : endOfWait(facts.exit, reason, now)
    if (wait !== null && !canBeReplaced(wait, facts, now))
      return { what: 'wait', for: wait.detail, until: wait.until, again }
    const asked = wait === null ? terms(facts) : null
    if (asked !== null) return { what: 'order', reason, terms: asked, again }
  }
  if (levelsCount(facts, now)) return { what: 'wait', for: WATCHED, until: null, again }
  return hasTime(facts)
    ? { what: 'wait', for: 'the exit time', until: facts.exit.time.at, again }
    : { what: 'none', why: 'over' }
}

export function isServed(facts: ExitFacts, desired: DesiredExit): boolean {
  const { working, levels } = facts
  if (working === null || desired.what === 'none') return false
  if (desired.what === 'wait') return desired.keeps !== undefined
  const reason = workingReason(facts)
  // A market order closes the position anyway.
  if (desired.reason !== reason) return working.fillsAtOnce
  if (!working.fillsAtOnce && working.isTooLarge) return false
  if (reason !== 'PROTECTION') return true
  return !isTooSmall(facts) && (levels?.resting == null || isSameKind(desired.terms, levels.resting))
}

const hasTime = ({ exit, asked }: Pick<ExitFacts, 'exit' | 'asked'>): boolean =>
  asked.exit !== null && exit.timeHasEnded === undefined

/** A day order counts until it expires. */
function levelsCount(facts: Pick<ExitFacts, 'exit' | 'asked'>, now: string): boolean {
  const { protection } = facts.asked
  if (!protection) return false
  return !isSessionOver(facts.exit, protection, now) || workingReason(facts) === 'PROTECTION'
}

export const isSessionOver = (
  { sessionEndsAt }: Pick<ExitProgress, 'sessionEndsAt'>,
  protection: Protection | null,
  now: string,
): boolean => protection?.until === 'session' && sessionEndsAt !== undefined && sessionEndsAt <= now

const workingReason = ({ exit }: Pick<ExitFacts, 'exit'>): ExitReason | null =>
  exit.workingOrder?.reason ?? null

function restingTerms({ asked, levels, exit, filled }: ExitFacts): ExitTerms | null {
  if (levels === null || !asked.protection) return null
  const { position, best, abilities, resting, owned } = levels
  const size = exit.workingOrder?.reason === 'PROTECTION' ? exit.workingOrder.quantity : owned
  const quantity = isPositive(size) ? size : filled
  return restingOrder(asked.protection, position, best, { quantity, abilities, resting })
}

const targetEnds = (since: string): string => instantAfter(since, TARGET_WORKS_FOR)

const isUnsold = (facts: ExitFacts, now: string): boolean =>
  workingReason(facts) === 'TAKE_PROFIT' && now >= targetEnds(facts.exit.workingOrder!.since)

const isTooSmall = ({ exit, filled }: ExitFacts): boolean =>
  exit.workingOrder !== null && compare(filled, exit.workingOrder.filledThen) > 0

const isAllProtected = (facts: ExitFacts, desired: DesiredExit): boolean =>
  desired.what === 'order' &&
  (desired.reason === 'TAKE_PROFIT' || (desired.reason === workingReason(facts) && !isTooSmall(facts)))

export const asksCalendar = (facts: Pick<ExitFacts, 'exit' | 'asked'>, now: string): boolean =>
  asksTime(facts, now) || asksSession(facts)

export const asksTime = (facts: Pick<ExitFacts, 'exit' | 'asked'>, now: string): boolean =>
  hasTime(facts) && (facts.exit.time.at === null || facts.exit.time.at > now)

export const asksSession = ({ exit, asked }: Pick<ExitFacts, 'exit' | 'asked'>): boolean =>
  asked.protection?.until === 'session' && exit.sessionEndsAt === undefined

function nextInstant(facts: ExitFacts, now: string): string | null {
  const { exit } = facts
  const instants = [
    hasTime(facts) ? exit.time.at : null,
    asksCalendar(facts, now) ? exit.time.lookAt : null,
    exit.sessionEndsAt ?? null,
    ...Object.values(exit.waits).map(({ until }) => until),
    exit.workingOrder?.reason === 'TAKE_PROFIT' ? targetEnds(exit.workingOrder.since) : null,
  ]
  return instants.reduce<string | null>(
    (first, at) => (at !== null && at > now ? earlier(first, at) : first),
    null,
  )
}
