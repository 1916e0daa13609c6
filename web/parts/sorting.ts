export type Direction = 'asc' | 'desc'

export interface Sorting {
  by: string
  direction: Direction
  choose: (by: string, direction: Direction) => void
}

/** "symbol.asc" of an address. */
type SortName = `${string}.${Direction}`

export const partsOf = (name: SortName): { by: string; direction: Direction } => {
  const at = name.lastIndexOf('.')
  return { by: name.slice(0, at), direction: name.slice(at + 1) as Direction }
}

/**
 * Sorting from the address; a change shows the first page.
 *
 * @param names sort orders of the address
 * @param usual default, which the address omits
 */
export function sortingBy<Name extends SortName, Search extends { sort?: Name; page?: number }>(
  search: Search,
  names: Readonly<Record<Name, string>>,
  usual: SortName,
  change: (search: Search) => void,
): Sorting {
  return {
    ...partsOf(search.sort ?? usual),
    choose: (by, direction) => {
      const { sort: _before, page: _page, ...rest } = search
      const name = `${by}.${direction}`
      change((name in names ? { ...rest, sort: name } : rest) as unknown as Search)
    },
  }
}

/** Sorted rows; rows without a value come last. */
export function sortedBy<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => number | string | null,
  direction: Direction,
): Row[] {
  const sign = direction === 'asc' ? 1 : -1
  return rows.toSorted((a, b) => {
    const [first, second] = [valueOf(a), valueOf(b)]
    if (first === null || second === null) return Number(first === null) - Number(second === null)
    return first < second ? -sign : first > second ? sign : 0
  })
}
