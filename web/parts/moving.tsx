import { useState, type ReactNode } from 'react'

/** A figure that says for a moment that it has changed, and in which direction; not where a person wants no motion. */
export function Moving({ value, children }: { value: number | null; children: ReactNode }) {
  const [shown, setShown] = useState({ value, change: 0, way: '' })
  if (shown.value !== value) {
    const isUp = (value ?? 0) > (shown.value ?? 0)
    const isKnown = value !== null && shown.value !== null
    setShown({ value, change: shown.change + 1, way: isKnown ? (isUp ? 'moved-up' : 'moved-down') : '' })
  }
  return (
    // Another key, so that the same change begins anew.
    <span key={shown.change} className={shown.way}>
      {children}
    </span>
  )
}
