import { useEffect, useState } from 'react'

/** Milliseconds in which a question ignores presses, so that a double press neither confirms nor closes it. */
const SETTLING_MS = 500

/** Whether a sheet accepts presses: a form at once, a question after a moment. */
export function useSettled(isQuestion = true): boolean {
  const [isSettled, setSettled] = useState(!isQuestion)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLING_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}
