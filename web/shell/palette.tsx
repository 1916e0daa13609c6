import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { useState } from 'react'
import { ask, dataOf } from '../connection/ask.ts'
import { useStore } from '../connection/store.ts'
import { useAccountList } from '../records/accounts.ts'
import { useAssetSearch } from '../records/assets.ts'
import { useMe } from '../records/person.ts'
import { companyIn, found, type Choice, type Group, type Known } from './choices.ts'
import { flattenSheet, keysSheet, palette, stopSheet } from './open.ts'
import { PAGES, pagesFor } from './pages.ts'

const close = (): void => palette.set(false)

/** Opens the question of a present halt's notice; without a halt, the sheet that stops trading. */
function resume(): void {
  const [own, ofAll] = ['user', 'global'].map((scope) =>
    document.querySelector<HTMLElement>(`[data-resume="${scope}"]`),
  )
  const way = own ?? ofAll
  if (way) way.click()
  else stopSheet.set(true)
}

/** Finds by a few letters, and opens; it changes nothing. */
export function Palette() {
  return (
    <Dialog.Root open={useStore(palette)} onOpenChange={(isOpen) => palette.set(isOpen)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-[oklch(0.15_0.01_260/0.55)]" />
        <Dialog.Popup
          aria-label="Find"
          className="fixed inset-x-3 top-3 z-30 mx-auto grid max-h-[min(36rem,calc(100dvh-24px))] max-w-140 grid-rows-[auto_1fr] overflow-clip rounded-sheet border border-line bg-surface shadow-float desk:top-16"
        >
          <Finder />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Finder() {
  const { history } = useRouter()
  const [text, setText] = useState('')
  const known = useKnown()
  const companies = useAssetSearch(companyIn(text))
  const groups = found(text, { ...known, assets: companies.isCurrent ? companies.found : [] })
  const choose = ({ leadsTo }: Choice): void => {
    close()
    if (leadsTo === 'stop') stopSheet.set(true)
    else if (leadsTo === 'flatten') flattenSheet.set({})
    else if (leadsTo === 'resume') resume()
    else if (leadsTo === 'keys') keysSheet.set(true)
    else history.push(leadsTo)
  }
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={groups}
      value={text}
      onValueChange={setText}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex items-center gap-3 border-b border-line pr-1.5 pl-4">
        <Search aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <Autocomplete.Input
          aria-label="Find a page, a symbol, a company, a signal, an account or an action"
          placeholder="Page, symbol, company, action…"
          maxLength={100}
          className="h-13 min-w-0 grow bg-transparent text-base outline-none placeholder:text-muted"
        />
        <Dialog.Close
          aria-label="Close"
          className="inline-flex size-11 shrink-0 items-center justify-center rounded-control text-muted hover:bg-sunken"
        >
          <X aria-hidden="true" className="size-4" />
        </Dialog.Close>
      </div>
      <div className="min-h-0 overflow-y-auto overscroll-contain p-2">
        <Autocomplete.Empty className="not-empty:px-3 not-empty:py-4 text-muted">
          {companies.problem
            ? `Names of companies cannot be looked up: ${companies.problem.message}`
            : 'Nothing found. Signals are also found by their full id.'}
        </Autocomplete.Empty>
        <Autocomplete.List aria-label="Found">
          {({ value, items }: Group) => (
            <Autocomplete.Group key={value} items={items} className="not-last:mb-2">
              <Autocomplete.GroupLabel className="px-3 py-1 text-xs text-muted">
                {value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: Choice) => (
                  <Autocomplete.Item
                    key={item.value}
                    value={item}
                    onClick={() => choose(item)}
                    className="flex min-h-11 cursor-default items-center gap-3 rounded-control px-3 outline-none data-highlighted:bg-sunken desk:min-h-9"
                  >
                    <span className="max-w-7/10 shrink-0 truncate">{item.label}</span>
                    {item.hint !== undefined && (
                      <span className="ml-auto min-w-0 truncate text-xs text-muted">{item.hint}</span>
                    )}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </div>
    </Autocomplete.Root>
  )
}

/** Number of newest signals that are searched by id or words. */
const NEWEST = 100

/** Records for the search, read when the palette opens; they arrive while a person types. */
function useKnown(): Omit<Known, 'assets'> {
  const { data: me } = useMe()
  const { data: accounts = [] } = useAccountList()
  const { data: positions = [] } = useQuery({
    queryKey: ['positions', ''],
    queryFn: async () => (await ask('GET /api/v1/positions', { query: {} })).body,
    select: (body) => body.positions,
  })
  const { data: signals = [] } = useQuery({
    queryKey: ['signals', 'newest'],
    queryFn: async () => (await dataOf('GET /api/v1/signals', { query: { limit: NEWEST } })).signals,
  })
  return { me, pages: pagesFor(me, PAGES), accounts, positions, signals }
}
