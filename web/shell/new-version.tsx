import { RefreshCw } from 'lucide-react'
import { useEffect } from 'react'
import { useQuiet } from '../connection/quiet.ts'
import { useStore } from '../connection/store.ts'
import { newVersion, startWorker } from '../connection/worker.ts'
import { Button } from '../parts/button.tsx'

/** The check begins after the page has its data, and so delays no card. */
export function NewVersion({ open }: { open: (address: string) => void }) {
  const isQuiet = useQuiet()
  const isOld = useStore(newVersion)
  useEffect(() => {
    if (isQuiet) void startWorker(open)
  }, [isQuiet, open])
  return (
    <div role="status" className="contents">
      {isOld && (
        <p className="fixed right-4 bottom-20 left-4 z-10 mx-auto flex w-fit max-w-full flex-wrap items-center justify-end gap-x-3 gap-y-2 rounded-card border border-line bg-surface py-2 pr-2 pl-4 shadow-float desk:left-auto desk:bottom-4">
          A new version is ready
          <span className="flex gap-2">
            <Button onClick={() => newVersion.set(false)}>Later</Button>
            <Button kind="primary" onClick={() => location.reload()}>
              <RefreshCw aria-hidden="true" className="size-4" /> Reload
            </Button>
          </span>
        </p>
      )}
    </div>
  )
}
