import { useLocation } from '@tanstack/react-router'
import { ShieldOff } from 'lucide-react'
import { useEffect } from 'react'
import type { Account } from '#client/types.ts'
import { buttonClass } from '../parts/button.tsx'
import { Item, Panel } from '../parts/panel.tsx'
import { PlanExit } from '../positions/plan-exit.tsx'
import type { ListedPosition } from '../records/at-prices.ts'
import { PlanCard } from '../signals/plan-card.tsx'
import { useSignal, useStoryNews } from '../signals/story-data.ts'
import { planPlace } from './plan-place.ts'
import { number } from '../words/figures.ts'

interface Props {
  signalId: string
  accounts: ReadonlyMap<string, Account>
  now: number
}

/** The plan of a signal whose shares are held. */
export function ProtectionOf({ signalId, accounts, now }: Props) {
  const { data } = useSignal(signalId)
  useStoryNews(signalId)
  const place = planPlace(signalId)
  const { hash } = useLocation()
  const isSought = hash === place && data !== undefined
  // It is read after the page has come: the browser has looked for it in vain.
  useEffect(() => {
    if (isSought) document.querySelector(`#${place}`)?.scrollIntoView()
  }, [isSought, place])
  return data ? (
    <div id={place} className="scroll-mt-20">
      <PlanCard signal={data} account={accounts.get(data.accountId)} now={now} isLinked />
    </div>
  ) : null
}

/** Shares that no plan protects, with the way to an order that does. */
export function Unprotected({ positions }: { positions: readonly ListedPosition[] }) {
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
              note="A stop order by hand protects them as well"
              end={<PlanExit position={position} shares={shares} className={buttonClass()} />}
            />
          )
        })}
      </ul>
    </Panel>
  )
}
