import { live, silentSince } from '../connection/live.ts'
import { useStore } from '../connection/store.ts'
import { marketTime } from '../words/times.ts'
import { Notice } from './notice.tsx'

/** Says since when nothing new arrives, and what that means here; nothing while news arrive. */
export function NotLiveNotice({ children }: { children: string }) {
  const since = silentSince(useStore(live))
  if (since === null) return null
  return (
    <div className="mb-4">
      <Notice kind="warn" title={`No connection since ${marketTime(since)}`}>
        <p className="text-sm">{children}</p>
      </Notice>
    </div>
  )
}
