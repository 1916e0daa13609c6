import { useEffect, useState } from 'react'

/** Milliseconds after the last key until a text counts as typed. */
export const TYPED_MS = 400

/** A value that somebody types, once they pause. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPED_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
