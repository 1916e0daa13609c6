import assert from 'node:assert/strict'
import { findable, matching } from '#api/assets/listings.ts'
import { pluck } from '#test/support/pluck.ts'

describe('the search for assets', () => {
  const NAMES: Record<string, string> = {
    ALL: 'Allstate Corporation',
    AAPL: 'Apple Inc. Common Stock',
    APLE: 'Apple Hospitality REIT, Inc.',
    APP: 'AppLovin Corporation',
    'BRK.B': 'Berkshire Hathaway Inc. Class B',
    DOLE: 'Pineapple of Dole plc',
    KO: 'Coca-Cola Company (The)',
    T: 'AT&T Inc.',
    ZTA: '',
  }
  const assets = findable(Object.entries(NAMES).map(([symbol, name]) => ({ symbol, name, exchange: 'NYSE' })))
  const found = (text: string, limit = 20) => pluck(matching(assets, text, limit), 'symbol')

  it('finds by the symbol first, then by the beginning of it, of the name, of its words, and by any part', () => {
    assert.deepEqual(found('app'), ['APP', 'AAPL', 'APLE', 'DOLE'])
    assert.deepEqual(found('apple'), ['AAPL', 'APLE', 'DOLE'])
    assert.deepEqual(found('a').slice(0, 5), ['AAPL', 'ALL', 'APLE', 'APP', 'T'])
    assert.deepEqual(found('hospitality'), ['APLE'])
    assert.deepEqual(found('PL'), ['DOLE', 'AAPL', 'APLE', 'APP'])
  })

  it('finds by the beginnings of words in any order and case, whatever signs stand between them', () => {
    for (const text of ['berk hath', 'HATHAWAY berkshire', 'Berkshire  Hathaway, Inc']) {
      assert.deepEqual(found(text), ['BRK.B'], text)
    }
    assert.deepEqual(found('coca cola'), ['KO'])
    assert.deepEqual(found('at&t'), ['T'])
    assert.deepEqual(found('the coca-cola'), ['KO'])
  })

  it('finds a symbol in the spellings of others, and one without a name', () => {
    for (const text of ['brk.b', 'BRK/B', 'brk-b', 'NYSE:BRK.B'])
      assert.deepEqual(found(text), ['BRK.B'], text)
    assert.deepEqual(found('zta'), ['ZTA'])
  })

  it('finds as many as are wanted, and nothing by nothing, or by signs alone', () => {
    assert.deepEqual(found('a', 2), ['AAPL', 'ALL'])
    for (const text of ['', '&', 'no such company']) assert.deepEqual(found(text), [], text)
  })
})
