import type { Advisory, Routes } from '#client/types.ts'
import type { EntryRule } from '#domain/entry-check.ts'
import type { Problem } from '../connection/problem.ts'

type Answer = Routes['POST /api/v1/signals']['answers'][200]
/** What sending it now would lead to: the order, the exit, and what every rule says. */
export type DryRun = Extract<Answer, { dryRun: unknown }>['dryRun']

/** What the service said of a body, and which body that was. */
export interface Tried {
  /** The body as JSON text. */
  of: string
  /** When it was asked, in the service's time. */
  at: number
  dryRun?: DryRun
  advisories?: readonly Advisory[]
  /** Of several accounts those beside the first that would not take it, and why. */
  refusedIn?: readonly { accountId: string; message: string }[]
  problem?: Problem
}

/** Whether it was only not possible at that moment, so that it is asked again at once. */
export const mayPass = ({ problem }: Tried): boolean =>
  problem !== undefined && [0, 429, 503].includes(problem.status)

/**
 * Why what was tried cannot be sent as it stands; null when it can. What could not be checked for the moment is judged when it
 * is sent.
 *
 * @param waits it waits for its time, and is judged again then: what the rules say now does not keep it from being sent
 * @param excused a rule whose denial will not stand by then
 */
export function refusalOf(
  tried: Tried | null,
  isCurrent: boolean,
  waits: boolean,
  excused: EntryRule | null = null,
): string | null {
  if (!tried || !isCurrent) return 'It is being checked.'
  const { problem, dryRun: run } = tried
  if (problem && problem.faults.length > 0) return problem.faults[0]!.message
  if (problem) return mayPass(tried) || problem.status >= 500 ? null : problem.message
  if (run?.outcome === 'existing') return 'A signal holds this sourceId.'
  if (run?.outcome !== 'denied' || waits) return null
  const denied = run.verdicts.filter(({ outcome }) => outcome === 'denied')
  if (denied.length === 0) return 'It would be refused.'
  return denied.find(({ rule }) => rule !== excused)?.message ?? null
}
