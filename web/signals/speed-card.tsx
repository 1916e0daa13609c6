import type { SignalDetail } from '#client/types.ts'
import { Panel } from '../parts/panel.tsx'
import { phasesOf, totalOf } from './speed.ts'
import { duration } from '../words/times.ts'

/** How fast each phase was, as bars with their figures. */
export function SpeedCard({ signal }: { signal: SignalDetail }) {
  const phases = phasesOf(signal)
  const total = totalOf(phases)
  if (phases.length === 0) return null
  return (
    <Panel
      title="How fast"
      aside={
        <span className="text-xs text-muted">
          {duration(total)}
          {signal.executeMode === 'immediate' ? '' : ' without the wait'}
        </span>
      }
    >
      <dl className="grid gap-2 p-4">
        {phases.map(({ name, start, took }) => (
          <div key={name} className="grid grid-cols-[minmax(0,1fr)_80px_64px] items-center gap-3">
            <dt className="text-muted">{name}</dt>
            <dd aria-hidden="true" className="relative h-2.5 rounded-control bg-sunken">
              <span
                className="absolute inset-y-0 min-w-0.75 rounded-control bg-accent-fill"
                style={{ left: `${share(start, total)}%`, width: `${share(took, total)}%` }}
              />
            </dd>
            <dd className="text-right">{duration(took)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(98, (part / whole) * 100))
