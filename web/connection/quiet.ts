import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** Milliseconds without a reading after which a page has its content. */
const PAGE_QUIET_MS = 500
/** Longest wait in milliseconds for a page that reads without a pause. */
const MAX_MS = 4_000

/** True once no query has run for a moment: for requests that must not delay a page. */
export function useQuiet(): boolean {
  const isReading = useIsFetching() > 0
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(true), MAX_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (isReading) return undefined
    const timer = setTimeout(() => setQuiet(true), PAGE_QUIET_MS)
    return () => clearTimeout(timer)
  }, [isReading])
  return isQuiet
}
