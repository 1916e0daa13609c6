import { useEffect, useState } from 'react'

/** Milliseconds in which a question takes no press yet, so that a double press neither confirms nor closes it. */
const SETTLING_MS = 500

/** Whether a sheet takes presses: at once where it has something to fill in, and a moment after it was opened where it is a question. */
export function useSettled(isQuestion = true): boolean {
  const [isSettled, setSettled] = useState(!isQuestion)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLING_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}
