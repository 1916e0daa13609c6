import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** Milliseconds without a reading after which a page has what it is about. */
const PAGE_QUIET_MS = 500
/** A page that reads without a pause is waited for no longer than this, in milliseconds. */
const MAX_MS = 4_000

/** False until nothing was being read for a moment, and true from then on: for what must not delay a page. */
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
