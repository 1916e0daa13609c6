import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** Milliseconds without a reading after which a page has what it is about. */
const QUIET_MS = 500

/** False until nothing was being read for a moment, and true from then on: for what must not delay a page. */
export function useQuiet(): boolean {
  const readings = useIsFetching()
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    if (isQuiet || readings > 0) return undefined
    const timer = setTimeout(() => setQuiet(true), QUIET_MS)
    return () => clearTimeout(timer)
  }, [isQuiet, readings])
  return isQuiet
}
