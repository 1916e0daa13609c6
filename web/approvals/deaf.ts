import { useEffect, useState } from 'react'

/** A press that comes sooner after what it falls on has appeared was meant for what was there before. */
const DEAF_MS = 1_000

/**
 * Whether what has just appeared takes no press yet.
 *
 * @param comesByItself it has taken the place of something else without its person's doing; as it was when it appeared
 */
export function useDeaf(comesByItself: boolean): boolean {
  const [isDeaf, setDeaf] = useState(comesByItself)
  useEffect(() => {
    const timer = setTimeout(() => setDeaf(false), DEAF_MS)
    return () => clearTimeout(timer)
  }, [])
  return isDeaf
}
