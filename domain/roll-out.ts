/**
 * Rolling out a build of the workers: it takes a part of the tasks first (it ramps), then all of them (it is promoted), and
 * as long as nothing was done that the build before it does not know, that one can take them back.
 */

/** Where a build stands with Temporal. */
export type BuildState = 'current' | 'ramping' | 'idle'

/** A build of the workers that Temporal knows. */
export interface Build {
  id: string
  state: BuildState
  /** Workers of it that were heard of within the last seconds. */
  workers: number
  /** When it was first promoted; UTC instant, null when it never was, or was taken back since. */
  promotedAt: string | null
}

/** How a roll-out stands. */
export interface RollOut {
  builds: readonly Build[]
  /** Percent of the tasks that the ramping build takes; 0 where none ramps. */
  percent: number
}

/** Why a step of a roll-out is not taken, and what to do. */
export class RollOutRefused extends Error {
  override readonly name = 'RollOutRefused'
}

const current = ({ builds }: RollOut): Build | undefined => builds.find(({ state }) => state === 'current')
const ramping = ({ builds }: RollOut): Build | undefined => builds.find(({ state }) => state === 'ramping')

/**
 * The build that is to take tasks. Throws {@link RollOutRefused}.
 *
 * @param wanted its id, or the beginning of it; without one the build that ramps, or else the only other one with workers
 */
export function buildToRollOut(rollOut: RollOut, wanted: string | undefined): Build {
  const build = wanted === undefined ? onlyCandidate(rollOut) : named(rollOut, wanted)
  if (build.workers === 0)
    throw new RollOutRefused(
      `No worker of build ${build.id} runs: its share of the tasks would wait for one. Start its workers first.`,
    )
  return build
}

/**
 * The build that takes the tasks back: the current one where another ramps, or else the one that was current before.
 * Throws {@link RollOutRefused}.
 */
export function buildToGoBackTo(rollOut: RollOut): { from: Build; to: Build } {
  const now = current(rollOut)
  if (!now) throw new RollOutRefused('No build takes all tasks: there is nothing to go back from.')
  const ramps = ramping(rollOut)
  const [before] = rollOut.builds
    .filter(({ state, promotedAt }) => state === 'idle' && promotedAt !== null)
    .toSorted((one, other) => Date.parse(other.promotedAt!) - Date.parse(one.promotedAt!))
  const to = ramps ? now : before
  if (!to)
    throw new RollOutRefused(`No build took all tasks before ${now.id}: there is nothing to go back to.`)
  if (to.workers === 0)
    throw new RollOutRefused(
      `No worker of build ${to.id} runs: every signal would wait for one. Start its workers first.`,
    )
  return { from: ramps ?? now, to }
}

function onlyCandidate(rollOut: RollOut): Build {
  const ramps = ramping(rollOut)
  if (ramps) return ramps
  const now = current(rollOut)
  // It stands in for one that had no workers.
  if (now?.promotedAt === null) return now
  const others = rollOut.builds.filter(({ state, workers }) => state === 'idle' && workers > 0)
  if (others.length === 1) return others[0]!
  throw new RollOutRefused(
    others.length === 0
      ? 'No worker of another build than the current one runs. Start workers of the new build first.'
      : `Workers of several builds run: name one of ${others.map(({ id }) => id).join(', ')} by --build.`,
  )
}

function named({ builds }: RollOut, wanted: string): Build {
  const found = builds.filter(({ id }) => id.startsWith(wanted))
  if (found.length === 1) return found[0]!
  const known = builds.map(({ id }) => id).join(', ') || 'none'
  throw new RollOutRefused(
    found.length === 0
      ? `Temporal knows no build ${wanted}; it knows ${known}.`
      : `Several builds begin with ${wanted}: ${known}.`,
  )
}
