interface Props {
  value: number
  /** Size of the largest value beside it, which fills its half. */
  widest: number
  /** Drawn without colour, for few trades. */
  isMuted: boolean
}

const [WIDTH, HEIGHT, MIDDLE] = [120, 10, 60]

/** Bar of a gain to the right, or a loss to the left; the figure is beside it. */
export function ResultBar({ value, widest, isMuted }: Props) {
  const length = widest === 0 ? 0 : Math.max((Math.abs(value) / widest) * MIDDLE, value === 0 ? 0 : 1)
  const color = isMuted ? 'text-edge' : value < 0 ? 'text-sell' : 'text-buy'
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      className={`inline-block align-middle ${color}`}
    >
      <rect x={value < 0 ? MIDDLE - length : MIDDLE} y="1" width={length} height="8" fill="currentColor" />
      <line x1={MIDDLE} x2={MIDDLE} y1="0" y2={HEIGHT} stroke="currentColor" className="text-edge" />
    </svg>
  )
}
