import { useEffect, useState } from 'react'
import { serviceNow } from '../connection/clock.ts'

/** The service's time, moving on once a second. */
export function useNow(): number {
  const [now, setNow] = useState(serviceNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
