import assert from 'node:assert/strict'
import { exceededBounds, TOKEN_BOUNDS, type BoundedAct, type TokenBounds } from '#domain/risk/token-bounds.ts'

type Opening = NonNullable<BoundedAct['opening']>

const opening = (changes: Partial<Opening> = {}): { opening: Opening } => ({
  opening: { symbol: 'AAPL', awaitsApproval: false, value: '1000', ...changes },
})
const exceeded = (bounds: TokenBounds, act: BoundedAct) =>
  exceededBounds(bounds, act).map(({ bound }) => bound)

describe('the bounds of a token', () => {
  const ALL: TokenBounds = {
    pendingOnly: true,
    accountIds: ['a'],
    symbols: ['MSFT'],
    maxOrderValue: '999.99',
    ownSignalsOnly: true,
    demoOnly: true,
  }

  it('the bounds of a token are all named that an act exceeds, in words that say what would fit', () => {
    const act = { accountId: 'b', isOwn: false, ...opening({ isDemo: false }) }
    assert.deepEqual(exceeded(ALL, act), TOKEN_BOUNDS)
    const words = exceededBounds(ALL, act).map(({ message }) => message)
    for (const [index, figure] of [
      /pending/,
      /: a$/,
      /: MSFT$/,
      /\$999\.99$|999\.99/,
      /itself/,
      /demo/,
    ].entries())
      assert.match(words[index]!, figure)
  })

  it('the bounds of a token are exceeded by nothing when there are none', () => {
    assert.deepEqual(exceeded({}, { accountId: 'b', isOwn: false, ...opening({ value: '1e9' }) }), [])
  })

  it('let an act pass that touches none of them', () => assert.deepEqual(exceeded(ALL, {}), []))

  it('let an order pass that is worth just as much, and one whose value is not known yet', () => {
    assert.deepEqual(exceeded({ maxOrderValue: '1000' }, opening()), [])
    assert.deepEqual(exceeded({ maxOrderValue: '1000' }, opening({ value: '1000.000000001' })), [
      'maxOrderValue',
    ])
    assert.deepEqual(exceeded({ maxOrderValue: '1' }, opening({ value: null })), [])
  })

  it('let a position be opened on a demo account, and on one whose kind is not known yet', () => {
    assert.deepEqual(exceeded({ demoOnly: true }, opening({ isDemo: true })), [])
    assert.deepEqual(exceeded({ demoOnly: true }, opening()), [])
    assert.deepEqual(exceeded({ demoOnly: true }, opening({ isDemo: false })), ['demoOnly'])
  })

  it('let a signal pass that a person approves, and nothing else that opens', () => {
    assert.deepEqual(exceeded({ pendingOnly: true }, opening({ awaitsApproval: true })), [])
    assert.deepEqual(exceeded({ pendingOnly: true }, opening()), ['pendingOnly'])
  })
})
