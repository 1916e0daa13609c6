import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { number } from '../words/figures.ts'
import { Button } from './button.tsx'
import { Loaded, type Reading } from './loaded.tsx'

export const PAGE_ROWS = 50

interface PagerProps {
  /** From 1. */
  page: number
  total: number
  totalIsExact: boolean
  hasMore: boolean
  first?: 'newest' | 'oldest' | 'sorted'
  turnTo: (page: number) => void
}

function Pager({ page, total, totalIsExact, hasMore, first = 'newest', turnTo }: PagerProps) {
  const [back, on] =
    first === 'newest' ? ['Newer', 'Older'] : first === 'oldest' ? ['Older', 'Newer'] : ['Before', 'Next']
  const from = (page - 1) * PAGE_ROWS + 1
  const last = Math.min(page * PAGE_ROWS, total)
  // Rows of the previous page remain while a page is read.
  const isLast = !hasMore || (totalIsExact && last === total)
  return (
    <nav
      aria-label="Pages of the list"
      className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-2"
    >
      <p className="text-xs text-muted">
        {from > last
          ? `No rows on this page; ${number(total)} in all`
          : `${number(from)}–${number(last)} of ${number(total)}${totalIsExact ? '' : ' or more'}`}
        {first === 'sorted' || from > last ? '' : `, the ${first} first`}
      </p>
      {(page > 1 || hasMore) && (
        <span className="flex gap-2">
          <Button disabled={page === 1} onClick={() => turnTo(page - 1)}>
            <ChevronLeft aria-hidden="true" className="size-4" /> {back}
          </Button>
          <Button disabled={isLast} onClick={() => turnTo(page + 1)}>
            {on} <ChevronRight aria-hidden="true" className="size-4" />
          </Button>
        </span>
      )}
    </nav>
  )
}

interface PageOfList {
  total: number
  totalIsExact: boolean
  nextCursor: string | null
}

interface Props<Page, Row> extends Pick<PagerProps, 'page' | 'first' | 'turnTo'> {
  query: Reading<Page>
  name: string
  lines?: number
  rowsOf: (page: Page) => readonly Row[]
  children: (rows: readonly Row[]) => ReactNode
}

export const Paged = <Page extends PageOfList, Row>({
  query,
  name,
  lines = 8,
  rowsOf,
  children,
  ...place
}: Props<Page, Row>) => (
  <Loaded query={query} name={name} rows={lines}>
    {(data) => {
      const rows = rowsOf(data)
      const { total, totalIsExact, nextCursor } = data
      return (
        <>
          {children(rows)}
          {total > 0 && (
            <Pager
              {...place}
              {...{ total, totalIsExact }}
              hasMore={nextCursor !== null && rows.length === PAGE_ROWS}
            />
          )}
        </>
      )
    }}
  </Loaded>
)
