import { Link } from '@tanstack/react-router'
import { ShieldOff } from 'lucide-react'
import { Button, buttonClass } from '../parts/button.tsx'
import { Item, Panel } from '../parts/panel.tsx'
import { HeldExitCard } from '../position/exit-card.tsx'
import { HalfOff } from '../position/half-off.tsx'
import { ProtectButton } from '../position/protect-button.tsx'
import type { ListedPosition } from '../records/at-prices.ts'
import { number } from '../words/figures.ts'

export const HeldLevels = ({ positions }: { positions: readonly ListedPosition[] }) =>
  positions.flatMap((position) =>
    (position.protection?.protectedBy ?? []).map(({ signalId }) => (
      <Panel
        key={signalId}
        title="Protection"
        aside={
          <Link
            to="/signals/$id"
            params={{ id: signalId }}
            className="inline-flex min-h-11 items-center underline desk:min-h-6"
          >
            its signal
          </Link>
        }
      >
        <HeldExitCard signalId={signalId} position={position} />
      </Panel>
    )),
  )

export function Unprotected({ positions, now }: { positions: readonly ListedPosition[]; now: number }) {
  const open = positions.filter(({ protection }) => (protection?.unprotected ?? 0) > 0)
  if (open.length === 0) return null
  return (
    <Panel title="No protection">
      <ul>
        {open.map((position) => {
          const shares = position.protection?.unprotected ?? 0
          return (
            <Item
              key={position.id}
              icon={<ShieldOff className="text-warn" />}
              title={`No stop limits the loss of ${shares === position.quantity ? 'this position' : `${number(shares)} shares`}`}
              note="A manual stop order protects them as well. No stop can move to break-even."
              end={
                <span className="flex flex-wrap gap-2">
                  <ProtectButton position={position} shares={shares} className={buttonClass()} />
                  <Button disabled title="No stop can move">
                    Move to break-even…
                  </Button>
                  <HalfOff position={position} now={now} />
                </span>
              }
            />
          )
        })}
      </ul>
    </Panel>
  )
}
