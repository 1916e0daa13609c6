import type { Order, SignalDetail, SignalEvent } from '#client/types.ts'
import { useStore } from '../connection/store.ts'
import { Panel } from '../parts/panel.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { choose, settings } from '../parts/settings.ts'
import { linesOf } from './timeline.ts'
import { clockIn, dayIn, secondIn, duration, ZONES } from '../words/times.ts'
import type { Next } from './steps.ts'

interface Props {
  signal: SignalDetail
  events: readonly SignalEvent[]
  orders: readonly Order[]
  next: Next | null
}

export function TimelineCard({ signal, events, orders, next }: Props) {
  const of = useStore(settings).zone
  const lines = linesOf(events, signal, orders, of).toReversed()
  const days = new Set(
    [...lines.map(({ at }) => at), next?.at ?? signal.createdAt].map((at) => dayIn(at, of)),
  )
  return (
    <Panel
      title="Timeline"
      aside={<Segmented legend="Times in" options={ZONES} value={of} choose={(zone) => choose({ zone })} />}
    >
      <ol className="py-2">
        {next?.at !== undefined && (
          <Row at={next.at} text={next.title} after="planned" isPlanned isBad={false} days={days} />
        )}
        {lines.map((line, index) => (
          <Row
            key={lines.length - index}
            {...line}
            after={line.after === null ? '' : `+${duration(line.after)}`}
            days={days}
          />
        ))}
      </ol>
    </Panel>
  )
}

interface RowProps {
  at: string
  text: string
  after: string
  isBad: boolean
  isPlanned?: boolean
  /** Days of the timeline: with several, each line names its own. */
  days: ReadonlySet<string>
}

function Row({ at, text, after, isBad, isPlanned = false, days }: RowProps) {
  const of = useStore(settings).zone
  const dot = isPlanned
    ? 'size-2.5 border-2 border-dashed border-accent'
    : isBad
      ? 'size-2 bg-danger'
      : 'size-2 bg-edge'
  return (
    <li className="grid grid-cols-[12px_minmax(0,1fr)_auto] items-baseline gap-x-3 px-4 py-1.5 desk:grid-cols-[auto_12px_minmax(0,1fr)_auto]">
      <time
        dateTime={at}
        className="text-muted max-desk:order-last max-desk:col-start-2 max-desk:text-xs desk:min-w-24"
      >
        {days.size > 1 && `${dayIn(at, of)} `}
        {isPlanned ? secondIn(at, of) : clockIn(at, of)}
      </time>
      <span aria-hidden="true" className={`self-center justify-self-center rounded-full ${dot}`} />
      <span className={`wrap-anywhere ${isBad ? 'text-danger' : ''}`}>{text}</span>
      <span className="text-xs text-muted">{after}</span>
    </li>
  )
}
