import { useState, type ReactNode } from 'react'

/** Figure that briefly shows a change's direction, unless the person prefers no motion. */
export function Moving({ value, children }: { value: number | null; children: ReactNode }) {
  const [shown, setShown] = useState({ value, change: 0, way: '' })
  if (shown.value !== value) {
    const isUp = (value ?? 0) > (shown.value ?? 0)
    const isKnown = value !== null && shown.value !== null
    setShown({ value, change: shown.change + 1, way: isKnown ? (isUp ? 'moved-up' : 'moved-down') : '' })
  }
  return (
    // Another key, so that the animation restarts.
    <span key={shown.change} className={shown.way}>
      {children}
    </span>
  )
}
