import { oneOf } from '../parts/search.ts'

/** Sorts of positions within each account; by symbol if absent. */
export const SORTS = {
  'symbol.desc': 'symbol Z to A',
  'value.desc': 'highest value',
  'value.asc': 'lowest value',
  'today.desc': 'best today',
  'today.asc': 'worst today',
  'unrealised.desc': 'best unrealised',
  'unrealised.asc': 'worst unrealised',
} as const

export interface PositionsSearch {
  /** A name of {@link SORTS}. */
  sort?: keyof typeof SORTS
}

export const positionsSearch = (raw: Record<string, unknown>): PositionsSearch =>
  oneOf(raw, 'sort', Object.keys(SORTS) as (keyof typeof SORTS)[])
