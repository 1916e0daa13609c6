import { Link, Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AlertsBell } from '../alert/bell.tsx'
import { useNews, useQueue } from '../approvals/queue.ts'
import { live, type LiveState } from '../connection/live.ts'
import { useStore } from '../connection/store.ts'
import { Mark } from '../parts/mark.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { useMe } from '../records/person.ts'
import { ProofSheet } from '../session/proof-sheet.tsx'
import { marketTime } from '../words/times.ts'
import { ExchangeClock, MarketLine } from './exchange-clock.tsx'
import { CloseAllButton, FlattenDoor } from './close-all.tsx'
import { KeysDoor } from './keys-door.tsx'
import { PAGES, pagesFor, TABS, type Page } from './pages.ts'
import { FindButton, PaletteDoor } from './palette-door.tsx'
import { SignOut } from './sign-out.tsx'
import { HaltList, StopTrading } from './stop-trading.tsx'

export function Shell() {
  useNews()
  useAppBadge()
  const { data: me } = useMe()
  const isLive = me?.tradingMode === 'LIVE'
  useEffect(() => {
    document.documentElement.dataset['mode'] = isLive ? 'live' : 'paper'
  }, [isLive])
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] desk:grid-cols-[216px_1fr]">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-20 focus:rounded-control focus:bg-surface focus:px-4 focus:py-3"
      >
        Skip to the page
      </a>
      <header className="sticky top-0 z-10 short:static border-b border-line bg-surface desk:col-span-2">
        <div className="band" />
        <div className="flex min-h-14 items-center gap-2 px-3 desk:h-13 desk:min-h-0 desk:gap-3 desk:px-4">
          <Link
            to="/start"
            aria-label="Durable Trader, first page"
            className="flex h-11 items-center gap-2 desk:w-47"
          >
            <Mark />
            <span className="hidden font-bold desk:inline">Durable Trader</span>
          </Link>
          <div className="flex min-w-0 flex-1 flex-wrap content-center items-center gap-x-2 py-1 desk:contents">
            {me && <ModePill isLive={isLive} />}
            <LiveLine className="desk:hidden" />
            <MarketLine />
          </div>
          <span className="grow max-desk:hidden" />
          <ExchangeClock />
          <FindButton className="max-desk:hidden" />
          <AlertsBell />
          <CloseAllButton className="max-wide:hidden" />
          <StopTrading />
        </div>
      </header>
      <nav
        aria-label="Main"
        className="hidden flex-col gap-px border-r border-line p-3 desk:sticky desk:top-14 desk:flex desk:h-[calc(100dvh-57px)] short:static short:h-auto"
      >
        <Pages
          pages={pagesFor(me, PAGES)}
          className="flex h-11 items-center gap-3 rounded-control desk:h-8 px-3 text-muted hover:bg-sunken aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-text"
        />
        <span className="grow" />
        <LiveLine className="px-3 py-1" />
        <span className="truncate px-3 py-1 text-xs text-muted">{me?.email}</span>
        <SignOut isQuiet />
      </nav>
      <main
        id="main"
        className="mx-auto w-full max-w-360 min-w-0 px-4 pt-4 pb-32 short:pb-8 desk:px-6 desk:pt-5 desk:pb-8"
      >
        <HaltList />
        <Outlet />
      </main>
      <nav
        aria-label="Main"
        className="fixed inset-x-0 bottom-0 z-10 flex short:static border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] desk:hidden"
      >
        <Pages
          pages={TABS}
          className="relative flex h-16 grow flex-col items-center justify-center gap-1 text-xs text-muted aria-[current=page]:font-bold aria-[current=page]:text-accent"
        />
      </nav>
      <ProofSheet />
      <PaletteDoor />
      <KeysDoor />
      <FlattenDoor />
    </div>
  )
}

/** Shows the number of waiting signals on the icon of the installed app. */
function useAppBadge(): void {
  const { data: waiting } = useQueue()
  const count = waiting?.length ?? 0
  useEffect(() => {
    // Browsers without a badge lack the function, or reject.
    if ('setAppBadge' in navigator) void navigator.setAppBadge(count).catch(() => undefined)
  }, [count])
}

function Pages({ pages, className }: { pages: readonly Page[]; className: string }) {
  const { data: waiting } = useQueue()
  const count = waiting?.length ?? 0
  return pages.map(({ to, name, icon: Icon }) => (
    <Link key={to} to={to} activeOptions={{ exact: to === '/' }} className={className}>
      <Icon aria-hidden="true" className="size-5 desk:size-4" />
      {name}
      {to === '/approvals' && count > 0 && (
        <span className="min-w-5 rounded-full bg-accent-fill px-1.5 text-center text-xs font-bold text-on-fill max-desk:absolute max-desk:top-1.5 max-desk:ml-9 desk:ml-auto">
          {count}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </Link>
  ))
}

/** Whether news arrives at once, or since when it does not. */
function LiveLine({ className = '' }: { className?: string }) {
  const state = useStore(live)
  return (
    <span role="status" className={`inline-flex min-w-0 items-center gap-2 text-xs text-muted ${className}`}>
      <span className={`size-2 shrink-0 rounded-full ${state.isLive ? 'bg-buy' : 'border-2 border-warn'}`} />
      {words(state)}
    </span>
  )
}

function words(state: LiveState): string {
  if (state.isLive) return 'live'
  return state.isBeginning ? 'connecting…' : `not live since ${marketTime(state.since)}`
}
