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
  /** When a worker of it first asked for tasks; UTC instant. Of two builds the one that came later is the newer one. */
  firstSeenAt: string
  /** Whether it was ever given tasks. */
  wasRolledOut: boolean
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

/** Whether a build came before another one, and so may not know what that one's workflows have done. */
const isOlder = (build: Build, than: Build): boolean =>
  build.promotedAt !== null && than.promotedAt !== null
    ? Date.parse(build.promotedAt) < Date.parse(than.promotedAt)
    : Date.parse(build.firstSeenAt) < Date.parse(than.firstSeenAt)

/**
 * The build that is to take tasks. Throws {@link RollOutRefused}, also for one that is older than the current one.
 *
 * @param wanted its id, or the beginning of it; without one the build that ramps, or else the only newer one with workers
 */
export function buildToRollOut(rollOut: RollOut, wanted: string | undefined): Build {
  const build = wanted === undefined ? onlyCandidate(rollOut) : named(rollOut, wanted)
  const now = current(rollOut)
  if (now && now !== build && isOlder(build, now))
    throw new RollOutRefused(
      `Build ${build.id} is older than ${now.id}, which takes the tasks: it may not know ways that workflows have gone. deploy back gives the tasks back while that is possible.`,
    )
  if (build.workers === 0)
    throw new RollOutRefused(
      `No worker of build ${build.id} runs: its share of the tasks would wait for one. Start its workers first.`,
    )
  return build
}

/** {@link buildToRollOut}, for all tasks: none may be left to another build, which would meet patches that it does not know. */
export function buildToPromote(rollOut: RollOut, wanted: string | undefined): Build {
  const build = buildToRollOut(rollOut, wanted)
  const ramps = ramping(rollOut)
  if (ramps && ramps !== build)
    throw new RollOutRefused(
      `Build ${ramps.id} takes a part of the tasks, and may not know what ${build.id} brings newly. End that first by deploy back.`,
    )
  return build
}

/**
 * The build that takes the tasks back: the current one where another ramps, or else the one that was current before. From
 * is null where the wanted one has them already. Throws {@link RollOutRefused}.
 *
 * @param wanted its id, or the beginning of it. It has to be named when tasks were taken back from a newer build already: a
 *   command that is repeated, because its answer was lost, would go back one build too far
 */
export function buildToGoBackTo(
  rollOut: RollOut,
  wanted: string | undefined,
): { from: Build | null; to: Build } {
  const now = current(rollOut)
  if (!now) throw new RollOutRefused('No build takes all tasks: there is nothing to go back from.')
  const target = wanted === undefined ? undefined : named(rollOut, wanted)
  const ramps = ramping(rollOut)
  if (!ramps && target === now) return { from: null, to: now }
  const [before] = rollOut.builds
    .filter((build) => build.state === 'idle' && build.promotedAt !== null && isOlder(build, now))
    .toSorted((one, other) => Date.parse(other.promotedAt!) - Date.parse(one.promotedAt!))
  const to = ramps ? now : before
  if (!to)
    throw new RollOutRefused(`No build took all tasks before ${now.id}: there is nothing to go back to.`)
  if (target && target !== to)
    throw new RollOutRefused(`Build ${to.id} is the one to go back to, not ${target.id}.`)
  const takenBack = rollOut.builds.find(
    (build) => build.state === 'idle' && build.wasRolledOut && isOlder(now, build),
  )
  if (!ramps && !target && takenBack)
    throw new RollOutRefused(
      `Build ${now.id} has taken the tasks of ${takenBack.id} back already. To go back further, to ${to.id}, name it by --build.`,
    )
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
  // The build stands in for one that had no workers, or its promotion was cut off.
  if (now?.promotedAt === null) return now
  const newer = rollOut.builds.filter(
    (build) => build.state === 'idle' && build.workers > 0 && !(now && isOlder(build, now)),
  )
  if (newer.length === 1) return newer[0]!
  throw new RollOutRefused(
    newer.length === 0
      ? `No worker of a newer build than ${now ? `${now.id}, which takes all tasks,` : 'the current one'} runs. Start workers of the new build first.`
      : `Workers of several builds run: name one of ${newer.map(({ id }) => id).join(', ')} by --build.`,
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
