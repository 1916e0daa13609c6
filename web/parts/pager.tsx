import { ChevronLeft, ChevronRight } from 'lucide-react'
import { number } from '../words/figures.ts'
import { Button } from './button.tsx'

/** Rows on one page of a list. */
export const PAGE_ROWS = 50

interface Props {
  /** From 1. */
  page: number
  total: number
  totalIsExact: boolean
  hasMore: boolean
  /** Which rows come first. */
  first?: 'newest' | 'oldest'
  turnTo: (page: number) => void
}

/** Which rows are shown of how many, and the way to the others. */
export function Pager({ page, total, totalIsExact, hasMore, first = 'newest', turnTo }: Props) {
  const [back, on] = first === 'newest' ? ['Newer', 'Older'] : ['Older', 'Newer']
  const from = (page - 1) * PAGE_ROWS + 1
  const last = Math.min(page * PAGE_ROWS, total)
  // While a page is read the rows of the one before it stand.
  const isLast = !hasMore || (totalIsExact && last === total)
  return (
    <nav
      aria-label="Pages of the list"
      className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-2"
    >
      <p className="text-xs text-muted">
        {from > last ? 'no more' : `${number(from)}–${number(last)}`} of {number(total)}
        {totalIsExact ? '' : ' or more'}, the {first} first
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
