import type { PlannedFault } from '#test/faults/fault-plan.ts'
import { decided, IMMEDIATE, MARKET, plan, replacedBy, RESTING } from '#test/faults/plans.ts'
import { STORIES, type Story } from '#test/faults/stories.ts'
import type { Invariant } from '#test/support/oracle.ts'
import type { BugName } from './bugs.ts'

/** What brings a bug out, and what must not hold any more then. */
export interface Scene {
  story: Pick<Story, 'plans' | 'broker'>
  /** What goes wrong besides the bug, such as a worker that dies in an awkward moment. */
  fault?: PlannedFault
  /** Null where the service makes good what the bug does. */
  breaks: Invariant | null
}

const unanswered = STORIES['accepted without an answer']!
const simple = STORIES['entered and left']!
const inParts = (symbol: string, holdMs?: number): object => ({
  symbol,
  on: 'fill',
  mode: 'partial',
  fraction: 0.4,
  times: 1,
  ...(holdMs !== undefined && { holdMs }),
})
/** Beside a signal: another one of the same symbol, which stays in. */
const another = (symbol: string, accountId: string) =>
  plan(symbol, accountId, { executeMode: 'immediate' }, { key: `${symbol}-other` })
const closing = (symbol: string, accountId: string) =>
  plan(symbol, accountId, { executeMode: 'immediate', action: 'closeLong' }, { key: `${symbol}-close` })
/** A limit that is met at once. */
const MET = { ...RESTING, limitPrice: 100 }
const pinned = (symbol: string) => ({ market: { symbol, ...MARKET, movesAfterMs: null } })

export const STRATEGY_WITHOUT_SHARES = '00000000-0000-4000-8000-0000000000c9'

/** The most shares of a symbol that the account may hold. */
export const MAX_POSITION_SHARES = '30'

export const SCENES: Record<BugName, Scene> = {
  'an exit that does not know what a close has taken': {
    story: {
      // Comes first, because its exit is due a minute later, when somebody else has bought shares.
      plans(symbol, accountId) {
        const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }
        const { wish, ...course } = plan(symbol, accountId, { executeMode: 'immediate', ...exit })
        return [
          { wish: { ...wish, exitAfterMs: 60_000 }, ...course },
          closing(symbol, accountId),
          another(symbol, accountId),
        ]
      },
    },
    breaks: 'I12',
  },
  'a strategy that closes the shares of others': {
    story: {
      plans: (symbol, accountId) => [
        another(symbol, accountId),
        plan(
          symbol,
          accountId,
          {
            executeMode: 'immediate',
            action: 'closeLong',
            strategyId: STRATEGY_WITHOUT_SHARES,
            manages: 'own',
          },
          { key: `${symbol}-close` },
        ),
      ],
    },
    breaks: 'I23',
  },
  'another client order id for each try': { story: unanswered, breaks: 'I2' },
  'a client order id that identifies no signal': { story: simple, breaks: 'I4' },
  'no look-up after an answer was lost': {
    story: {
      ...unanswered,
      // Once it was too old to be sent its fill would be found, and get its exit.
      plans: (symbol, accountId) => [plan(symbol, accountId, IMMEDIATE, { timing: { validForMs: 600_000 } })],
    },
    breaks: 'I1',
  },
  // The fill of a refused signal is found, and gets its exit.
  'a lost answer that is taken for a refusal': { story: unanswered, breaks: 'I15' },
  'an acceptance that is not written down': { story: simple, breaks: 'I1' },
  'an exit as large as the order, not as its fill': {
    story: {
      // The shares of another signal are there to be taken.
      plans: (symbol, accountId) => [
        plan(
          symbol,
          accountId,
          { ...MET, timeInForce: 'gtd' },
          { timing: { expiresInMs: 3_000 }, ...pinned(symbol) },
        ),
        plan(symbol, accountId, { executeMode: 'immediate' }, { key: `${symbol}-other` }),
      ],
      broker: (symbol) => [inParts(symbol)],
    },
    breaks: 'I3',
  },
  'a part that is taken for the end': {
    story: {
      // The exit's limit is far from the entry's: the broker would refuse one that could trade with it.
      plans: (symbol, accountId) => [
        plan(
          symbol,
          accountId,
          { ...MET, exitOrderType: 'limit', exitLimitPrice: 110 },
          { market: { symbol, restsAt: 100, fillsAt: 111, movesAfterMs: 9_000 } },
        ),
      ],
      broker: (symbol) => [inParts(symbol, 5_000)],
    },
    breaks: 'I5',
  },
  'an exit that does not wait for its time': {
    story: {
      plans(symbol, accountId) {
        const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 }
        const planned = plan(
          symbol,
          accountId,
          { executeMode: 'immediate', ...exit },
          decided('withdraw exit', 6_000),
        )
        return [{ ...planned, wish: { ...planned.wish, exitAfterMs: 3_600_000 } }]
      },
    },
    breaks: 'I5',
  },
  'an exit that is sized again by each try': {
    story: simple,
    fault: { point: 'after broker.submitOrder of the exit', mode: 'crash' },
    // The broker is asked for this very exit before its shares are taken for closed by others.
    breaks: null,
  },
  // Shares that no end has counted are open work, which the census finds.
  'a fill after the end without a follower': { story: STORIES['filled after its end']!, breaks: null },
  'a cancel that is taken for done': {
    story: {
      plans: (symbol, accountId) => [
        plan(symbol, accountId, RESTING, { ...replacedBy(symbol, accountId), ...pinned(symbol) }),
      ],
      broker: (symbol) => [{ symbol, on: 'cancel', mode: 'fill', delayMs: 1_000 }],
    },
    breaks: 'I7',
  },
  'an exit that sells all that is held': {
    story: {
      plans: (symbol, accountId) => [another(symbol, accountId), plan(symbol, accountId, IMMEDIATE)],
    },
    breaks: 'I12',
  },
  'an exit that opens a position on the other side': {
    // Brokers refuse such an exit while anything is held.
    story: {
      plans: (symbol, accountId) => [plan(symbol, accountId, IMMEDIATE), closing(symbol, accountId)],
    },
    breaks: 'I12',
  },
  'a limit of the position that counts only what is held': {
    story: {
      // One more than the account may hold.
      plans: (symbol, accountId) =>
        Array.from({ length: Number(MAX_POSITION_SHARES) / 10 + 1 }, (_, number) =>
          plan(
            symbol,
            accountId,
            { ...RESTING, timeInForce: 'gtd' },
            { key: `${symbol}-${number}`, timing: { expiresInMs: 10_000 }, ...pinned(symbol) },
          ),
        ),
    },
    breaks: 'I13',
  },
  'an exit that is planned for another day': { story: simple, breaks: 'I14' },
}
