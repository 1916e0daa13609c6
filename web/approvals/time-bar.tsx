import type { Signal } from '#client/types.ts'

const LAST_MINUTE_MS = 60_000

export const isLate = (signal: Signal, now: number): boolean =>
  signal.validUntil !== null && Date.parse(signal.validUntil) - now <= LAST_MINUTE_MS

/** Remaining share of the time to decide. */
export function TimeBar({ signal, now, className }: { signal: Signal; now: number; className: string }) {
  if (signal.validUntil === null) return null
  const end = Date.parse(signal.validUntil)
  const share = Math.min(1, Math.max(0, (end - now) / (end - Date.parse(signal.createdAt))))
  return (
    <span
      aria-hidden="true"
      className={`absolute left-0 h-1 rounded-full ${isLate(signal, now) ? 'bg-warn' : 'bg-accent-fill'} ${className}`}
      style={{ width: `${share * 100}%` }}
    />
  )
}
