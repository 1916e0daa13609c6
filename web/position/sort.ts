import type { ListedPosition } from '../records/at-prices.ts'
import { partsOf, sortedBy } from '../parts/sorting.ts'
import type { SORTS } from './search.ts'
import { gainToday } from './today.ts'

/** How the service sorts them. */
export const USUAL_SORT = 'symbol.asc'

type Sort = keyof typeof SORTS | typeof USUAL_SORT

const VALUES: Record<string, (position: ListedPosition) => number | string | null> = {
  symbol: ({ symbol }) => symbol,
  // A large short position is as much as a large long one.
  value: ({ marketValue }) => Math.abs(marketValue),
  today: (position) => gainToday(position)?.amount ?? null,
  unrealised: ({ unrealisedPnl }) => unrealisedPnl,
}

/** Milliseconds for which rows keep their places while prices move, so that a press meets the row that it was meant for. */
const PLACES_KEPT_MS = 10_000

/** In which order positions stand, and since when. */
export interface Standing {
  sort: Sort
  ids: readonly string[]
  at: number
}

/** The order of positions at this moment: that of before while it is still asked for, of the same positions and young. */
export function standingOf(
  before: Standing | undefined,
  positions: readonly ListedPosition[],
  sort: Sort,
  now: number,
): Standing {
  const isSame =
    before?.sort === sort &&
    before.ids.length === positions.length &&
    positions.every(({ id }) => before.ids.includes(id))
  if (isSame && now - before.at < PLACES_KEPT_MS) return before
  const { by, direction } = partsOf(sort)
  return { sort, ids: sortedBy(positions, VALUES[by]!, direction).map(({ id }) => id), at: now }
}
