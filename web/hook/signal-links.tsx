import { Link } from '@tanstack/react-router'
import type { HookRequest, Signal } from '#client/types.ts'
import { isFailed } from '#domain/signal/signal.ts'
import { shares } from '../words/figures.ts'
import { verb } from '../words/signal.ts'
import { endOf, STATUS_NAMES } from '../words/status.ts'

type RequestSignal = HookRequest['signals'][number]

/** State of a signal: "executed, 10 shares filled". */
export const signalWords = ({ status, statusReason, filledQuantity }: RequestSignal): string => {
  const end = { status, statusReason: statusReason as Signal['statusReason'] }
  const words = isFailed(status) ? endOf(end) : STATUS_NAMES[status]
  return filledQuantity > 0 ? `${words}, ${shares(filledQuantity)} filled` : words
}

const MOST_SIGNALS_NAMED = 2

export const SignalLinks = ({ signals }: Pick<HookRequest, 'signals'>) => (
  <span className="grid min-w-0 whitespace-normal">
    {signals.slice(0, MOST_SIGNALS_NAMED).map((signal) => (
      <Link
        key={signal.id}
        to="/signals/$id"
        params={{ id: signal.id }}
        className="inline-flex min-h-11 flex-wrap items-center gap-x-1 underline desk:min-h-6"
      >
        {verb(signal)} {signal.symbol}
        <span className="text-muted"> {signalWords(signal)}</span>
      </Link>
    ))}
    {signals.length > MOST_SIGNALS_NAMED && (
      <span className="text-xs text-muted">and {signals.length - MOST_SIGNALS_NAMED} more</span>
    )}
  </span>
)
