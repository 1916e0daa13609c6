import { Link } from '@tanstack/react-router'
import { Pencil, ShieldCheck, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useIsLive } from '../connection/live.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { money } from '../words/figures.ts'
import { closingVerb } from '../words/order.ts'
import { age } from '../words/times.ts'
import { noBreakEven, type Part } from './change.ts'
import { LevelList } from './level-list.tsx'
import { BreakEvenSheet, LevelSheet, RemoveSheet } from './level-sheet.tsx'
import type { Planned } from './terms.ts'
import { PART_NAMES, untilWords } from './levels.ts'
import { keepers, openLines } from './state.ts'

type Asked = { change: Part } | { remove: Part } | 'breakEven'

interface Props {
  of: Planned
  accountId: string
  now: number
  children?: ReactNode
}

export function ExitBody({ of, accountId, now, children }: Props) {
  const { terms, plan, price, symbol } = of
  const [asked, setAsked] = useState<Asked | null>(null)
  const [message, setMessage] = useState<string | null>(null)
  const isLive = useIsLive()
  const lines = openLines(terms, plan, price)
  const missing = (['stop', 'target', 'trail'] as const).filter((part) => terms[part] == null)
  const notEven = noBreakEven(plan, price)
  const sheet = {
    of,
    close: () => setAsked(null),
    done: (text: string) => {
      setAsked(null)
      setMessage(text)
    },
  }
  const buttons = 'max-desk:grow'
  return (
    <div className="grid gap-4 p-4">
      <LevelList
        lines={lines}
        keepers={keepers(plan)}
        renderEnd={({ part }) => (
          <Controls part={part} isPlanned={terms[part] != null} isLive={isLive} ask={setAsked} />
        )}
      />
      <p className="text-xs text-muted">
        {plan.risk === null
          ? 'No stop limits the loss'
          : plan.risk > 0
            ? `${money(plan.risk)} at risk`
            : 'Nothing at risk any more'}
        {' · '}
        {untilWords(terms)}
        {plan.price !== null && ` · price of ${age(now - Date.parse(plan.price.at))}`}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          className={buttons}
          disabled={!isLive || notEven !== null}
          title={notEven ?? undefined}
          onClick={() => setAsked('breakEven')}
        >
          <ShieldCheck aria-hidden="true" className="size-4" /> Move to break-even…
        </Button>
        {children}
        {missing.map((part) => (
          <Button
            key={part}
            className={buttons}
            disabled={!isLive}
            onClick={() => setAsked({ change: part })}
          >
            Add {PART_NAMES[part].toLowerCase()}…
          </Button>
        ))}
      </div>
      {notEven !== null && <p className="-mt-2 text-xs text-muted">{notEven}.</p>}
      <div className="text-xs text-muted">
        <p>Stops do not work before and after the regular session; a limit order does.</p>
        <Link
          to="/orders/new"
          search={{
            symbol,
            account: accountId,
            side: plan.side === 'LONG' ? 'SELL' : 'BUY',
            shares: String(plan.quantity),
            plan: 'extended',
          }}
          className="inline-flex min-h-11 items-center underline desk:min-h-6"
        >
          {closingVerb(plan.side)} at a limit
        </Link>
      </div>
      <div role="status" className="empty:hidden">
        {message !== null && <Notice kind="info" title={message} />}
      </div>
      {asked === 'breakEven' && <BreakEvenSheet {...sheet} />}
      {asked !== null && asked !== 'breakEven' && 'change' in asked && (
        <LevelSheet {...sheet} part={asked.change} />
      )}
      {asked !== null && asked !== 'breakEven' && 'remove' in asked && (
        <RemoveSheet {...sheet} part={asked.remove} />
      )}
    </div>
  )
}

interface ControlsProps {
  part: Part
  isPlanned: boolean
  isLive: boolean
  ask: (asked: Asked) => void
}

const Controls = ({ part, isPlanned, isLive, ask }: ControlsProps) => (
  <span className="flex shrink-0 gap-1">
    <Button
      className="w-11 shrink-0 max-desk:px-0"
      disabled={!isLive}
      title="Change…"
      aria-label={`Change ${PART_NAMES[part].toLowerCase()}`}
      onClick={() => ask({ change: part })}
    >
      <Pencil aria-hidden="true" className="size-4" />
    </Button>
    {isPlanned && (
      <Button
        className="w-11 shrink-0 max-desk:px-0"
        disabled={!isLive}
        title="Remove…"
        aria-label={`Remove ${PART_NAMES[part].toLowerCase()}`}
        onClick={() => ask({ remove: part })}
      >
        <X aria-hidden="true" className="size-4" />
      </Button>
    )}
  </span>
)
