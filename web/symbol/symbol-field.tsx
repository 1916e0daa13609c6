import { Autocomplete } from '@base-ui/react/autocomplete'
import { useState } from 'react'
import { Labelled } from '../parts/field.tsx'
import { usePositions } from '../position/list.ts'
import { LONGEST_TYPED_NAME, useAssetSearch } from '../records/assets.ts'
import { offered, type Offered } from './offered.ts'

interface Props {
  value: string
  choose: (symbol: string) => void
  /** Account whose broker lists the suggestions. */
  accountId: string
}

/**
 * The symbol field suggests held symbols, and those found by symbol or company name, and accepts any text. The list is
 * part of the page, because a popup would hide the rest of the form from screen readers.
 */
export function SymbolField({ value, choose, accountId }: Props) {
  const [isOpen, setOpen] = useState(false)
  const held = usePositions().data?.positions ?? []
  const { found, problem } = useAssetSearch(value, { accountId, isWanted: isOpen })
  const items = offered(
    value,
    held.map(({ symbol }) => symbol),
    found,
  )
  const isShown = isOpen && items.length > 0
  return (
    <Autocomplete.Root
      inline
      open={isShown}
      items={items}
      mode="none"
      value={value}
      onValueChange={(text, { reason }) => {
        // Escape closes the suggestions, and keeps the text.
        if (reason === 'escape-key') return
        setOpen(true)
        choose(text)
      }}
    >
      <Labelled
        label="Symbol"
        name="symbol"
        {...(problem && { hint: `Names cannot be looked up: ${problem.message}` })}
      >
        {({ className, ...control }) => (
          <div className="relative">
            <Autocomplete.Input
              {...control}
              name="symbol"
              placeholder="Symbol or name"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={LONGEST_TYPED_NAME}
              aria-expanded={isShown}
              onClick={() => setOpen(true)}
              onBlur={() => setOpen(false)}
              onKeyDown={({ key }) => {
                if (key === 'Escape') setOpen(false)
                if (key === 'ArrowDown') setOpen(true)
              }}
              className={`${className} px-3 placeholder:text-muted`}
            />
            {isShown && (
              <Autocomplete.List
                aria-label="Found"
                onMouseDown={(event) => event.preventDefault()}
                className="absolute inset-x-0 top-full z-30 mt-1 max-h-72 overflow-y-auto overscroll-contain rounded-card border border-line bg-surface py-1 shadow-float"
              >
                {(item: Offered) => (
                  <Autocomplete.Item
                    key={item.symbol}
                    value={item}
                    onClick={() => {
                      setOpen(false)
                      choose(item.symbol)
                    }}
                    className="flex min-h-11 cursor-default items-center gap-3 px-3 outline-none data-highlighted:bg-sunken desk:min-h-9"
                  >
                    <span className="shrink-0 font-medium">{item.symbol}</span>
                    <span className="min-w-0 truncate text-muted">{item.name}</span>
                    {item.isHeld && <span className="ml-auto shrink-0 text-xs text-muted">held</span>}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            )}
          </div>
        )}
      </Labelled>
    </Autocomplete.Root>
  )
}
