import { gain, percent, wholeGain } from '../words/figures.ts'

const LOOKS = {
  up: { color: 'text-buy', arrow: '▲' },
  down: { color: 'text-sell', arrow: '▼' },
  even: { color: 'text-muted', arrow: '' },
} as const

const directionOf = (value: number): keyof typeof LOOKS => (value > 0 ? 'up' : value < 0 ? 'down' : 'even')

/** Percent rounded to two places, so that 0.00 has no sign. */
const asShown = (rate: number): number => Math.round(rate * 100) / 100 || 0

interface Props {
  /** Dollars; null when unknown. */
  amount?: number | null
  /** Percent; null when unknown. */
  rate?: number | null
  isWhole?: boolean
  className?: string
}

/** A gain or loss, distinct by arrow, sign and colour. */
export function Gain({ amount, rate: exact, isWhole = false, className = '' }: Props) {
  const rate = exact == null ? exact : asShown(exact)
  const value = amount ?? rate
  if (value == null) return <span className="text-muted">–</span>
  const { color, arrow } = LOOKS[directionOf(value)]
  const texts = [
    amount == null ? '' : isWhole ? wholeGain(amount) : gain(amount),
    rate == null ? '' : percent(rate),
  ]
  return (
    <span className={`whitespace-nowrap ${color} ${className}`}>
      {arrow !== '' && <span aria-hidden="true">{arrow} </span>}
      {texts.filter((text) => text !== '').join(' · ')}
    </span>
  )
}

/** Dollars from which a row of the phone has no room for cents. */
const WHOLE_FROM = 1_000

/** A result with its percentage in a row of the phone. */
export const PhoneGain = ({ amount, rate }: { amount: number; rate: number | null }) => (
  <Gain {...{ amount, rate }} isWhole={Math.abs(amount) >= WHOLE_FROM} className="text-sm rows:hidden" />
)
