import type { EntryRule } from '#domain/risk/entry-check.ts'
import type { Problem } from '../connection/problem.ts'
import type { Advisory, OrderPlayed, SignalPlayed } from './requests.ts'
import { fieldOf, JUDGED } from './rules.ts'

export interface Checked {
  /** Request as JSON text. */
  of: string
  dryRun?: SignalPlayed['dryRun']
  advisories?: readonly Advisory[]
  /** Accounts beside the first that would deny it, and why. */
  refusedIn?: readonly { accountId: string; message: string }[]
  problem?: Problem
  /** Figures of a manual order; null for a signal. */
  figures: Pick<OrderPlayed, 'cost' | 'buyingPower' | 'position'> | null
}

/** Whether the check failed only for the moment, so that it is repeated at once. */
export const mayPass = ({ problem }: Pick<Checked, 'problem'>): boolean =>
  problem !== undefined && [0, 429, 503].includes(problem.status)

/**
 * Reason why the request cannot be sent; null if it can. A check that failed for the moment prevents nothing: the
 * service decides.
 *
 * @param checked of the present request; null while there is no answer
 * @param waits it waits for its time and is decided again then: present denials do not prevent it
 * @param excused a rule whose denial will have ended by then
 */
export function refusalOf(
  checked: Checked | null,
  waits: boolean,
  excused: EntryRule | null = null,
): string | null {
  if (!checked) return 'It is being checked.'
  const { problem, dryRun: run } = checked
  if (problem && problem.faults.length > 0) return problem.faults[0]!.message
  if (problem) return mayPass(checked) || problem.status >= 500 ? null : problem.message
  if (run?.outcome === 'existing') return 'Already sent: see its signal.'
  if (run?.outcome !== 'denied' || waits) return null
  const denied = run.verdicts.filter(({ outcome }) => outcome === 'denied')
  if (denied.length === 0) return 'It would be refused.'
  return denied.find(({ rule }) => rule !== excused)?.message ?? null
}

/** Whether it requires approval, or waits for earlier signals. */
export const wouldWait = ({ outcome, waitsFor }: SignalPlayed['dryRun']): boolean =>
  outcome === 'held' || waitsFor.length > 0

/** Fault of a field, or of a part such as `metadata.note`; undefined for none. */
export function faultIn(checked: Checked, field: string, excused: EntryRule | null): string | undefined {
  const { problem, dryRun } = checked
  return (
    problem?.faults.find((fault) => fieldOf(fault.path ?? []) === field)?.message ??
    dryRun?.verdicts.find(
      ({ rule, outcome }) =>
        outcome === 'denied' && rule !== excused && JUDGED[field]?.includes(rule as EntryRule),
    )?.message
  )
}
