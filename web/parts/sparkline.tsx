interface Props {
  /** Oldest first. */
  values: readonly number[]
  /** A level to compare with, drawn as a dashed line. */
  level: number | null
  className?: string
}

const WIDTH = 150
const HEIGHT = 44
const SPARKLINE_MARGIN = 4

/** The way of a price in a few strokes; the figures beside it say the same. */
export function Sparkline({ values, level, className = '' }: Props) {
  if (values.length < 2) return null
  const all = level === null ? values : [...values, level]
  const low = Math.min(...all)
  const range = Math.max(...all) - low || 1
  const x = (index: number) =>
    SPARKLINE_MARGIN + (index / (values.length - 1)) * (WIDTH - 2 * SPARKLINE_MARGIN)
  const y = (value: number) =>
    SPARKLINE_MARGIN + (1 - (value - low) / range) * (HEIGHT - 2 * SPARKLINE_MARGIN)
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`)
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" className={`h-11 w-37.5 ${className}`}>
      {level !== null && (
        <path
          d={`M${SPARKLINE_MARGIN} ${y(level).toFixed(1)}H${WIDTH - SPARKLINE_MARGIN}`}
          className="stroke-edge"
          strokeDasharray="2 3"
        />
      )}
      <polyline points={points.join(' ')} className="fill-none stroke-text" strokeWidth="1.6" />
      <circle cx={x(values.length - 1)} cy={y(values.at(-1) ?? 0)} r="3" className="fill-text" />
    </svg>
  )
}
