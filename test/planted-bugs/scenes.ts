import { decided, IMMEDIATE, MARKET, plan, replacedBy, RESTING } from '#test/faults/plans.ts'
import { STORIES, type Story } from '#test/faults/stories.ts'
import type { Invariant } from '#test/support/oracle.ts'
import type { BugName } from './bugs.ts'

/** What brings a bug out, and what must not hold any more then. */
export interface Scene {
  story: Pick<Story, 'plans' | 'broker'>
  breaks: Invariant
}

const unanswered = STORIES['accepted without an answer']!
const simple = STORIES['entered and left']!
/** Beside a signal: another one of the same symbol, which stays in. */
const another = (symbol: string, accountId: string) =>
  plan(symbol, accountId, { executeMode: 'immediate' }, { key: `${symbol}-other` })
const closing = (symbol: string, accountId: string) =>
  plan(symbol, accountId, { executeMode: 'immediate', action: 'closeLong' }, { key: `${symbol}-close` })
const pinned = (symbol: string) => ({ market: { symbol, ...MARKET, movesAfterMs: null } })

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
  'another client order id for each try': { story: unanswered, breaks: 'I2' },
  'a client order id that nobody can tell the signal by': { story: simple, breaks: 'I4' },
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
  'a fill after the end that nobody follows': { story: STORIES['filled after its end']!, breaks: 'I3' },
  'a cancel that is taken for done': {
    story: {
      plans: (symbol, accountId) => [
        plan(symbol, accountId, RESTING, { ...replacedBy(symbol, accountId), ...pinned(symbol) }),
      ],
      broker: (symbol) => [{ symbol, on: 'cancel', mode: 'fill', delayMs: 1_000 }],
    },
    breaks: 'I7',
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
