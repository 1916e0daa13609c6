import { useQuery } from '@tanstack/react-query'
import { useContext, type ComponentProps } from 'react'
import type { Account, Strategy } from '#client/types.ts'
import { isOpening } from '#domain/signal.ts'
import { dataOf } from '../connection/ask.ts'
import { Problem } from '../connection/problem.ts'
import { Direction } from '../parts/direction.tsx'
import { Field, SelectField, FaultsOfForm } from '../parts/field.tsx'
import { useSettled } from '../parts/time.ts'
import { useQuotes } from '../records/quotes.ts'
import { SymbolField } from '../symbol/symbol-field.tsx'
import { money } from '../words/figures.ts'
import { LIFETIMES } from '../words/order.ts'
import { askedFor, othersOf, type Draft, type QuantityType } from './draft.ts'
import { Checkbox } from '../parts/checkbox.tsx'

export interface DraftProps {
  draft: Draft
  change: (change: Partial<Draft>) => void
}

const MODES = { immediate: 'Now', scheduled: 'At a time', pending: 'When a person approves it' } as const
const TYPES = { market: 'Market', limit: 'Limit', stop: 'Stop', stopLimit: 'Stop, then limit' } as const
const UNITS = { fixed: 'shares', percentEquity: '% of equity', dollarAmount: 'dollars' } as const
/** Of what opens, by what is lost at the stop; and of what closes, by what is held. */
const RISKS = { riskPercent: '% of equity at risk', riskDollars: 'dollars at risk' } as const
const HELD = { percentPosition: '% of what is held' } as const

/** The ways in which the quantity of an action can be said. */
const unitsOf = (action: Draft['action']): Partial<Record<QuantityType, string>> => ({
  ...UNITS,
  ...(isOpening(action) ? RISKS : HELD),
})
/** The times that this device knows by the names of two zones. */
const ZONES: Readonly<Record<string, string>> = {
  'America/New_York': 'New York',
  [Intl.DateTimeFormat().resolvedOptions().timeZone]:
    `here (${Intl.DateTimeFormat().resolvedOptions().timeZone})`,
  UTC: 'UTC',
}

interface Props extends DraftProps {
  accounts: ReadonlyMap<string, Account>
  strategies: readonly Strategy[]
  /** What the quantity comes to, such as "43 shares"; undefined while that is not known, or said by itself. */
  sized: string | undefined
}

/** What is traded, how much, where and when. */
export function DraftFields({ draft, change, accounts, strategies, sized }: Props) {
  const asked = askedFor(draft)
  const account = accounts.get(draft.accountId)
  const hasTimes = asked.scheduledProcessAt || asked.expiresAt || draft.validUntil !== ''
  const isKnownZone = draft.timezone in ZONES
  const form = { draft, change }
  const fault = useContext(FaultsOfForm)('symbol')
  return (
    <>
      <ActionChoice
        value={draft.action}
        choose={(action) =>
          change({ action, ...(!(draft.quantityType in unitsOf(action)) && { quantityType: 'fixed' }) })
        }
      />
      <div className="grid gap-1">
        <SymbolField
          value={draft.symbol}
          choose={(symbol) => change({ symbol })}
          accountId={draft.accountId}
        />
        {fault === undefined && <AssetNote symbol={draft.symbol} accountId={draft.accountId} />}
      </div>
      <Choice
        label="Account"
        name="accountId"
        options={Object.fromEntries(
          Array.from(accounts.values(), ({ id, name, isDemo }) => [id, isDemo ? name : `LIVE · ${name}`]),
        )}
        {...(account && { hint: `${money(account.buyingPower)} buying power` })}
        {...form}
      />
      <AlsoIn {...form} accounts={accounts} />
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
        <Text
          label="Quantity"
          name="quantity"
          inputMode="decimal"
          {...(sized !== undefined && { hint: sized })}
          {...form}
        />
        <Choice label="of" name="quantityType" options={unitsOf(draft.action)} {...form} />
      </div>
      <Text
        label="Target position"
        name="targetPosition"
        hint="Shares to hold, below 0 for short: trades what is missing, whatever side and quantity say"
        {...form}
      />
      <Choice
        label="Strategy"
        name="strategyId"
        options={{ '': 'None', ...Object.fromEntries(strategies.map(({ id, name }) => [id, name])) }}
        {...form}
      />
      <Legend>Order</Legend>
      <Choice label="Order" name="orderType" options={TYPES} {...form} />
      {asked.stopPrice && <Text label="Stop, $ a share" name="stopPrice" inputMode="decimal" {...form} />}
      {asked.limitPrice && <Text label="Limit, $ a share" name="limitPrice" inputMode="decimal" {...form} />}
      <Choice label="Time in force" name="timeInForce" options={LIFETIMES} {...form} />
      {asked.expiresAt && <Text label="Expires" name="expiresAt" type="datetime-local" {...form} />}
      <Checkbox
        checked={draft.extendedHours}
        onChange={({ target }) => change({ extendedHours: target.checked })}
        className="min-h-11 items-center gap-2 desk:self-end"
      >
        Before and after the session too
      </Checkbox>
      <Legend>When</Legend>
      <Choice label="When" name="executeMode" options={MODES} {...form} />
      {asked.scheduledProcessAt && (
        <Text label="Sent at" name="scheduledProcessAt" type="datetime-local" {...form} />
      )}
      <Text
        label="Valid until"
        name="validUntil"
        type="datetime-local"
        hint="Left open, it has no end of its own"
        {...form}
      />
      {hasTimes && (
        <Choice
          label="Times are those of"
          name="timezone"
          options={isKnownZone ? ZONES : { ...ZONES, [draft.timezone]: draft.timezone }}
          {...form}
        />
      )}
    </>
  )
}

export const Legend = ({ children }: { children: string }) => (
  <h2 className="border-t border-line pt-3 text-xs text-muted desk:col-span-2">{children}</h2>
)

type TextName = Exclude<keyof Draft, 'extendedHours' | 'protection' | 'alsoIn'>

/** A field of the draft that is typed. */
export const Text = ({
  name,
  draft,
  change,
  ...rest
}: DraftProps & { name: TextName } & Omit<ComponentProps<typeof Field>, 'name' | 'value' | 'onChange'>) => (
  <Field
    autoComplete="off"
    {...rest}
    name={name}
    value={draft[name]}
    onChange={({ target }) => change({ [name]: target.value })}
  />
)

/** A field of the draft that is one of a few words. */
export const Choice = ({
  name,
  draft,
  change,
  ...rest
}: DraftProps & { name: TextName } & Omit<
    ComponentProps<typeof SelectField>,
    'name' | 'value' | 'onChange'
  >) => (
  <SelectField
    {...rest}
    name={name}
    value={draft[name]}
    onChange={({ target }) => change({ [name]: target.value })}
  />
)

/** The other accounts that trade the same; nothing where there is none. */
export function AlsoIn({ draft, change, accounts }: DraftProps & { accounts: ReadonlyMap<string, Account> }) {
  const { alsoIn } = draft
  const others = othersOf(draft, accounts)
  if (others.length === 0) return null
  const toggled = (id: string): string[] =>
    alsoIn.includes(id) ? alsoIn.filter((each) => each !== id) : [...alsoIn, id]
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-x-6 desk:col-span-2">
      <legend className="text-xs text-muted">Also in, each by a signal of its own</legend>
      {others.map((account) => (
        <Checkbox
          key={account.id}
          checked={alsoIn.includes(account.id)}
          onChange={() => change({ alsoIn: toggled(account.id) })}
          className="min-h-11 items-center gap-2 desk:min-h-9"
        >
          {account.isDemo ? account.name : `LIVE · ${account.name}`}
        </Checkbox>
      ))}
    </fieldset>
  )
}

const ACTIONS = {
  openLong: { name: 'Buy to open', isBuy: true },
  closeLong: { name: 'Sell to close', isBuy: false },
  openShort: { name: 'Sell short', isBuy: false },
  closeShort: { name: 'Buy to cover', isBuy: true },
} as const satisfies Record<Draft['action'], { name: string; isBuy: boolean }>

interface ActionChoiceProps {
  value: Draft['action']
  choose: (action: Draft['action']) => void
}

/** Which of the four things a signal can do. */
const ActionChoice = ({ value, choose }: ActionChoiceProps) => (
  <fieldset className="grid grid-cols-2 gap-2 desk:col-span-2 wide:grid-cols-4">
    <legend className="mb-1 font-medium">What</legend>
    {(Object.keys(ACTIONS) as Draft['action'][]).map((action) => (
      <label
        key={action}
        className="relative flex min-h-11 items-center justify-center gap-2 rounded-control border border-edge px-2 py-1 text-center font-medium text-muted has-checked:border-accent has-checked:bg-accent-soft has-checked:text-text has-checked:ring-1 has-checked:ring-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-text desk:min-h-9"
      >
        <input
          type="radio"
          name="action"
          checked={action === value}
          onChange={() => choose(action)}
          className="absolute inset-0 cursor-pointer opacity-0"
        />
        <Direction isBuy={ACTIONS[action].isBuy} />
        {ACTIONS[action].name}
      </label>
    ))}
  </fieldset>
)

/** What the broker knows of a symbol: its price, its name, where it trades, and what may be done with it. */
function AssetNote({ symbol, accountId }: { symbol: string; accountId: string }) {
  const wanted = symbol.trim().toUpperCase()
  const settled = useSettled(wanted)
  const { data, error } = useQuery({
    queryKey: ['asset', settled, accountId],
    queryFn: async () =>
      (await dataOf('GET /api/v1/assets/{symbol}', { path: { symbol: settled }, query: { accountId } }))
        .asset,
    enabled: settled !== '' && accountId !== '',
    staleTime: 600_000,
    retry: false,
  })
  const { data: prices } = useQuotes(data ? [settled] : [], accountId)
  const quote = prices?.quotes.get(settled)
  if (wanted === '' || wanted !== settled) return null
  if (error instanceof Problem && error.code === 'ASSET_NOT_FOUND')
    return <p className="text-xs text-danger">The broker knows no {settled}</p>
  if (!data) return null
  const traits = [
    data.tradable ? 'tradable' : 'not tradable',
    data.fractionable && 'in parts of a share too',
    data.shortable && (data.easyToBorrow ? 'easy to borrow' : 'may be sold short'),
  ]
  return (
    <p className="text-xs text-muted wrap-anywhere">
      {quote?.last != null && <b className="font-medium text-text">{money(quote.last)} now · </b>}
      <b className="font-medium text-text">{data.name}</b> · {data.exchange} ·{' '}
      {traits.filter(Boolean).join(', ')}
    </p>
  )
}
