import { useEffect, useState } from 'react'

/** Milliseconds in which a new element ignores presses meant for its predecessor. */
const DEAF_MS = 1_000

/**
 * Whether a new element still ignores presses.
 *
 * @param comesByItself whether it replaced another element without an action of the person
 */
export function useDeaf(comesByItself: boolean): boolean {
  const [isDeaf, setDeaf] = useState(comesByItself)
  useEffect(() => {
    const timer = setTimeout(() => setDeaf(false), DEAF_MS)
    return () => clearTimeout(timer)
  }, [])
  return isDeaf
}
