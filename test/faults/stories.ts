import type { ResolvedRequest } from '#test/chaos/wishes.ts'
import { changedTo, decided, IMMEDIATE, MARKET, PENDING, plan, replacedBy, RESTING } from './plans.ts'

/**
 * A signal's way through the service on which certain calls are made, each of which may go wrong. It has to end the
 * same whatever does.
 */
export interface Story {
  /** The calls that this story is told for, by their names in `activities.ts`, `brokers.ts`, `announcer.ts` and `order-reports.ts`. */
  calls: readonly string[]
  /** The signals of the story, sent one after the other. */
  plans(symbol: string, accountId: string): ResolvedRequest[]
  /** How the broker behaves in that symbol; see venue/faults/rule.ts. */
  broker?(symbol: string): object[]
  /** Something happens so late that the signal seems to have ended before it; milliseconds. */
  waitsMs?: number
  /** What the broker lists no symbol under is refused by it. */
  symbolPrefix?: string
  /**
   * How its signals end, in the order of their acceptance: status, reason if any, and exit; those that end alike are
   * named once, because a sender sends everything twice, and each replaces the other.
   */
  ends: readonly string[]
}

/** The calls that every entry and every exit makes. */
const ALL_THE_WAY = [
  'decideEntry',
  'prepareEntry',
  'submitOrder of the entry',
  'broker.submitOrder of the entry',
  'recordAccepted of the entry',
  'writing the end of the entry into the ledger',
  'announcing the end of the entry',
  'scheduleExit',
  'sizeExit',
  'submitOrder of the exit',
  'broker.submitOrder of the exit',
  'recordAccepted of the exit',
  'writing the end of the exit into the ledger',
  'announcing the end of the exit',
  'recordClosed',
]
/** Longer than anything takes that goes wrong meanwhile, in milliseconds. */
const LATER_MS = 14_000
/** How long after its cancel an order fills that fills all the same, in milliseconds. */
export const LATE_FILL_MS = 6_000

/** Its stop is reached when all that goes wrong is over. */
const withStop = (symbol: string, accountId: string, until: 'closed' | 'session'): ResolvedRequest =>
  plan(
    symbol,
    accountId,
    { executeMode: 'immediate', protection: { stop: { price: 97 }, until } },
    { market: { symbol, ...MARKET, movesAfterMs: LATER_MS } },
  )

/** Four of ten at once, the rest when the order is cancelled and its exit is out. */
const fillsInTwo = (symbol: string): object[] => [
  { symbol, on: 'fill', mode: 'partial', fraction: 0.4, times: 1 },
  { symbol, on: 'cancel', mode: 'late_fill', delayMs: LATE_FILL_MS },
]
const filledFurther = (
  symbol: string,
  accountId: string,
  exit: object,
  expiresInMs: number,
): ResolvedRequest =>
  plan(
    symbol,
    accountId,
    { ...RESTING, limitPrice: 100, timeInForce: 'gtd', ...exit },
    { timing: { expiresInMs }, market: { symbol, ...MARKET, movesAfterMs: LATER_MS } },
  )
/** After the rest of the entry. */
const EXIT_FILLS_AFTER_MS = LATE_FILL_MS + 2_000

export const STORIES: Record<string, Story> = {
  'entered and left': {
    calls: ALL_THE_WAY,
    plans: (symbol, accountId) => [plan(symbol, accountId, IMMEDIATE)],
    ends: ['executed, exit filled'],
  },
  'entered, and not left': {
    calls: [
      'decideEntry',
      'prepareEntry',
      'submitOrder of the entry',
      'broker.submitOrder of the entry',
      'recordAccepted of the entry',
      'writing the end of the entry into the ledger',
      'announcing the end of the entry',
      'recordClosed',
    ],
    plans: (symbol, accountId) => [plan(symbol, accountId, { executeMode: 'immediate' })],
    ends: ['executed'],
  },
  'sent at its time': {
    calls: ['recordWaiting', 'recordDue'],
    plans: (symbol, accountId) => [
      plan(symbol, accountId, { ...IMMEDIATE, executeMode: 'scheduled' }, { timing: { dueInMs: 1_500 } }),
    ],
    ends: ['executed, exit filled'],
  },
  approved: {
    calls: ['recordWaiting', 'recordDue'],
    plans: (symbol, accountId) => [plan(symbol, accountId, PENDING, decided('approve'))],
    ends: ['executed, exit filled'],
  },
  declined: {
    calls: ['recordDeclined'],
    plans: (symbol, accountId) => [plan(symbol, accountId, PENDING, decided('decline'))],
    ends: ['rejected DECLINED, exit cancelled'],
  },
  withdrawn: {
    calls: ['recordCancelled'],
    plans: (symbol, accountId) => [plan(symbol, accountId, PENDING, decided('withdraw'))],
    ends: ['cancelled WITHDRAWN, exit cancelled'],
  },
  'replaced while it waits': {
    calls: ['recordReplaced'],
    plans: (symbol, accountId) => [plan(symbol, accountId, PENDING, replacedBy(symbol, accountId))],
    ends: ['cancelled SUPERSEDED, exit cancelled', 'executed, exit filled'],
  },
  'replaced while it works': {
    calls: ['cancelOrder', 'broker.cancelOrder', 'recordReplaced'],
    plans: (symbol, accountId) => [
      plan(symbol, accountId, RESTING, {
        ...replacedBy(symbol, accountId),
        market: { symbol, ...MARKET, movesAfterMs: null },
      }),
    ],
    ends: ['cancelled SUPERSEDED, exit cancelled', 'executed, exit filled'],
  },
  'good till a date': {
    calls: ['cancelOrder', 'broker.cancelOrder'],
    plans: (symbol, accountId) => [
      plan(
        symbol,
        accountId,
        { ...RESTING, timeInForce: 'gtd' },
        { timing: { expiresInMs: 2_500 }, market: { symbol, ...MARKET, movesAfterMs: null } },
      ),
    ],
    ends: ['executed, exit cancelled'],
  },
  'rejected by the broker': {
    calls: ['recordNotPlaced'],
    plans: (symbol, accountId) => [plan(symbol, accountId, IMMEDIATE)],
    symbolPrefix: 'XX',
    ends: ['rejected INVALID_ORDER, exit cancelled'],
  },
  'accepted without an answer': {
    calls: ['recordTransmitted'],
    plans: (symbol, accountId) => [plan(symbol, accountId, IMMEDIATE)],
    broker: (symbol) => [{ symbol, on: 'submit', mode: 'reset', when: 'after', times: 1 }],
    ends: ['executed, exit filled'],
  },
  'its exit withdrawn': {
    calls: ['recordExitCancelled'],
    plans: (symbol, accountId) => [
      plan(
        symbol,
        accountId,
        { executeMode: 'immediate', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 },
        decided('withdraw exit'),
      ),
    ],
    ends: ['executed, exit cancelled'],
  },
  'its exit rejected after its acceptance': {
    calls: ['recordExitTrouble'],
    plans: (symbol, accountId) => [
      plan(
        symbol,
        accountId,
        { ...IMMEDIATE, exitOrderType: 'stop', exitStopPrice: 97 },
        { market: { symbol, ...MARKET, movesAfterMs: LATER_MS } },
      ),
    ],
    // The entry has filled by then.
    broker: (symbol) => [{ symbol, on: 'accepted', mode: 'reject', delayMs: 1_000, times: 2 }],
    ends: ['executed, exit filled'],
  },
  'filled after its end': {
    calls: ['opening the signal again', 'loadSignal'],
    waitsMs: LATE_FILL_MS + 4_000,
    plans: (symbol, accountId) => [
      plan(
        symbol,
        accountId,
        { ...RESTING, timeInForce: 'gtd' },
        { timing: { expiresInMs: 1_500 }, market: { symbol, ...MARKET, movesAfterMs: null } },
      ),
    ],
    broker: (symbol) => [{ symbol, on: 'cancel', mode: 'late_fill', delayMs: LATE_FILL_MS }],
    ends: ['executed, exit filled'],
  },
  'filled further while its exit rests': {
    calls: ['lookAtExit'],
    plans: (symbol, accountId) => [
      filledFurther(symbol, accountId, { exitOrderType: 'stop', exitStopPrice: 97 }, 1_500),
    ],
    broker: (symbol) => fillsInTwo(symbol),
    ends: ['executed, exit filled'],
  },
  'filled further while its exit is due to fill': {
    calls: ['acknowledgeEnds'],
    plans: (symbol, accountId) => [filledFurther(symbol, accountId, {}, EXIT_FILLS_AFTER_MS + 2_000)],
    broker: (symbol) => [
      ...fillsInTwo(symbol),
      { symbol, on: 'fill', mode: 'delay', delayMs: EXIT_FILLS_AFTER_MS },
    ],
    ends: ['executed, exit filled'],
  },
  'closed at a level of its session': {
    calls: ['lookAtExit', 'sessionEnd'],
    plans: (symbol, accountId) => [withStop(symbol, accountId, 'session')],
    ends: ['executed, exit filled'],
  },
  'closed at a level that was changed': {
    calls: ['recordProtectionChanged', 'adjustProtection', 'broker.changeOrder'],
    plans: (symbol, accountId) => [
      { ...withStop(symbol, accountId, 'closed'), ...changedTo({ stop: { price: 96 } }) },
    ],
    ends: ['executed, exit filled'],
  },
  'closed by an order that took the place of another': {
    calls: ['cancelOrder', 'broker.cancelOrder', 'readCancelMarks'],
    plans: (symbol, accountId) => [
      { ...withStop(symbol, accountId, 'closed'), ...changedTo({ stop: null, trail: { percent: 4 } }) },
    ],
    ends: ['executed, exit filled'],
  },
  'sent in its turn': {
    calls: ['prepareEntry'],
    plans: (symbol, accountId) => [
      plan(symbol, accountId, { executeMode: 'immediate' }),
      plan(symbol, accountId, { executeMode: 'immediate', action: 'closeLong' }, { key: `${symbol}-close` }),
    ],
    broker: (symbol) => [{ symbol, on: 'fill', mode: 'delay', delayMs: 2_500, times: 1 }],
    ends: ['executed'],
  },
}
