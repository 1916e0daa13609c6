import { Link } from '@tanstack/react-router'
import type { Position } from '#client/types.ts'

/** The way to a ticket that closes shares which have no exit: at a stop, at a limit, or at a time. */
export const PlanExit = ({
  position: { symbol, accountId, side },
  shares,
  className,
}: {
  position: Pick<Position, 'symbol' | 'accountId' | 'side'>
  shares: number
  className: string
}) => (
  <Link
    to="/orders/new"
    search={{
      symbol,
      account: accountId,
      side: side === 'LONG' ? 'SELL' : 'BUY',
      shares: String(shares),
      plan: 'exit',
    }}
    className={className}
    aria-label={`Plan an exit of ${symbol}`}
  >
    Plan an exit
  </Link>
)
