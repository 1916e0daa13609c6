import { useStore } from '../connection/store.ts'
import { live, type LiveState } from '../connection/live.ts'
import { marketTime } from '../words/times.ts'

/** Whether news arrive at once, or since when they do not. */
export function LiveLine({ className = '' }: { className?: string }) {
  const state = useStore(live)
  return (
    <span role="status" className={`inline-flex min-w-0 items-center gap-2 text-xs text-muted ${className}`}>
      <span className={`size-2 shrink-0 rounded-full ${state.isLive ? 'bg-buy' : 'border-2 border-warn'}`} />
      {words(state)}
    </span>
  )
}

function words(state: LiveState): string {
  if (state.isLive) return 'live'
  return state.isBeginning ? 'connecting…' : `not live since ${marketTime(state.since)}`
}
