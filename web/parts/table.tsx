import type { ReactNode } from 'react'

/** Where a cell stands on the phone: the four corners of its card, or below them with its name before it. */
type Place = 'first' | 'lead' | 'second' | 'tail' | 'below'

export interface Column<Row> {
  name: string
  of: (row: Row) => ReactNode
  /** Figures stand on the right. */
  isFigure?: boolean
  place?: Place
  /** The cell holds a control: its name is for those alone who listen to the page. */
  isControl?: boolean
}

const PLACES = {
  first: 'max-desk:order-1 max-desk:font-medium',
  lead: 'max-desk:order-2 max-desk:text-right',
  second: 'max-desk:order-3 max-desk:text-sm max-desk:text-muted',
  tail: 'max-desk:order-4 max-desk:text-right max-desk:text-sm',
  below: 'max-desk:order-5 max-desk:text-sm max-desk:text-muted max-desk:empty:hidden',
} as const satisfies Record<Place, string>

interface Props<Row> {
  /** What the table holds, for those who listen to the page. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/**
 * Records in rows; on the phone each is a card. The roles are written out because a table that is laid out otherwise
 * loses them in some browsers.
 */
export function Table<Row>({ label, columns, rows, keyOf }: Props<Row>) {
  return (
    <div className="desk:overflow-x-auto" {...focusable}>
      <table role="table" aria-label={label} className="w-full border-collapse max-desk:block">
        <thead role="rowgroup" className="max-desk:sr-only">
          <tr role="row">
            {columns.map(({ name, isFigure, isControl }) => (
              <th
                key={name}
                role="columnheader"
                scope="col"
                className={`border-b border-line px-3 py-2 text-xs font-medium text-muted first:pl-4 last:pr-4 ${isFigure === true ? 'text-right' : 'text-left'}`}
              >
                <span className={isControl === true ? 'sr-only' : ''}>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-desk:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              role="row"
              className="border-line not-last:border-b hover:bg-sunken max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:gap-y-1 max-desk:px-4 max-desk:py-3"
            >
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A part that scrolls sideways can be reached by keyboard too. */
const focusable = { tabIndex: -1 } as const

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { name, of, isFigure, place = 'below', isControl } = column
  return (
    <td
      role="cell"
      className={`px-3 py-2 max-desk:p-0 desk:first:pl-4 desk:last:pr-4 ${PLACES[place]} ${isFigure === true ? 'desk:text-right desk:whitespace-nowrap' : 'wrap-anywhere'}`}
    >
      {place === 'below' && isControl !== true && <span className="desk:hidden">{name} </span>}
      {of(row)}
    </td>
  )
}
