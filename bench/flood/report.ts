import { machineOf } from '../machine.ts'
import { table } from '../text-table.ts'
import type { Flood, FloodStep, Spread } from './run.ts'

/** The callers whose rate the others are compared with. */
const USUAL = 10

const spreadText = (spread: Spread): string =>
  spread === null ? '-' : `${spread.p50.toFixed(0)}, ${spread.p95.toFixed(0)}`

/** The report for people. */
export function floodText({ options, steps }: Flood): string {
  const { cores, load } = machineOf()
  const usual = steps.find(({ callers }) => callers === USUAL)
  const ratio = (of: (step: FloodStep) => number, step: FloodStep): string =>
    usual ? ` (${(of(step) / of(usual)).toFixed(2)})` : ''
  const rate = (of: (step: FloodStep) => number, step: FloodStep): string =>
    `${of(step).toFixed(1)}${ratio(of, step)}`
  return [
    `${options.seconds} s for each step, ${options.tokens} tokens, refused callers ${options.patient ? 'wait as told' : 'send at once again'}`,
    `${cores} cores, load ${load}; times in ms, p50 and p95; in brackets the ratio to ${USUAL} callers`,
    '',
    ...table([
      ['callers', 'accepted/s', 'executed/s', 'answered', 'order left', 'stale', 'refused/s, in ms'],
      ...steps.map((step) => [
        String(step.callers),
        rate(({ acceptedPerSecond }) => acceptedPerSecond, step),
        rate(({ executedPerSecond }) => executedPerSecond, step),
        spreadText(step.answered),
        spreadText(step.left),
        String(step.stale),
        step.refused
          .map(({ code, perSecond, took }) => `${code} ${perSecond.toFixed(1)}, ${spreadText(took)}`)
          .join('; ') || '-',
      ]),
    ]),
  ].join('\n')
}
