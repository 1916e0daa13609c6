import { useIsFetching, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'

/** Milliseconds without a first answer outstanding after which the parts stand, and after which nothing is waited for. */
const PARTS_QUIET_MS = 100
const MOST_MS = 3_000

interface Props {
  /** Known before only when the page was open already: then it is shown at once. */
  known: QueryKey
  children: ReactNode
}

/** Parts that are read each for itself, shown together once all are known: read one by one, each moves those below. */
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
