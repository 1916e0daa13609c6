import { useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { sortedBy, type Direction, type Sorting } from './sorting.ts'

/**
 * Place of a cell in a phone's card: the ends of its two lines, beside both, below them with its name, or none (desk
 * only).
 */
type Place = 'first' | 'lead' | 'second' | 'tail' | 'beside' | 'below' | 'desk'

export interface Column<Row> {
  name: string
  of: (row: Row) => ReactNode
  isFigure?: boolean
  place?: Place
  /** The usual value, which the phone omits. */
  isDefault?: (row: Row) => boolean
  /**
   * One line: a time stays whole, a long name ends in an ellipsis, and a phone shortens a text that a press shows
   * whole.
   */
  line?: 'whole' | 'ellipsis' | 'onPhone'
  /** Holds a control: its column name is only for screen readers. */
  isControl?: boolean
  /** Value for sorting by a press on the head; only for a list with all rows. */
  sortValue?: (row: Row) => number | string | null
  /** Name in the address, see `sorting`. */
  sortName?: string
}

/** Order of a card's cells in two flex lines, which break between `lead` and `second`. */
const PLACES = {
  first: 'order-1 min-w-0 flex-[1_1_30%] font-medium max-[359px]:basis-auto',
  lead: 'order-2 ml-auto text-right',
  second: 'order-3 min-w-0 flex-[1_1_51%] text-sm text-muted',
  tail: 'order-4 ml-auto text-right text-sm',
  beside: 'absolute inset-y-0 right-2 grid place-items-center',
  below: 'order-5 text-sm text-muted empty:hidden',
  desk: 'hidden',
} as const satisfies Record<Place, string>

const LINES = {
  whole: 'whitespace-nowrap',
  ellipsis: 'max-w-full truncate rows:max-w-56',
  onPhone: 'one-line wrap-break-word rows:min-w-24',
  // A word breaks only if it does not fit the line.
  several: 'wrap-break-word rows:min-w-24',
} as const

interface Props<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  empty?: ReactNode
  /** For rows that arrive sorted by the address. */
  sorting?: Sorting
}

/**
 * Records in rows, or in cards where the columns do not fit. It uses ARIA roles, because table elements lose theirs in
 * some browsers under another layout.
 */
export function Table<Row>({ label, columns, rows: given, keyOf, empty, sorting }: Props<Row>) {
  const [own, setOwn] = useState<{ by: string; direction: Direction }>()
  const { by, direction } = sorting ?? own ?? {}
  const valueOf = sorting === undefined ? columns.find(({ name }) => name === by)?.sortValue : undefined
  const rows = valueOf && direction ? sortedBy(given, valueOf, direction) : given
  const [place, layout] = useFit()
  if (rows.length === 0 && empty !== undefined) return empty
  const isCards = layout === 'cards'
  const shown = layout === 'all' ? columns : columns.filter((column) => column.place !== 'desk')
  const hasBeside = columns.some((column) => column.place === 'beside')
  return (
    <div
      ref={place}
      {...(isCards ? { 'data-cards': '' } : { 'data-rows': layout, className: 'overflow-x-auto' })}
    >
      <div role="table" aria-label={label} className={isCards ? '' : 'table w-full border-collapse'}>
        <div role="rowgroup" className={isCards ? 'sr-only' : 'table-header-group'}>
          <div role="row" className={isCards ? '' : 'table-row'}>
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
                  className={`border-b border-line px-3 py-2 text-xs font-medium text-muted first:pl-4 last:pr-4 ${isCards ? '' : 'table-cell'} ${isFigure === true ? 'text-right' : 'text-left'}`}
                >
                  {key === undefined || isCards ? (
                    <span className={isControl === true ? 'sr-only' : ''}>{name}</span>
                  ) : (
                    <SortHead
                      name={name}
                      direction={isBy ? direction : undefined}
                      press={() => {
                        const next = isBy && direction === 'desc' ? 'asc' : 'desc'
                        if (sorting) sorting.choose(key, next)
                        else setOwn({ by: key, direction: next })
                      }}
                    />
                  )}
                </div>
              )
            })}
          </div>
        </div>
        <div role="rowgroup" className={isCards ? '' : 'table-row-group'}>
          {rows.map((row) => (
            <div
              key={keyOf(row)}
              role="row"
              className={`group border-line hover:bg-sunken ${isCards ? `relative flex flex-wrap items-center gap-x-2 gap-y-0.5 px-4 py-3 not-last:border-b before:order-3 before:basis-full ${hasBeside ? 'pr-15' : ''}` : 'table-row'}`}
            >
              {shown.map((column) => (
                <Cell key={column.name} {...{ column, row, isCards }} />
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

/** Layouts, the widest first: all columns, without desk-only columns, cards. */
const LAYOUTS = ['all', 'narrow', 'cards'] as const

/** A phone has cards. */
const roomiest = (): number => (innerWidth < DESK_PX ? LAYOUTS.length - 1 : 0)
const DESK_PX = 800

/** Chooses the widest layout that fits, so that no cell is cut. */
function useFit() {
  const outer = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(roomiest)
  /** Pixels that each layout needed when it did not fit. */
  const taken = useRef<number[]>([])
  const shown = useRef(at)
  const fit = useCallback(() => {
    const element = outer.current
    if (!element) return
    const { scrollWidth, clientWidth } = element
    if (scrollWidth > clientWidth) taken.current[shown.current] = scrollWidth
    const fits = LAYOUTS.findIndex(
      (_, each) => each >= roomiest() && (taken.current[each] ?? 0) <= clientWidth,
    )
    setAt(fits === -1 ? LAYOUTS.length - 1 : fits)
  }, [])
  // The content may have become wider.
  useLayoutEffect(() => {
    shown.current = at
    fit()
  })
  const place = useCallback(
    (element: HTMLDivElement) => {
      outer.current = element
      const look = new ResizeObserver(fit)
      look.observe(element)
      // Rows may keep their place wide while the window narrows to a phone.
      addEventListener('resize', fit)
      return () => {
        outer.current = null
        removeEventListener('resize', fit)
        look.disconnect()
      }
    },
    [fit],
  )
  return [place, LAYOUTS[at] ?? 'cards'] as const
}

const SortHead = ({
  name,
  direction,
  press,
}: {
  name: string
  direction: Direction | undefined
  press: () => void
}) => (
  <button type="button" onClick={press} className="inline-flex min-h-6 items-center gap-1 hover:text-text">
    {name}
    <span aria-hidden="true" className="w-2">
      {direction === undefined ? '' : direction === 'asc' ? '↑' : '↓'}
    </span>
  </button>
)

function Cell<Row>({ column, row, isCards }: { column: Column<Row>; row: Row; isCards: boolean }) {
  const { name, of, isFigure, place: chosen = 'below', isDefault, line = 'several', isControl } = column
  const place = isDefault?.(row) === true ? 'desk' : chosen
  const where = isCards
    ? `${PLACES[place]} ${isControl === true ? 'ml-auto' : ''}`
    : `table-cell px-3 py-2 align-middle group-not-last:border-b first:pl-4 last:pr-4 ${isFigure === true ? 'text-right' : ''} ${place === 'first' ? 'whitespace-nowrap' : ''}`
  const isOneLine = isFigure === true && (!isCards || place !== 'below')
  return (
    <div
      role="cell"
      className={`border-line ${where} ${isOneLine ? 'whitespace-nowrap' : isFigure === true ? '' : LINES[line]}`}
      // A tooltip shows the text that an ellipsis hides.
      ref={(cell) => {
        if (cell && (line === 'ellipsis' || line === 'onPhone')) cell.title = cell.textContent
      }}
    >
      {isCards && place === 'below' && isControl !== true && `${name} `}
      {of(row)}
    </div>
  )
}
