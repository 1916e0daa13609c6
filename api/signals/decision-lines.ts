import type { Signal } from '#db/entities/index.ts'
import { findSignals } from '#db/signals/signals.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import type { DecidedLineAnswer } from '#contract/signals/answers.ts'
import type { Decided } from './decision-commands.ts'
import { presentFailedLine } from './decision-record.ts'

type PresentLine = (decided: Decided) => DecidedLineAnswer
type Decide = (signal: Signal) => Promise<Decided>

export async function decideOnAll(
  { em, principal, beforeDatabaseDeadline: inTime }: Caller,
  ids: readonly string[],
  presentLine: PresentLine,
  decide: Decide,
): Promise<{ results: DecidedLineAnswer[] }> {
  const found = await inTime(findSignals(em, principal.userId, ids))
  const signals = new Map(found.map((signal) => [signal.id, signal]))
  const results = await Promise.all(
    ids.map(async (id) => {
      const signal = signals.get(id)
      if (!signal) return presentFailedLine(id, new ApiError('SIGNAL_NOT_FOUND'))
      return lineOf(signal, presentLine, decide)
    }),
  )
  return { results }
}

export const decideOnEach = async (
  signals: readonly Signal[],
  presentLine: PresentLine,
  decide: Decide,
): Promise<{ results: DecidedLineAnswer[] }> => ({
  results: await Promise.all(signals.map((signal) => lineOf(signal, presentLine, decide))),
})

async function lineOf(signal: Signal, presentLine: PresentLine, decide: Decide): Promise<DecidedLineAnswer> {
  try {
    return presentLine(await decide(signal))
  } catch (error) {
    if (error instanceof ApiError) return presentFailedLine(signal.id, error)
    throw error
  }
}
