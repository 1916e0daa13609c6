import { Link } from '@tanstack/react-router'
import { Check, Clock, X, CircleX, Info, TriangleAlert } from 'lucide-react'
import { useStore } from '../connection/store.ts'
import { buttonClass } from '../parts/button.tsx'
import { clockIn, duration, shortTime, ZONES, bothTimes, timeLeft } from '../words/times.ts'
import type { Next } from './steps.ts'
import type { Stage } from './story.ts'
import { settings } from '../parts/settings.ts'

const NODES = {
  done: 'border-text bg-text text-surface',
  now: 'border-accent bg-surface text-accent ring-4 ring-accent-soft',
  ahead: 'border-edge bg-surface text-muted',
  failed: 'border-danger bg-surface text-danger',
} as const

const SAID = { done: '', now: ', now', ahead: ', still to come', failed: ', the end' } as const

/** Steps in order, with the time between. Their words are the text alternative. */
export function Stages({ stages, now }: { stages: readonly Stage[]; now: number }) {
  const of = useStore(settings).zone
  return (
    <>
      <ol
        aria-label="Steps"
        className="px-4 py-5 desk:grid desk:auto-cols-fr desk:grid-flow-col desk:px-2 desk:pt-12 desk:pb-2"
      >
        {stages.map((stage, index) => (
          <StageItem key={index} stage={stage} next={stages[index + 1]} now={now} />
        ))}
      </ol>
      <p className="px-4 pb-2 text-right text-xs text-muted">Times in {ZONE_NAMES[of]}</p>
    </>
  )
}

const ZONE_NAMES = { ...ZONES, here: 'the zone of this device' } as const

function StageItem({ stage, next, now }: { stage: Stage; next: Stage | undefined; now: number }) {
  const { name, is, at, note } = stage
  const planned = is === 'now' || is === 'ahead'
  const of = useStore(settings).zone
  const time = at === null ? '' : planned ? shortTime(at, now, of) : clockIn(at, of)
  return (
    <li className="group relative grid min-h-18 grid-cols-[28px_minmax(0,1fr)_auto] gap-x-3 last:min-h-7 desk:block desk:min-h-0 desk:px-1 desk:text-center">
      {next && <Wire from={stage} to={next} now={now} />}
      <span
        className={`relative z-1 grid size-7 place-items-center rounded-full border-2 desk:mx-auto desk:mb-2 ${NODES[is]}`}
      >
        <Icon is={is} />
      </span>
      <p className={`pt-0.5 font-medium wrap-anywhere desk:pt-0 ${is === 'ahead' ? 'text-muted' : ''}`}>
        {name}
        <span className="sr-only">{SAID[is]}</span>
        <span className="block text-xs font-normal text-muted">
          {note !== undefined && <span className="block">{note}</span>}
          {time}
        </span>
      </p>
    </li>
  )
}

function Icon({ is }: { is: Stage['is'] }) {
  if (is === 'done') return <Check aria-hidden="true" strokeWidth={2.5} className="size-4" />
  if (is === 'failed') return <X aria-hidden="true" strokeWidth={2.5} className="size-4" />
  return is === 'now' ? <Clock aria-hidden="true" className="size-4" /> : null
}

/** Line to the next step: full once taken, partial while waiting. */
function Wire({ from, to, now }: { from: Stage; to: Stage; now: number }) {
  const isTaken = to.is === 'done' || to.is === 'failed'
  const share = isTaken ? 1 : to.is === 'now' ? passed(from.at, to.at, now) : 0
  return (
    <>
      <span
        aria-hidden="true"
        className="absolute top-8 bottom-1 left-3.25 w-0.5 bg-line desk:top-3.25 desk:right-[calc(-50%+20px)] desk:bottom-auto desk:left-[calc(50%+20px)] desk:h-0.5 desk:w-auto"
      >
        <span
          className={`absolute inset-0 desk:hidden ${isTaken ? 'bg-text' : 'bg-accent'}`}
          style={{ height: `${share * 100}%` }}
        />
        <span
          className={`absolute inset-0 max-desk:hidden ${isTaken ? 'bg-text' : 'bg-accent'}`}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      {to.wait && (
        <span className="col-start-3 row-start-1 max-w-40 pt-1 text-right text-xs text-muted desk:absolute desk:-top-1 desk:left-1/2 desk:w-full desk:max-w-none desk:-translate-y-full desk:px-4 desk:pt-0 desk:text-center">
          {[to.wait.ms === null ? '' : duration(to.wait.ms), to.wait.why].filter(Boolean).join(', ')}
        </span>
      )}
    </>
  )
}

/** Share of the time that has passed; 0 if the second step has no time yet. */
function passed(from: string | null, to: string | null, now: number): number {
  if (from === null || to === null) return 0
  const whole = Date.parse(to) - Date.parse(from)
  return whole <= 0 ? 1 : Math.min(1, Math.max(0, (now - Date.parse(from)) / whole))
}

const TONES = {
  accent: { box: 'bg-accent-soft', text: 'text-accent', icon: Clock },
  warn: { box: 'bg-warn-soft', text: 'text-warn', icon: TriangleAlert },
  danger: { box: 'bg-danger-soft', text: 'text-danger', icon: CircleX },
  quiet: { box: 'bg-sunken', text: 'text-muted', icon: Info },
} as const

export function NextBand({ next, id, now }: { next: Next; id: string; now: number }) {
  const { box, text, icon: Icon } = TONES[next.tone]
  const left = next.at === undefined ? null : Date.parse(next.at) - now
  return (
    <div
      className={`flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 desk:px-5 ${box}`}
    >
      <Icon aria-hidden="true" className={`size-5 shrink-0 ${text}`} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="font-bold wrap-anywhere">{next.title}</p>
        <p className="text-xs wrap-anywhere">
          {[next.at === undefined ? '' : bothTimes(next.at, now), next.why].filter(Boolean).join(' · ')}
        </p>
      </div>
      {left !== null && (
        <p role="timer" className={`text-2xl font-bold ${text}`}>
          {left > 0 ? timeLeft(left) : 'any moment'}
        </p>
      )}
      {next.isToDecide && (
        <Link to="/approvals" search={{ signal: id }} className={buttonClass('primary')}>
          Decide
        </Link>
      )}
    </div>
  )
}
