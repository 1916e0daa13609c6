import type { ListedPosition } from '../records/at-prices.ts'
import { partsOf, sortedBy } from '../parts/sorting.ts'
import type { SORTS } from './search.ts'
import { gainToday } from './today.ts'

export const USUAL_SORT = 'symbol.asc'

type Sort = keyof typeof SORTS | typeof USUAL_SORT

const VALUES: Record<string, (position: ListedPosition) => number | string | null> = {
  symbol: ({ symbol }) => symbol,
  // A large short position ranks as high as a large long one.
  value: ({ marketValue }) => Math.abs(marketValue),
  today: (position) => gainToday(position)?.amount ?? null,
  unrealised: ({ unrealisedPnl }) => unrealisedPnl,
}

/** Milliseconds for which rows keep their places, so that a press meets the intended row. */
const PLACES_KEPT_MS = 10_000

/** Order of positions, and the time since which it holds. */
export interface Standing {
  sort: Sort
  ids: readonly string[]
  at: number
}

/** The earlier order remains while it is recent, and sort and positions are the same. */
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
