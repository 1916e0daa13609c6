import type { FaultMode, FaultPlan } from './fault-plan.ts'
import { STORIES, type Story } from './stories.ts'
import { lettersOf } from '#test/support/letters.ts'

/** One thing that goes wrong in a story, in a symbol of its own; null where nothing does. */
export interface FaultCase {
  name: string
  story: Story
  symbol: string
  fault: { point: string; mode: FaultMode } | null
}

/** What the feed does is never without an end: it waits for a server or a database, and both calls have a deadline. */
const NEVER_HANGS = ['announcing', 'writing', 'opening']

/** Every story in which nothing goes wrong. */
export const SOUND_CASES: readonly FaultCase[] = Object.entries(STORIES).map(([name, story], number) => ({
  name,
  story,
  symbol: `${story.symbolPrefix ?? 'ZT'}OK${lettersOf(number)}`,
  fault: null,
}))

/** Every call of every story, before and after it, going wrong in one way. */
export function casesOf(mode: FaultMode): FaultCase[] {
  return Object.entries(STORIES).flatMap(([name, story], number) =>
    story.calls
      .filter((call) => mode !== 'hang' || !NEVER_HANGS.some((word) => call.startsWith(word)))
      .flatMap((call) => [`before ${call}`, `after ${call}`])
      .map((point, place) => ({
        name: `${name}: ${mode} ${point}`,
        story,
        symbol: `${story.symbolPrefix ?? 'ZT'}${mode[0]!.toUpperCase()}${lettersOf(number)}N${lettersOf(place)}`,
        fault: { point, mode },
      })),
  )
}

/** The same once more, in another symbol: a signal may not have come to where it was to go wrong. */
export const again = (each: FaultCase, round: number): FaultCase =>
  round === 1 ? each : { ...each, symbol: `${each.symbol}R${lettersOf(round)}` }

/** What the worker has to know of them. */
export const levelsOfSignal = (cases: readonly FaultCase[]): FaultPlan =>
  Object.fromEntries(cases.flatMap(({ symbol, fault }) => (fault ? [[symbol, fault]] : [])))
