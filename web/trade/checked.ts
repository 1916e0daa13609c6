import type { EntryRule } from '#domain/risk/entry-check.ts'
import type { Problem } from '../connection/problem.ts'
import type { Advisory, OrderPlayed, SignalPlayed } from './requests.ts'
import { fieldOf, JUDGED } from './rules.ts'

/** What the service said of a request to trade, and which one that was. */
export interface Checked {
  /** As JSON text. */
  of: string
  /** The order, the exit, and what every rule says. */
  dryRun?: SignalPlayed['dryRun']
  advisories?: readonly Advisory[]
  /** Of several accounts those beside the first that would refuse it, and why. */
  refusedIn?: readonly { accountId: string; message: string }[]
  problem?: Problem
  /** Of a manual order; null of a signal. */
  figures: Pick<OrderPlayed, 'cost' | 'buyingPower' | 'position'> | null
}

/** Whether it was only not possible at that moment, so that it is asked again at once. */
export const mayPass = ({ problem }: Pick<Checked, 'problem'>): boolean =>
  problem !== undefined && [0, 429, 503].includes(problem.status)

/**
 * Why it cannot be sent as it stands; null when it can. A check that failed for the moment keeps nothing back: it is judged when it
 * is sent.
 *
 * @param checked of the request as it stands; null while there is no answer
 * @param waits it waits for its time, and is judged again then: what the rules say now does not keep it from being sent
 * @param excused a rule whose denial will not stand by then
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

/** Whether it is not sent at once: it waits for an approval, or for signals before it. */
export const wouldWait = ({ outcome, waitsFor }: SignalPlayed['dryRun']): boolean =>
  outcome === 'held' || waitsFor.length > 0

/** What the service says against a field, or a part of it such as `metadata.note`; undefined for nothing. */
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
