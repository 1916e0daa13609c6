import { useIsFetching, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'

/** Milliseconds without a pending first answer until the parts are shown, and the longest wait. */
const PARTS_QUIET_MS = 100
const MOST_MS = 3_000

interface Props {
  /** Cached only if the page was open before: the parts then show at once. */
  known: QueryKey
  children: ReactNode
}

/** Shows parts together once all are loaded, because each would move those below. */
export function Settled({ known, children }: Props) {
  const client = useQueryClient()
  const [isSettled, setSettled] = useState(() => client.getQueryData(known) !== undefined)
  const outstanding = useIsFetching({ predicate: ({ state }) => state.status === 'pending' })
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), MOST_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (outstanding > 0) return
    const timer = setTimeout(() => setSettled(true), PARTS_QUIET_MS)
    return () => clearTimeout(timer)
  }, [outstanding])
  return (
    <div className="relative">
      {!isSettled && (
        <div role="status" className="absolute inset-x-0 top-0 grid gap-4">
          <span className="sr-only">Loading</span>
          <span className="waiting-shape h-24 w-full" />
          <span className="waiting-shape h-80 w-full" />
        </div>
      )}
      <div className={isSettled ? '' : 'invisible'}>{children}</div>
    </div>
  )
}
