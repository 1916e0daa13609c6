import { OctagonPause, Shield, ShieldOff, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { ListTime } from '../parts/list-time.tsx'
import { Chip } from '../parts/panel.tsx'
import { levelChips } from '../exit/state.ts'
import type { Plan } from '../exit/terms.ts'
import type { ListedPosition } from '../records/at-prices.ts'
import { heldWords } from '../words/agenda.ts'
import { money, number } from '../words/figures.ts'
import { ExitSheet } from './exit-card.tsx'
import type { Cover } from './list.ts'
import { ProtectButton } from './protect-button.tsx'

interface Props {
  position: ListedPosition
  /** Undefined while unknown. */
  cover: Cover | undefined
  now: number
}

const NOT_KNOWN: Cover = {
  planned: [],
  scheduled: [],
  working: [],
  uncovered: 0,
  alarms: [],
  heldBy: null,
}

/** Touch targets are 44 px high; the line on the phone contributes 20 px. */
const PRESS = 'inline-flex items-center gap-2 min-h-11 underline decoration-edge cards:-my-3 desk:min-h-6'
const WORDS = 'flex flex-wrap items-center gap-x-3 gap-y-1'

/** The exit in a few words: levels, times, orders, and shares without one. */
export function ExitCell({ position, cover, now }: Props) {
  const { protectedBy = [], unprotected = 0 } = position.protection ?? {}
  const { planned, scheduled, working, uncovered, alarms, heldBy } = cover ?? NOT_KNOWN
  const orders = protectedBy.map(({ atBroker }) => atBroker?.orderId)
  const others = working.filter(({ id }) => !orders.includes(id)).length
  const next = planned.find(({ exit }) => exit?.submitAt != null)?.exit?.submitAt ?? scheduled[0]?.scheduledAt
  const open = cover ? Math.max(uncovered, unprotected) : 0
  return (
    <span className={WORDS}>
      {alarms.length > 0 && (
        <Chip kind="danger">
          <TriangleAlert aria-hidden="true" /> exit failed
        </Chip>
      )}
      {heldBy !== null && planned.length + scheduled.length > 0 && (
        <span className="inline-flex min-w-0 items-start gap-1 text-danger">
          <OctagonPause aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {/* The phone's header shows the halt on every page. */}
          <span className="cards:sr-only">{heldWords(heldBy.setAt, now, false)}</span>
        </span>
      )}
      {open > 0 && (
        <>
          <Chip kind="warn">
            {uncovered > 0 ? <TriangleAlert aria-hidden="true" /> : <ShieldOff aria-hidden="true" />}
            {missingWords(position, { uncovered, unprotected })}
          </Chip>
          <ProtectButton position={position} shares={open} className={PRESS} />
        </>
      )}
      {protectedBy.map((plan) => (
        <Levels key={plan.signalId} plan={plan} position={position} />
      ))}
      {!cover && <span className="waiting-shape inline-block h-3 w-16" />}
      {next != null && <ListTime at={next} now={now} />}
      {next == null && planned.length > 0 && <span>planned, after the entry</span>}
      {others > 0 && <span>{others === 1 ? '1 open order' : `${others} open orders`}</span>}
    </span>
  )
}

function missingWords(
  { quantity }: ListedPosition,
  { uncovered, unprotected }: { uncovered: number; unprotected: number },
): string {
  const words = (shares: number, what: string): string =>
    shares === quantity ? `no ${what}` : `${number(shares)} without ${what}`
  if (uncovered === quantity) return 'no protection, no exit'
  return [
    unprotected > uncovered ? words(unprotected, 'protection') : '',
    uncovered > 0 ? words(uncovered, 'an exit') : '',
  ]
    .filter(Boolean)
    .join(', ')
}

function Levels({ plan, position }: { plan: Plan & { signalId: string }; position: ListedPosition }) {
  const [isOpen, setOpen] = useState(false)
  const { stop, target } = plan
  const short = [stop && `Stop ${money(stop.price)}`, target !== null && `target ${money(target)}`]
  return (
    <>
      <button type="button" className={`min-w-0 ${PRESS}`} onClick={() => setOpen(true)}>
        <Shield aria-hidden="true" className="size-4 shrink-0 text-muted cards:hidden" />
        <span className="truncate rows:hidden">{short.filter(Boolean).join(', ')}</span>
        <span className="flex flex-wrap gap-x-2 cards:hidden">
          {levelChips(plan, position.currentPrice).map((text) => (
            <span key={text} className="whitespace-nowrap">
              {text}
            </span>
          ))}
        </span>
        <span className="sr-only">, protection of {position.symbol}</span>
      </button>
      {isOpen && <ExitSheet signalId={plan.signalId} position={position} close={() => setOpen(false)} />}
    </>
  )
}
