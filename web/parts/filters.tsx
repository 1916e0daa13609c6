import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { Field, SelectField } from './field.tsx'
import type { ListSearch } from './search.ts'
import { AccountSelect } from './account.tsx'
import { beginningWith, typedOf } from './symbols.ts'

export interface FilterChoice<Search> {
  name: keyof Search & string
  label: string
  /** Names by value; the empty value means all. */
  options: Readonly<Record<string, string>>
  className: string
}

interface Props<Search extends ListSearch> {
  search: Search
  /** Applies filters to the address. */
  change: (search: Search) => void
  choices: readonly FilterChoice<Search>[]
}

/** Common filters and the list's own; folded on the phone. */
export function Filters<Search extends ListSearch>({ search, change, choices }: Props<Search>) {
  const [isOpen, setOpen] = useState(false)
  const { page: _, ...filters } = search
  const set = (name: keyof Search & string, value: string): void => {
    const { [name]: _before, page: _page, ...rest } = search
    change((value === '' ? rest : { ...rest, [name]: value }) as unknown as Search)
  }
  const count = Object.keys(filters).length
  return (
    <div className="border-b border-line p-3">
      <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className="w-full desk:hidden">
        <SlidersHorizontal aria-hidden="true" className="size-4" /> Filters{count > 0 && ` (${count})`}
      </Button>
      <search
        className={`grid grid-cols-2 items-end gap-3 max-desk:mt-3 desk:flex desk:flex-wrap ${isOpen ? '' : 'max-desk:hidden'}`}
      >
        {choices.map(({ name, ...rest }) => (
          <SelectField
            key={name}
            {...rest}
            value={String(search[name] ?? '')}
            onChange={({ target }) => set(name, target.value)}
          />
        ))}
        <AccountSelect
          value={search.account}
          all="all"
          choose={(account) => set('account', account)}
          className="desk:w-44"
        />
        <Symbol
          key={search.symbol ?? ''}
          value={typedOf(search.symbol)}
          set={(symbol) => set('symbol', symbol)}
        />
        <Field
          label="From day"
          type="date"
          value={search.from ?? ''}
          onChange={(event) => set('from', event.target.value)}
          className="desk:w-38"
        />
        <Field
          label="To day"
          type="date"
          value={search.to ?? ''}
          onChange={(event) => set('to', event.target.value)}
          className="desk:w-38"
        />
        {count > 0 && (
          <Button onClick={() => change({} as Search)} className="desk:h-9">
            Show all
          </Button>
        )}
      </search>
    </div>
  )
}

/** Applied once it is typed, not with each key. */
const Symbol = ({ value, set }: { value: string; set: (symbol: string) => void }) => (
  <form
    onSubmit={(event) => {
      event.preventDefault()
      const symbol = new FormData(event.currentTarget).get('symbol')
      set(beginningWith(typeof symbol === 'string' ? symbol : ''))
    }}
  >
    <Field
      label="Symbol"
      name="symbol"
      defaultValue={value}
      autoCapitalize="characters"
      autoComplete="off"
      maxLength={20}
      enterKeyHint="search"
      onBlur={(event) => {
        const typed = beginningWith(event.target.value)
        if (typedOf(typed) !== value) set(typed)
      }}
      className="desk:w-28"
    />
  </form>
)
