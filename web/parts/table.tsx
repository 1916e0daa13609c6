import { useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { sortedBy, type Direction, type Sorting } from './sorting.ts'

/**
 * Where a cell stands on the phone: at the ends of the two lines of its card, a button beside both lines, below them with
 * its name before it, or nowhere: what a desk alone has room for.
 */
type Place = 'first' | 'lead' | 'second' | 'tail' | 'beside' | 'below' | 'desk'

export interface Column<Row> {
  name: string
  of: (row: Row) => ReactNode
  /** Figures stand on the right. */
  isFigure?: boolean
  place?: Place
  /** What is as it always is: the phone leaves it out. */
  isDefault?: (row: Row) => boolean
  /** A text of one line: a time stays whole, a long name ends in an ellipsis, and on a phone what a press tells in full. */
  line?: 'whole' | 'ellipsis' | 'onPhone'
  /** The cell holds a control: its name is for those alone who listen to the page. */
  isControl?: boolean
  /** By which value rows are sorted when its head is pressed: only where all rows of a list are there. */
  sortValue?: (row: Row) => number | string | null
  /** The name by which the address sorts the list, see `sorting`. */
  sortName?: string
}

const PLACES = {
  first:
    'cards:order-1 cards:min-w-0 cards:flex-[1_1_30%] cards:max-[359px]:basis-auto cards:font-medium rows:whitespace-nowrap',
  lead: 'cards:order-2 cards:ml-auto cards:text-right',
  second: 'cards:order-3 cards:min-w-0 cards:flex-[1_1_51%] cards:text-sm cards:text-muted',
  tail: 'cards:order-4 cards:ml-auto cards:text-right cards:text-sm',
  beside: 'beside',
  below: 'cards:order-5 cards:text-sm cards:text-muted cards:empty:hidden',
  desk: 'cards:hidden',
} as const satisfies Record<Place, string>

const LINES = {
  whole: 'whitespace-nowrap',
  ellipsis: 'max-w-full truncate rows:max-w-56',
  onPhone: 'one-line wrap-break-word rows:min-w-24',
  // No word is broken inside as long as it fits into the line.
  several: 'wrap-break-word rows:min-w-24',
} as const

interface Props<Row> {
  /** What the table holds, for those who listen to the page. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Stands there instead where there are no rows. */
  empty?: ReactNode
  /** Given where the rows come sorted, as the address tells it. */
  sorting?: Sorting
}

/**
 * Records in rows; on the phone, and where the columns do not fit, each is a card. It is made of roles, because the elements of a table lose theirs in
 * some browsers where they are laid out as anything else.
 */
export function Table<Row>({ label, columns, rows: given, keyOf, empty, sorting }: Props<Row>) {
  const [own, setOwn] = useState<{ by: string; direction: Direction }>()
  const { by, direction } = sorting ?? own ?? {}
  const valueOf = sorting === undefined ? columns.find(({ name }) => name === by)?.sortValue : undefined
  const rows = valueOf && direction ? sortedBy(given, valueOf, direction) : given
  const [place, layout] = useFit()
  if (rows.length === 0 && empty !== undefined) return empty
  // In cards they have their place, and are hidden by it.
  const shown = layout === 'narrow' ? columns.filter((column) => column.place !== 'desk') : columns
  return (
    <div ref={place} data-layout={layout} className="rows:overflow-x-auto">
      <div role="table" aria-label={label} className="rows:table rows:w-full rows:border-collapse">
        <div role="rowgroup" className="cards:sr-only rows:table-header-group">
          <div role="row" className="rows:table-row">
            {shown.map(({ name, isFigure, isControl, sortValue, sortName }) => {
              const key = sorting ? sortName : sortValue && name
              const isBy = key !== undefined && key === by
              return (
                <div
                  key={name}
                  role="columnheader"
                  {...(isBy && {
                    'aria-sort': direction === 'asc' ? ('ascending' as const) : ('descending' as const),
                  })}
                  className={`border-b border-line px-3 py-2 text-xs rows:table-cell font-medium text-muted first:pl-4 last:pr-4 ${isControl === true ? 'cards:ml-auto' : ''} ${isFigure === true ? 'text-right' : 'text-left'}`}
                >
                  {key === undefined ? (
                    <span className={isControl === true ? 'sr-only' : ''}>{name}</span>
                  ) : (
                    <>
                      <span className="rows:hidden">{name}</span>
                      <SortHead
                        name={name}
                        direction={isBy ? direction : undefined}
                        press={() => {
                          const next = isBy && direction === 'desc' ? 'asc' : 'desc'
                          if (sorting) sorting.choose(key, next)
                          else setOwn({ by: key, direction: next })
                        }}
                      />
                    </>
                  )}
                </div>
              )
            })}
          </div>
        </div>
        <div role="rowgroup" className="rows:table-row-group">
          {rows.map((row) => (
            <div
              key={keyOf(row)}
              role="row"
              className="group two-lines border-line hover:bg-sunken rows:table-row cards:not-last:border-b"
            >
              {shown.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

/** How a table is laid out, the roomiest way first: with all columns, without those that a desk alone has room for, in cards. */
const LAYOUTS = ['all', 'narrow', 'cards'] as const

/** Takes the roomiest layout in which nothing is wider than the place of the table: no cell is cut, whatever stands in it. */
function useFit() {
  const outer = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  /** Pixels that each layout took when it did not fit. */
  const taken = useRef<number[]>([])
  const shown = useRef(at)
  const fit = useCallback(() => {
    const element = outer.current
    if (!element) return
    const { scrollWidth, clientWidth } = element
    if (scrollWidth > clientWidth) taken.current[shown.current] = scrollWidth
    const fits = LAYOUTS.findIndex((_, each) => (taken.current[each] ?? 0) <= clientWidth)
    setAt(fits === -1 ? LAYOUTS.length - 1 : fits)
  }, [])
  // What stands in it may be wider than before.
  useLayoutEffect(() => {
    shown.current = at
    fit()
  })
  const place = useCallback(
    (element: HTMLDivElement) => {
      outer.current = element
      const look = new ResizeObserver(fit)
      look.observe(element)
      return () => {
        outer.current = null
        look.disconnect()
      }
    },
    [fit],
  )
  return [place, LAYOUTS[at] ?? 'cards'] as const
}

/** The head of a column by which the list can be sorted. */
const SortHead = ({
  name,
  direction,
  press,
}: {
  name: string
  direction: Direction | undefined
  press: () => void
}) => (
  <button
    type="button"
    onClick={press}
    className="inline-flex min-h-6 items-center gap-1 hover:text-text cards:hidden"
  >
    {name}
    <span aria-hidden="true" className="w-2">
      {direction === undefined ? '' : direction === 'asc' ? '↑' : '↓'}
    </span>
  </button>
)

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { name, of, isFigure, place: chosen = 'below', isDefault, line = 'several', isControl } = column
  const place = isDefault?.(row) === true ? 'desk' : chosen
  return (
    <div
      role="cell"
      className={`border-line rows:table-cell rows:px-3 rows:py-2 rows:align-middle rows:group-not-last:border-b rows:first:pl-4 rows:last:pr-4 ${PLACES[place]} ${isControl === true ? 'cards:ml-auto' : ''} ${isFigure === true ? `${place === 'below' ? '' : 'whitespace-nowrap'} rows:text-right rows:whitespace-nowrap` : LINES[line]}`}
      // What an ellipsis hides is told to who points at it.
      ref={(cell) => {
        if (cell && (line === 'ellipsis' || line === 'onPhone')) cell.title = cell.textContent
      }}
    >
      {place === 'below' && isControl !== true && <span className="rows:hidden">{name} </span>}
      {of(row)}
    </div>
  )
}
