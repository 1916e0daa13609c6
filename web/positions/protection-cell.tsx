import { Link } from '@tanstack/react-router'
import { Shield, ShieldOff } from 'lucide-react'
import { Chip } from '../parts/panel.tsx'
import { planPlace } from '../symbol/plan-place.ts'
import { levelChips } from '../protection/standing.ts'
import type { ListedPosition } from '../records/at-prices.ts'
import { PlanExit } from './plan-exit.tsx'
import { number } from '../words/figures.ts'

interface Props {
  position: ListedPosition
  /** Shares that have no exit at all, which is told beside; undefined while that is not known. */
  uncovered: number | undefined
}

/** What protects a position, in a few words, with the way to change it; or that nothing does. */
export function ProtectionCell({ position, uncovered }: Props) {
  const { protection, symbol, currentPrice, quantity } = position
  if (protection === undefined) return null
  const { protectedBy, unprotected } = protection
  return (
    <>
      {protectedBy.map((plan) => (
        <Link
          key={plan.signalId}
          to="/symbols/$symbol"
          params={{ symbol }}
          hash={planPlace(plan.signalId)}
          className="inline-flex min-h-11 items-center gap-2 underline decoration-edge desk:min-h-6"
        >
          <Shield aria-hidden="true" className="size-4 shrink-0 text-muted" />
          <span className="flex flex-wrap gap-x-2">
            {levelChips(plan, currentPrice).map((text) => (
              <span key={text} className="desk:whitespace-nowrap">
                {text}
              </span>
            ))}
          </span>
          <span className="sr-only">, protection of {symbol}</span>
        </Link>
      ))}
      {uncovered !== undefined && unprotected > uncovered && (
        <>
          <Chip kind="warn">
            <ShieldOff aria-hidden="true" />
            {unprotected === quantity ? 'no protection' : `${number(unprotected)} without protection`}
          </Chip>
          <PlanExit
            position={position}
            shares={unprotected}
            className="inline-flex min-h-11 items-center text-sm underline desk:min-h-6"
          />
        </>
      )}
    </>
  )
}
