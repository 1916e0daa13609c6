import type { SignalDetail } from '#client/types.ts'
import { levelWords } from '../exit/state.ts'
import { closedNote } from './result.ts'
import type { Next, Step } from './steps.ts'

/** Levels are at the broker or kept here, until a level, a time or a person closes the position. */
export function* protectedSteps(signal: SignalDetail, goneAt: string | null): Generator<Step> {
  const { exit, timings, result } = signal
  const isClosed = exit?.status === 'filled' || goneAt !== null
  const own = result.closes.some(({ by }) => by === 'exit')
  yield {
    name: 'Protected',
    at: timings.exitSentAt,
    isDone: timings.exitSentAt !== null || (signal.plan ?? null) !== null || isClosed,
  }
  yield {
    name: 'Closed',
    at: timings.exitFilledAt ?? goneAt,
    plannedAt: exit?.submitAt ?? null,
    isDone: isClosed,
    ...closedNote(signal),
    why:
      isClosed && !own ? 'by others' : exit?.submitAt == null ? 'until a level is reached' : 'or at its time',
    ...(!isClosed &&
      (exit?.status === 'cancelled' || exit?.status === 'failed') && {
        failure: exit.status === 'cancelled' ? 'Protection removed' : 'Protection failed',
      }),
  }
}

/** Next close by levels; null without them. */
export function protectedNext(signal: SignalDetail): Next | null {
  const plan = signal.plan ?? null
  if (plan === null) return null
  const { exit } = signal
  const levels = levelWords(plan)
  const atTime = exit?.status === 'scheduled' && exit.submitAt !== null ? exit.submitAt : null
  return {
    tone: 'accent',
    title: levels === '' ? 'Protected' : `Protected: ${levels}`,
    why:
      atTime === null
        ? 'It closes when a level is reached'
        : 'It closes when a level is reached, or at its time',
    ...(atTime !== null && { at: atTime }),
  }
}
