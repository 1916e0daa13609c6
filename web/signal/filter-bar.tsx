import { ListFilter, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { AccessToken, Account, Hook, Strategy } from '#client/types.ts'
import { useHooks } from '../hook/data.ts'
import { Button } from '../parts/button.tsx'
import { Field, SelectField } from '../parts/field.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { useTokens } from '../records/person.ts'
import { exitsOf, statusesOf, viewOf, VIEWS, type Filters, type View } from './filters.ts'
import { beginningWith, typedOf } from '../parts/symbols.ts'
import { TYPED_MS } from '../parts/time.ts'
import { EXIT_NAMES, EXITS, MODE_NAMES, STATUS_NAMES, STATUSES } from '../words/status.ts'
import { Checkbox } from '../parts/checkbox.tsx'

interface Props {
  filters: Filters
  show: (filters: Filters, manner?: { replace: boolean }) => void
  accounts: ReadonlyMap<string, Account>
  strategies: readonly Strategy[]
}

const VIEW_NAMES = Object.fromEntries(
  Object.entries(VIEWS).map(([view, { name }]) => [view, name]),
) as Record<View, string>

/** The address holds each choice at once, so that it can be shared and survives a reload. */
export function FilterBar({ filters, show, accounts, strategies }: Props) {
  const [isOpen, setOpen] = useState(false)
  const set = (change: Filters, manner?: { replace: boolean }): void =>
    show(
      Object.fromEntries(Object.entries({ ...filters, ...change }).filter(([, value]) => value !== '')),
      manner,
    )
  const bound = (name: keyof Filters) => ({
    value: filters[name] ?? '',
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  })
  const tokens = useTokens(filters.token !== undefined)
  const hooks = useHooks({ isWanted: filters.token !== undefined })
  const senders = { tokens: tokens.data ?? [], hooks: hooks.data ?? [] }
  const chips = chipsOf(filters, accounts, strategies, senders)
  return (
    <search className="mb-4 grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Segmented
          legend="Show"
          options={VIEW_NAMES}
          value={viewOf(filters)}
          choose={(view) => set({ status: VIEWS[view].status.join(',') })}
        />
        <Typed
          name="symbol"
          label="Symbol"
          value={typedOf(filters.symbol)}
          change={(typed) => set({ symbol: beginningWith(typed) }, { replace: true })}
          className="flex-1 desk:max-w-60"
        />
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ListFilter aria-hidden="true" className="size-4" /> More filters
        </Button>
      </div>
      {isOpen && (
        <div className="grid grid-cols-1 gap-4 rounded-card border border-line bg-surface p-4">
          <div className="grid grid-cols-1 gap-3 desk:grid-cols-2 wide:grid-cols-4">
            <SelectField
              label="Account"
              {...bound('account')}
              options={{ '': 'All accounts', ...namesOf(accounts.values()) }}
            />
            <SelectField
              label="Strategy"
              {...bound('strategy')}
              options={{ '': 'All strategies', ...namesOf(strategies) }}
            />
            <SelectField label="Sent" {...bound('mode')} options={{ '': 'In any way', ...MODE_NAMES }} />
            <SelectField
              label="Order"
              {...bound('sort')}
              options={{ '': 'The newest first', validUntil: 'The soonest to expire first' }}
            />
            <Field label="From" type="date" {...bound('from')} />
            <Field label="Up to and with" type="date" {...bound('to')} />
            <Typed
              name="source"
              label="sourceId"
              value={filters.source ?? ''}
              change={(source) => set({ source }, { replace: true })}
              className="desk:col-span-2"
            />
          </div>
          <Several
            legend="Signal"
            names={STATUS_NAMES}
            all={STATUSES}
            chosen={statusesOf(filters)}
            choose={(status) => set({ status })}
          />
          <Several
            legend="Exit"
            names={EXIT_NAMES}
            all={EXITS}
            chosen={exitsOf(filters)}
            choose={(exit) => set({ exit })}
          />
        </div>
      )}
      {chips.length > 0 && (
        <ul aria-label="Filters that are set" className="flex flex-wrap gap-2">
          {chips.map(({ name, words }) => (
            <li key={name}>
              <button
                type="button"
                aria-label={`Remove the filter ${words}`}
                onClick={() => set({ [name]: '' })}
                className="inline-flex min-h-11 max-w-full items-center gap-2 rounded-full bg-accent-soft px-3 text-xs text-accent desk:min-h-7"
              >
                <span className="min-w-0 wrap-anywhere">{words}</span>
                <X aria-hidden="true" className="size-3.5 shrink-0" />
              </button>
            </li>
          ))}
          <li>
            <Button className="desk:h-7" onClick={() => show({})}>
              Remove all
            </Button>
          </li>
        </ul>
      )}
    </search>
  )
}

const namesOf = (records: Iterable<{ id: string; name: string }>): Record<string, string> =>
  Object.fromEntries(Array.from(records, ({ id, name }) => [id, name]))

interface TypedProps {
  label: string
  value: string
  change: (text: string) => void
  name: string
  className?: string
}

/** A filter applied a moment after the last key, or at once by Enter. */
function Typed({ label, value, change, name, className = '' }: TypedProps) {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The address changed elsewhere, such as by going back.
  if (known !== value) {
    setKnown(value)
    if (text.trim().toUpperCase() !== value.toUpperCase()) setText(value)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const ask = (next: string, ms: number): void => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => change(next.trim()), ms)
  }
  return (
    <label className={`flex min-w-0 items-center gap-2 ${className}`}>
      <span className="font-medium">{label}</span>
      <input
        name={name}
        type="search"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        value={text}
        onChange={({ target }) => ask(target.value, TYPED_MS)}
        onKeyDown={({ key }) => key === 'Enter' && ask(text, 0)}
        className="h-11 min-w-0 grow rounded-control border border-edge bg-surface px-3 text-base desk:h-8 desk:text-sm"
      />
    </label>
  )
}

interface SeveralProps<T extends string> {
  legend: string
  names: Readonly<Record<T, string>>
  all: readonly T[]
  chosen: readonly T[]
  choose: (chosen: string) => void
}

/** A choice of any number; none means all. */
const Several = <T extends string>({ legend, names, all, chosen, choose }: SeveralProps<T>) => (
  <fieldset className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
    <legend className="mb-1 font-medium">{legend}</legend>
    {all.map((each) => (
      <Checkbox
        key={each}
        checked={chosen.includes(each)}
        onChange={({ target }) =>
          choose(all.filter((one) => (one === each ? target.checked : chosen.includes(one))).join(','))
        }
      >
        {names[each]}
      </Checkbox>
    ))}
  </fieldset>
)

function senderWords(
  id: string,
  { tokens, hooks }: { tokens: readonly AccessToken[]; hooks: readonly Hook[] },
): string {
  const hook = hooks.find((each) => each.id === id)
  if (hook) return `sent by the hook ${hook.name}`
  const token = tokens.find((each) => each.id === id)
  return token ? `sent by the token ${token.label}` : 'sent by one token'
}

function chipsOf(
  filters: Filters,
  accounts: ReadonlyMap<string, Account>,
  strategies: readonly Strategy[],
  senders: { tokens: readonly AccessToken[]; hooks: readonly Hook[] },
): { name: keyof Filters; words: string }[] {
  const strategy = strategies.find(({ id }) => id === filters.strategy)?.name ?? 'one strategy'
  const words: Partial<Record<keyof Filters, string | undefined>> = {
    status: viewOf(filters)
      ? undefined
      : statusesOf(filters)
          .map((each) => STATUS_NAMES[each])
          .join(', '),
    exit: exitsOf(filters)
      .map((each) => EXIT_NAMES[each])
      .join(', '),
    symbol: typedOf(filters.symbol),
    account: filters.account && (accounts.get(filters.account)?.name ?? 'one account'),
    strategy: filters.strategy && strategy,
    token: filters.token && senderWords(filters.token, senders),
    group: filters.group && 'of one message',
    mode: filters.mode && MODE_NAMES[filters.mode as keyof typeof MODE_NAMES],
    source: filters.source && `sourceId ${filters.source}`,
    from: filters.from && `from ${filters.from}`,
    to: filters.to && `up to ${filters.to}`,
    sort: filters.sort && 'the soonest to expire first',
  }
  return (Object.keys(words) as (keyof Filters)[]).flatMap((name) => {
    const text = words[name]
    return text ? [{ name, words: text }] : []
  })
}
