import { useEffect, useState } from 'react'
import { serviceNow } from '../connection/clock.ts'

/** The service's time, updated once a second. */
export function useNow(): number {
  const [now, setNow] = useState(serviceNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** Milliseconds after the last key until a text counts as typed. */
export const TYPED_MS = 400

/** A typed value, once typing pauses. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPED_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
