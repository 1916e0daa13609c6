import assert from 'node:assert/strict'
import { beginningWith, fitsSymbol, typedOf } from '#web/parts/symbols.ts'
import { SORTS, type PositionsSearch } from '#web/position/search.ts'
import { standingOf } from '#web/position/sort.ts'
import type { ListedPosition } from '#web/records/at-prices.ts'

const position = (symbol: string, price: number, dayReference: number | null = 10): ListedPosition => ({
  id: symbol,
  accountId: 'a',
  symbol,
  side: 'LONG',
  quantity: 2,
  avgCost: 10,
  currentPrice: price,
  marketValue: 2 * price,
  unrealisedPnl: 2 * (price - 10),
  unrealisedPnlPercent: 10 * (price - 10),
  dayChange: null,
  dayChangePercent: null,
  dayReference,
  lastUpdated: '2026-03-02T15:00:00Z',
})

describe('the sorting of lists', () => {
  const held = [position('ZTA', 12), position('ZTB', 30, null), position('ZTC', 9)]

  it('positions are sorted by each figure in both directions, and those without one come last', () => {
    const sorted = (sort: NonNullable<PositionsSearch['sort']>) =>
      standingOf(undefined, held, sort, 0)
        .ids.map((id) => id.at(-1))
        .join('')
    assert.deepEqual(
      (Object.keys(SORTS) as (keyof typeof SORTS)[]).map((sort) => `${sort} ${sorted(sort)}`),
      [
        'symbol.desc CBA',
        'value.desc BAC',
        'value.asc CAB',
        'today.desc ACB',
        'today.asc CAB',
        'unrealised.desc BAC',
        'unrealised.asc CAB',
      ],
    )
  })

  it('positions keep their places for ten seconds while prices move, but not where one comes or another sorting is chosen', () => {
    const before = standingOf(undefined, held, 'value.desc', 1_000)
    const moved = [position('ZTA', 40), ...held.slice(1)]
    assert.equal(standingOf(before, moved, 'value.desc', 10_999), before)
    assert.deepEqual(standingOf(before, moved, 'value.desc', 11_000).ids, ['ZTA', 'ZTB', 'ZTC'])
    assert.deepEqual(standingOf(before, moved, 'value.asc', 1_001).ids, ['ZTC', 'ZTB', 'ZTA'])
    assert.deepEqual(standingOf(before, moved.slice(1), 'value.desc', 1_001).ids, ['ZTB', 'ZTC'])
  })
})

describe('the symbol filter of lists', () => {
  it('the symbol filter takes what is typed for a beginning, and one symbol of a link for that one', () => {
    assert.deepEqual(['nv', ' NV* ', '', ' '].map(beginningWith), ['NV*', 'NV*', '', ''])
    assert.deepEqual(['NV*', 'NVDA', undefined].map(typedOf), ['NV', 'NVDA', ''])
    const fitting = (filter: string | undefined) =>
      ['F', 'FSLR', 'AAPL'].filter((symbol) => fitsSymbol(filter, symbol))
    assert.deepEqual([fitting('F'), fitting('F*'), fitting(undefined).length], [['F'], ['F', 'FSLR'], 3])
  })
})
