import { percent } from '../words/figures.ts'

/** Where the price stands between the two ends beyond which the signal is refused. Percent of the price at arrival. */
export function DriftBar({ moved, limit }: { moved: number; limit: number }) {
  const isBeyond = Math.abs(moved) > limit
  const place = 50 + (Math.max(-limit, Math.min(limit, moved)) / limit) * 50
  return (
    <span
      role="img"
      aria-label={`Moved ${percent(moved)}; refused beyond ${percent(limit).replace('+', '')} either way`}
      className="relative mt-3 mb-1 block h-4"
    >
      <span className="absolute inset-x-0 top-1/2 h-0.5 -translate-y-1/2 bg-line" />
      <span className="absolute top-0.5 bottom-0.5 left-0 w-0.5 bg-danger" />
      <span className="absolute top-0.5 right-0 bottom-0.5 w-0.5 bg-danger" />
      <span className="absolute top-1 bottom-1 left-1/2 w-px bg-edge" />
      <span
        className={`absolute top-1/2 size-3 -translate-x-1/2 -translate-y-1/2 rounded-full ring-2 ring-surface ${isBeyond ? 'bg-danger' : 'bg-text'}`}
        style={{ left: `${place}%` }}
      />
    </span>
  )
}
