import { parseClientOrderId } from '#domain/order/order.ts'
import { INVARIANTS } from '#test/support/oracle.ts'
import { reactionsOf } from '#test/support/reached-levels.ts'
import type { ChaosReport } from './chaos.ts'

/** The outcome of a run as a table for people. */
export function reportTable(report: ChaosReport): string {
  const { options, evidence, violations, kills, disturbances, faults, decisions, trafficMs } = report
  const { attempts, ledger, signals, drain } = evidence
  const answered = attempts.filter(({ status }) => status !== null && status < 500)
  const struck = faults.filter(({ rule }) => rule['on'] === 'submit').reduce((sum, { hit }) => sum + hit, 0)
  const rows: [string, string][] = [
    ['seed', String(options.seed)],
    ['signals sent', `${options.signals}, each twice at once, in ${seconds(trafficMs)}`],
    [
      'requests',
      `${attempts.length}, answered: ${tally(attempts.map(({ status }) => (status === null ? 'none' : String(status))))}`,
    ],
    ['answer time', `p50 ${percentile(answered, 0.5)} ms, p95 ${percentile(answered, 0.95)} ms`],
    ['kill -9', Object.entries(kills).map(([part, count]) => `${part} ${count}`).join(', ')], // prettier-ignore
    ['disturbances', Object.entries(disturbances).map(([what, count]) => `${what} ${count}`).join(', ')], // prettier-ignore
    ['decisions', tally(decisions)],
    [
      'signals ended',
      tally(
        signals.map(({ status, statusReason }) =>
          statusReason === null ? status : `${status} ${statusReason}`,
        ),
      ),
    ],
    ['replaced uncancelled', String(signals.filter(({ replacedUncancelled }) => replacedUncancelled).length)],
    ['exits', tally(signals.map(({ exitStatus }) => exitStatus ?? 'none'))],
    ['orders at the broker', tally(ledger.orders.map(({ status }) => status))],
    [
      'submissions',
      `${tally(ledger.submissions.map(({ outcome }) => outcome))}; ${struck} spoilt by the script`,
    ],
    ['orders of exit plans', ordersOfPlans(report)],
    ['levels reached', levelsReached(report)],
    ['settled after', seconds(drain.tookMs)],
    ...INVARIANTS.map((invariant): [string, string] => {
      const count = violations.filter((violation) => violation.invariant === invariant).length
      return [invariant, count === 0 ? 'holds' : `VIOLATED ${count} times`]
    }),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

/** By what they are for and how they trade; how many were moved at the broker; and how many ended with which status. */
function ordersOfPlans({ evidence }: ChaosReport): string {
  const { orders } = evidence.ledger
  const named = orders.flatMap((order) => {
    const purpose = parseClientOrderId(order.client_order_id)?.purpose
    return purpose === 'plan' || purpose === 'target' ? [`${purpose} ${order.type}`] : []
  })
  const parts = orders.filter(
    ({ sender_order_id: sender }) => parseClientOrderId(sender ?? '')?.purpose === 'plan',
  )
  return `${tally(named)}; parts and replacements ${parts.length}`
}

/** How long shares were held after the market had reached a level and stayed. */
function levelsReached({ evidence }: ChaosReport): string {
  const reactions = reactionsOf(evidence)
  const acted = reactions.flatMap(({ tookMs }) => (tookMs === null ? [] : [{ tookMs }]))
  const left = reactions.filter(({ tookMs }) => tookMs === null).map(({ stayedMs }) => stayedMs)
  const longest = (of: readonly number[]): string => seconds(Math.max(0, ...of))
  return (
    `${acted.length} acted upon after p50 ${percentile(acted, 0.5)} ms, p95 ${percentile(acted, 0.95)} ms, ` +
    `at most ${longest(acted.map(({ tookMs }) => tookMs))}; ` +
    `${left.length} that the market left before, after ${longest(left)} at most`
  )
}

/** One line for each violation. */
export const violationLines = ({ violations }: ChaosReport): string =>
  violations.map(({ invariant, message }) => `${invariant}: ${message}`).join('\n')

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`

function tally(words: readonly string[]): string {
  const counts = [...Map.groupBy(words, (word) => word)].map(([word, all]) => `${word} ${all.length}`)
  return counts.toSorted().join(', ')
}

function percentile(attempts: readonly { tookMs: number }[], share: number): string {
  const times = attempts.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
  return times.length === 0 ? '-' : times[Math.floor((times.length - 1) * share)]!.toFixed(0)
}
