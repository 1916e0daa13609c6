import { useState, type ReactNode } from 'react'
import { sortedBy, type Direction, type Sorting } from './sorting.ts'

/**
 * Where a cell stands on the phone: the four corners of its card, below them with its name before it, or nowhere: what
 * a desk alone has room for.
 */
type Place = 'first' | 'lead' | 'second' | 'tail' | 'below' | 'desk'

export interface Column<Row> {
  name: string
  of: (row: Row) => ReactNode
  /** Figures stand on the right. */
  isFigure?: boolean
  place?: Place
  /** What is as it always is: the phone leaves it out. */
  isDefault?: (row: Row) => boolean
  /** A text of one line: a time stays whole, a long name ends in an ellipsis. */
  line?: 'whole' | 'ellipsis'
  /** The cell holds a control: its name is for those alone who listen to the page. */
  isControl?: boolean
  /** By which value rows are sorted when its head is pressed: only where all rows of a list are there. */
  sortValue?: (row: Row) => number | string | null
  /** The name by which the address sorts the list, see `sorting`. */
  sortName?: string
}

const PLACES = {
  first:
    'max-desk:order-1 max-desk:min-w-0 max-desk:flex-[1_1_55%] max-desk:font-medium desk:whitespace-nowrap',
  lead: 'max-desk:order-2 max-desk:ml-auto max-desk:text-right',
  second: 'max-desk:order-3 max-desk:min-w-0 max-desk:flex-[1_1_51%] max-desk:text-sm max-desk:text-muted',
  tail: 'max-desk:order-4 max-desk:ml-auto max-desk:text-right max-desk:text-sm',
  below: 'max-desk:order-5 max-desk:text-sm max-desk:text-muted max-desk:empty:hidden',
  desk: 'max-desk:hidden',
} as const satisfies Record<Place, string>

const LINES = {
  whole: 'whitespace-nowrap',
  ellipsis: 'max-w-full truncate desk:max-w-56',
  // No word is broken inside as long as it fits into the line.
  several: 'wrap-break-word desk:min-w-24',
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
 * Records in rows; on the phone each is a card. It is made of roles, because the elements of a table lose theirs in
 * some browsers where they are laid out as anything else.
 */
export function Table<Row>({ label, columns, rows: given, keyOf, empty, sorting }: Props<Row>) {
  const [own, setOwn] = useState<{ by: string; direction: Direction }>()
  const { by, direction } = sorting ?? own ?? {}
  const valueOf = sorting === undefined ? columns.find(({ name }) => name === by)?.sortValue : undefined
  const rows = valueOf && direction ? sortedBy(given, valueOf, direction) : given
  if (rows.length === 0 && empty !== undefined) return empty
  return (
    <div className="desk:overflow-x-auto">
      <div role="table" aria-label={label} className="desk:table desk:w-full desk:border-collapse">
        <div role="rowgroup" className="max-desk:sr-only desk:table-header-group">
          <div role="row" className="desk:table-row">
            {columns.map(({ name, isFigure, isControl, sortValue, sortName }) => {
              const key = sorting ? sortName : sortValue && name
              const isBy = key !== undefined && key === by
              return (
                <div
                  key={name}
                  role="columnheader"
                  {...(isBy && {
                    'aria-sort': direction === 'asc' ? ('ascending' as const) : ('descending' as const),
                  })}
                  className={`border-b border-line px-3 py-2 text-xs desk:table-cell font-medium text-muted first:pl-4 last:pr-4 ${isControl === true ? 'max-desk:ml-auto' : ''} ${isFigure === true ? 'text-right' : 'text-left'}`}
                >
                  {key === undefined ? (
                    <span className={isControl === true ? 'sr-only' : ''}>{name}</span>
                  ) : (
                    <>
                      <span className="desk:hidden">{name}</span>
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
        <div role="rowgroup" className="desk:table-row-group">
          {rows.map((row) => (
            <div
              key={keyOf(row)}
              role="row"
              className="group border-line hover:bg-sunken desk:table-row max-desk:flex max-desk:flex-wrap max-desk:items-center max-desk:gap-x-3 max-desk:gap-y-1 max-desk:not-last:border-b max-desk:px-4 max-desk:py-3"
            >
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
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
    className="inline-flex min-h-6 items-center gap-1 hover:text-text max-desk:hidden"
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
      className={`border-line desk:table-cell desk:px-3 desk:py-2 desk:align-middle desk:group-not-last:border-b desk:first:pl-4 desk:last:pr-4 ${PLACES[place]} ${isControl === true ? 'max-desk:ml-auto' : ''} ${isFigure === true ? 'desk:text-right desk:whitespace-nowrap' : LINES[line]}`}
    >
      {place === 'below' && isControl !== true && <span className="desk:hidden">{name} </span>}
      {of(row)}
    </div>
  )
}
