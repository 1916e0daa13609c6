import { Autocomplete } from '@base-ui/react/autocomplete'
import { useState } from 'react'
import { Labelled } from '../parts/field.tsx'
import { usePositions } from '../positions/list.ts'
import { LONGEST_SEARCH, useAssetSearch } from '../records/assets.ts'
import { offered, type Offered } from './offered.ts'

interface Props {
  value: string
  choose: (symbol: string) => void
  /** Whose broker lists what is offered. */
  accountId: string
}

/** A symbol: what is held and what is found by it or by the name of the company is offered, and whatever is typed is taken. */
export function SymbolField({ value, choose, accountId }: Props) {
  const [isOpen, setOpen] = useState(false)
  const held = usePositions().data?.positions ?? []
  const { found, problem } = useAssetSearch(value, { accountId, isWanted: isOpen })
  const items = offered(
    value,
    held.map(({ symbol }) => symbol),
    found,
  )
  return (
    <Autocomplete.Root
      items={items}
      mode="none"
      value={value}
      // Escape closes what is offered, and takes away nothing that is typed.
      onValueChange={(text, { reason }) => reason !== 'escape-key' && choose(text)}
      itemToStringValue={({ symbol }: Offered) => symbol}
      open={isOpen && items.length > 0}
      onOpenChange={setOpen}
      openOnInputClick
    >
      <Labelled
        label="Symbol"
        name="symbol"
        {...(problem && { hint: `Names cannot be looked up: ${problem.message}` })}
      >
        {({ className, ...control }) => (
          <Autocomplete.Input
            {...control}
            name="symbol"
            placeholder="Symbol or name"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={LONGEST_SEARCH}
            onBlur={() => items.length === 0 && setOpen(false)}
            className={`${className} px-3 placeholder:text-muted`}
          />
        )}
      </Labelled>
      <Autocomplete.Portal>
        <Autocomplete.Positioner align="start" sideOffset={4} className="z-30">
          <Autocomplete.Popup className="w-[max(var(--anchor-width),18rem)] max-w-(--available-width) rounded-card border border-line bg-surface shadow-float">
            <Autocomplete.List
              aria-label="Found"
              className="max-h-[min(22rem,var(--available-height))] overflow-y-auto overscroll-contain py-1"
            >
              {(item: Offered) => (
                <Autocomplete.Item
                  key={item.symbol}
                  value={item}
                  className="flex min-h-11 cursor-default items-center gap-3 px-3 outline-none data-highlighted:bg-sunken desk:min-h-9"
                >
                  <span className="shrink-0 font-medium">{item.symbol}</span>
                  <span className="min-w-0 truncate text-muted">{item.name}</span>
                  {item.isHeld && <span className="ml-auto shrink-0 text-xs text-muted">held</span>}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}
