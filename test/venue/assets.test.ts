import assert from 'node:assert/strict'
import fc from 'fast-check'
import { findAsset, listedAssets } from '#venue/assets.ts'

describe('the assets of the venue', () => {
  it('the assets of the venue are shares and ETFs that people know, with name, exchange and price', () => {
    const described = ['AAPL', 'BRK.B', 'BF.B', 'BAC.PRL', 'GME', 'TSM', 'QQQ', 'TLT', 'SPY'].map(
      (symbol) => {
        const { name, exchange } = findAsset(symbol)!
        return `${symbol} ${exchange} ${name}`
      },
    )
    assert.deepEqual(described.slice(0, 3), [
      'AAPL NASDAQ Apple Inc. Common Stock',
      'BRK.B NYSE Berkshire Hathaway Inc. Class B',
      'BF.B NYSE Brown-Forman',
    ])
    assert.ok(listedAssets().length > 800)
    for (const { symbol } of listedAssets()) assert.match(symbol, /^[A-Z]{1,10}(\.[A-Z]{1,3})?$/)
  })

  const UNKNOWN =
    'APPL GOOGLE TESLA TWTR FB XXNONE AAAA BTCUSD BTC/USD ETHUSDT EURUSD DOGEUSDT.P BTC BRK-B BRK/B BRKB AAPL.US NASDAQ:AAPL ' +
    'aapl constructor __proto__ ZT1 ZT.B ZT-A ZA Z'
  it('the assets of the venue have none under names that are written otherwise, or of other kinds', () =>
    assert.deepEqual(
      UNKNOWN.split(' ').filter((symbol) => findAsset(symbol) !== null),
      [],
    ))

  it('the assets of the venue have every name of letters that begins with ZT or ZQ, for test suites', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^Z[TQ][A-Z]{0,18}$/), (symbol) => {
        const { symbol: listed, isTradable, isFractionable, isShortable } = findAsset(symbol)!
        assert.deepEqual([listed, isTradable, isFractionable, isShortable], [symbol, true, true, true])
      }),
    )
    assert.equal(findAsset('ZTS')?.name, 'Zoetis')
  })
})
