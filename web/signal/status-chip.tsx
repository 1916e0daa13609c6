import type { Signal } from '#client/types.ts'
import { standing, type Tone } from '../words/status.ts'
import { EXIT_REASON_NAMES } from './result.ts'

const TONES: Record<Tone, string> = {
  quiet: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-sunken text-buy',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
}

export function StatusChip({ signal }: { signal: Signal }) {
  const { closed } = signal
  const { text, tone } =
    closed == null ? standing(signal) : ({ text: EXIT_REASON_NAMES[closed.reason], tone: 'good' } as const)
  return (
    <span
      className={`inline-flex min-h-6 items-center rounded-control px-2 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {text}
    </span>
  )
}
