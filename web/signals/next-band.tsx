import { Link } from '@tanstack/react-router'
import { CircleX, Clock, Info, TriangleAlert } from 'lucide-react'
import { buttonClass } from '../parts/button.tsx'
import { bothTimes, timeLeft } from '../words/times.ts'
import type { Next } from './story.ts'

const TONES = {
  accent: { box: 'bg-accent-soft', text: 'text-accent', icon: Clock },
  warn: { box: 'bg-warn-soft', text: 'text-warn', icon: TriangleAlert },
  danger: { box: 'bg-danger-soft', text: 'text-danger', icon: CircleX },
  quiet: { box: 'bg-sunken', text: 'text-muted', icon: Info },
} as const

/** What happens next and when, counting; or why nothing does. */
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
