import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useIsLive } from '../connection/live.ts'
import { asProblem } from '../connection/problem.ts'
import { Button, buttonClass, Key } from '../parts/button.tsx'
import { NotRead } from '../parts/loaded.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { number } from '../words/figures.ts'
import { useShortcuts } from '../parts/shortcuts.ts'
import { useNow } from '../parts/time.ts'
import { useAccounts, useStrategies } from '../records/accounts.ts'
import { FilterBar } from './filter-bar.tsx'
import { queryOf, type Filters } from './filters.ts'
import { useSignalPage } from './list.ts'
import type { SignalPage } from './page-news.ts'
import { SignalTable } from './signal-table.tsx'

interface Props {
  filters: Filters
  show: (filters: Filters, manner?: { replace: boolean }) => void
  openNew: () => void
}

export function SignalsPage({ filters, show, openNew }: Props) {
  const page = useSignalPage(queryOf(filters))
  const accounts = useAccounts()
  const strategies = useStrategies().data ?? []
  const now = useNow()
  const isLive = useIsLive()
  useShortcuts({
    n: openNew,
    '/': () => document.querySelector<HTMLInputElement>('input[name=symbol]')?.focus(),
  })
  const { cursor: _, ...lasting } = filters
  const isFiltered = Object.keys(lasting).some((name) => name !== 'sort')
  return (
    <>
      <PageHead
        name="Signals"
        note={<span role="status">{page.data && countOf(page.data)}</span>}
        offline="Last known state. New signals appear once the connection is back."
      >
        <Link to="/signals/new" search={{}} className={buttonClass('primary')}>
          <Plus aria-hidden="true" className="size-4" /> New signal <Key>N</Key>
        </Link>
      </PageHead>
      <FilterBar filters={lasting} show={show} accounts={accounts} strategies={strategies} />
      {page.isError && (
        <ProblemNotice
          title="The list could not be read"
          problem={asProblem(page.error)}
          again={() => void page.refetch()}
        />
      )}
      {page.isPending && (isLive ? <Loading /> : <NotRead />)}
      {page.data && page.data.signals.length === 0 && (
        <Empty isFiltered={isFiltered} showAll={() => show({})} />
      )}
      {page.data && page.data.signals.length > 0 && (
        <SignalTable
          signals={page.data.signals}
          accounts={accounts}
          strategies={strategies}
          now={now}
          isOld={page.isPlaceholderData}
        />
      )}
      {page.data && (filters.cursor !== undefined || page.data.nextCursor !== null) && (
        <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center gap-2">
          <Button disabled={filters.cursor === undefined} onClick={() => show(lasting)}>
            {filters.sort === undefined ? 'To the newest' : 'To the first'}
          </Button>
          <Button
            disabled={page.data.nextCursor === null || page.isPlaceholderData}
            onClick={() => {
              show({ ...lasting, cursor: page.data.nextCursor ?? '' })
              globalThis.scrollTo({ top: 0 })
            }}
          >
            {filters.sort === undefined ? 'Older' : 'More'}
          </Button>
          <span className="text-muted">{spanOf(page.data)}</span>
        </nav>
      )}
    </>
  )
}

const totalOf = ({ total, totalIsExact }: SignalPage): string => `${number(total)}${totalIsExact ? '' : '+'}`

const countOf = (page: SignalPage): string =>
  page.total === 1 && page.totalIsExact ? '1 signal' : `${totalOf(page)} signals`

const spanOf = (page: SignalPage): string =>
  page.signals.length === 0
    ? ''
    : `${number(page.offset + 1)} to ${number(page.offset + page.signals.length)} of ${totalOf(page)}`

const Empty = ({ isFiltered, showAll }: { isFiltered: boolean; showAll: () => void }) => (
  <div className="grid justify-items-start gap-3 rounded-card border border-line bg-surface p-6">
    <h2 className="text-lg font-bold">{isFiltered ? 'No matching signals' : 'No signal yet'}</h2>
    <p className="text-muted">
      {isFiltered
        ? 'Matching signals appear here as soon as they arrive.'
        : 'A signal is what a script or an alert sends. It appears here as soon as it arrives; you can also write one.'}
    </p>
    {isFiltered ? (
      <Button onClick={showAll}>Show all signals</Button>
    ) : (
      <Link to="/signals/new" search={{}} className={buttonClass('primary')}>
        Write the first one
      </Link>
    )}
  </div>
)

const Loading = () => (
  <div aria-hidden="true" className="grid gap-px overflow-clip rounded-card border border-line bg-line">
    {Array.from({ length: 10 }, (_, row) => (
      <div key={row} className="flex h-14 items-center justify-between gap-4 bg-surface px-4">
        <span className="waiting-shape h-4 w-2/5" />
        <span className="waiting-shape h-4 w-1/5" />
      </div>
    ))}
  </div>
)
