import { useId, type ReactNode } from 'react'
import { isOpening } from '#domain/signal.ts'
import { hasLimitPrice, hasStopPrice } from '#domain/order.ts'
import { AccountSelect } from '../../parts/account.tsx'
import { Checkbox } from '../../parts/checkbox.tsx'
import { Direction } from '../../parts/direction.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { AlsoIn, Legend, Text } from '../../signals/draft-fields.tsx'
import type { Draft } from '../../signals/draft.ts'
import { ExitFields } from '../../signals/exit-fields.tsx'
import { useAccounts } from '../../records/accounts.ts'
import { SymbolField } from '../../symbol/symbol-field.tsx'
import { number } from '../../words/figures.ts'
import { LIFETIMES } from '../../words/order.ts'
import { PartButtons } from '../part-buttons.tsx'
import { PriceOffers } from '../price-offers.tsx'
import {
  actionOf,
  sentWhen,
  sharesOf,
  sharesOfPart,
  verbOf,
  type Scene,
  type Side,
  type Ticket,
  type Unit,
} from './ticket.ts'

export interface TicketProps {
  ticket: Ticket
  scene: Scene
  /** Shares to which the service sizes a ticket that is not said in shares or dollars; empty while they are not known. */
  sized: string
  /** It changes no working order, which is one order of one account, at once. */
  isNew: boolean
  set: (change: Partial<Ticket>) => void
  change: (change: Partial<Draft>) => void
}

const TYPES = { market: 'Market', limit: 'Limit', stop: 'Stop', stopLimit: 'Stop limit' } as const
const UNITS = {
  shares: 'Shares',
  dollars: 'Dollars',
  percentEquity: '% of equity',
  riskPercent: '% at risk',
  riskDollars: '$ at risk',
} as const satisfies Record<Unit, string>

/** The ways in which the size can be said; what is lost at the stop, where one is set from the fill on. */
function unitsOf({ unit: chosen, draft }: Ticket, opens: boolean): Record<Unit, string> {
  const { stop, trail, trailAfter } = draft.protection
  const hasStop = stop.by !== '' || (trail.by !== '' && trailAfter.by === '')
  const offered = (unit: string): boolean =>
    unit === chosen ||
    unit === 'shares' ||
    unit === 'dollars' ||
    (opens && (unit === 'percentEquity' || hasStop))
  return Object.fromEntries(Object.entries(UNITS).filter(([unit]) => offered(unit))) as Record<Unit, string>
}

const WHEN = { immediate: 'Now', scheduled: 'At a time', pending: 'After approval' } as const
/** A manual order ends by no date of its own. */
const LIFETIME_NAMES = Object.entries(LIFETIMES).filter(([name]) => name !== 'gtd') as [
  Draft['timeInForce'],
  string,
][]

/** What is to be placed. */
export function TicketFields(form: TicketProps & { name: ReactNode }) {
  const { ticket, scene, change, name, isNew } = form
  const accounts = useAccounts()
  const { draft } = ticket
  const action = actionOf(ticket.side, scene.held)
  const opens = isOpening(action)
  return (
    <>
      <div className="grid content-start gap-1">
        <SymbolField
          value={draft.symbol}
          choose={(symbol) => change({ symbol: symbol.toUpperCase() })}
          accountId={draft.accountId}
        />
        {name}
      </div>
      <AccountSelect value={draft.accountId} choose={(accountId) => change({ accountId })} />
      {isNew && <AlsoIn {...{ draft, change, accounts }} />}
      <Sides {...form} />
      <Amount {...form} />
      <div className="flex flex-wrap gap-3 desk:col-span-2">
        <Segmented
          legend="Order type"
          value={draft.orderType}
          options={TYPES}
          choose={(orderType) => change({ orderType })}
        />
      </div>
      {hasStopPrice(draft.orderType) && (
        <Text label="Stop, $ a share" name="stopPrice" inputMode="decimal" {...{ draft, change }} />
      )}
      {hasLimitPrice(draft.orderType) && <Limit {...form} />}
      <Select
        label="Time in force"
        value={draft.timeInForce}
        options={LIFETIME_NAMES}
        choose={(timeInForce) => change({ timeInForce })}
      />
      <Checkbox
        checked={draft.extendedHours}
        onChange={() => change({ extendedHours: !draft.extendedHours })}
        className="min-h-11 items-center gap-2 desk:self-end"
      >
        Before and after the session too
      </Checkbox>
      {isNew && <When {...{ draft, change }} />}
      {opens && <ExitFields draft={{ ...draft, action }} change={change} />}
    </>
  )
}

/** Both sides, named by what they do to what is held. */
function Sides({ ticket, scene, set }: TicketProps) {
  const name = useId()
  return (
    <fieldset className="grid grid-cols-2 gap-2 desk:col-span-2">
      <legend className="sr-only">Side</legend>
      {(['BUY', 'SELL'] as const satisfies Side[]).map((side) => (
        <label
          key={side}
          className={`relative flex min-h-11 items-center justify-center gap-2 rounded-control border border-edge font-medium text-muted has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-text has-checked:text-text has-checked:ring-2 desk:min-h-9 ${side === 'BUY' ? 'has-checked:border-buy has-checked:ring-buy' : 'has-checked:border-sell has-checked:ring-sell'}`}
        >
          <input
            type="radio"
            name={name}
            checked={side === ticket.side}
            onChange={() => set({ side })}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          <Direction isBuy={side === 'BUY'} />
          {verbOf(side, scene.held)}
        </label>
      ))}
    </fieldset>
  )
}

/** How much, in shares or dollars, or as a part of what is held or of the buying power. */
function Amount({ ticket, scene, set, sized }: TicketProps) {
  const { unit, amount, side } = ticket
  const opens = isOpening(actionOf(side, scene.held))
  const whole = opens ? 'the buying power' : 'the position'
  const counted = unit === 'dollars' ? sharesOf(ticket, scene) : unit === 'shares' ? '' : sized
  return (
    <div className="grid gap-2 desk:col-span-2">
      <div className="grid items-end gap-2 desk:grid-cols-[minmax(0,1fr)_auto]">
        <Field
          label={UNITS[unit]}
          name="quantity"
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          onChange={({ target }) => set({ amount: target.value })}
          {...(counted !== '' && {
            hint: `${number(Number(counted))} ${unit === 'dollars' ? 'whole shares' : 'shares'}`,
          })}
          className={counted === '' ? '' : 'row-span-2'}
        />
        <Segmented
          legend="How the size is said"
          value={unit}
          options={unitsOf(ticket, opens)}
          choose={(next) => set({ unit: next, amount: '' })}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <PartButtons
          whole={whole}
          sharesOf={(part) => sharesOfPart(part, ticket, scene)}
          choose={(part) => set({ unit: 'shares', amount: part })}
        />
        <span className="self-center text-xs text-muted">of {whole}</span>
      </div>
    </div>
  )
}

/** The limit, with what the market gives for it. */
const Limit = ({ ticket: { draft }, scene: { quote }, change }: TicketProps) => (
  <div className="grid gap-2">
    <Text label="Limit, $ a share" name="limitPrice" inputMode="decimal" {...{ draft, change }} />
    <PriceOffers quote={quote} choose={(limitPrice) => change({ limitPrice })} />
  </div>
)

/** What has a time, or waits for an approval, is kept by the service as a signal. */
const When = ({ draft, change }: { draft: Draft; change: TicketProps['change'] }) => (
  <>
    <Legend>When</Legend>
    <div className="desk:col-span-2">
      <Segmented
        legend="When"
        value={draft.executeMode}
        options={WHEN}
        choose={(executeMode) => change(sentWhen(draft, executeMode))}
      />
    </div>
    {draft.executeMode === 'scheduled' && (
      <Text
        label="Sent at, New York"
        name="scheduledProcessAt"
        type="datetime-local"
        {...{ draft, change }}
      />
    )}
  </>
)
