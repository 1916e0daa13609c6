import assert from 'node:assert/strict'
import { classFault } from '#domain/order/broker-rules.ts'

describe('the class of an asset', () => {
  const told: [symbol: string, assetClass: string, fault: RegExp | null][] = [
    ['AAPL', 'us_equity', null],
    ['NOMARGIN', 'us_equity', null],
    ['DOGEUSD', 'crypto', /trades shares.*DOGEUSD is a coin/],
    ['AAPL260116C00200000', 'us_option', /is an option/],
    ['XYZ', 'bonds', /of the class bonds/],
  ]
  for (const [symbol, assetClass, fault] of told)
    it(`${symbol}, reported as ${assetClass}, is ${fault === null ? 'a share' : 'not opened'}`, () => {
      const found = classFault(symbol, assetClass)
      if (fault === null) assert.equal(found, null)
      else assert.match(found!, fault)
    })

  for (const symbol of ['A', 'AAPL', 'GOOGL', 'BRK.B', 'BRK-B', 'BAC.PRL'])
    it(`${symbol} is spelled like a share`, () => assert.equal(classFault(symbol, null), null))
  for (const symbol of ['DOGEUSD', 'BTC/USD', 'BTC-USD', 'BTC.USD', 'BTCUSDT', 'AAPL260116C00200000', 'ES=F'])
    it(`${symbol} is not spelled like a share`, () =>
      assert.match(classFault(symbol, null)!, /trades shares/))
})
