import assert from 'node:assert/strict'
import type { HookKind } from '#domain/hook/settings.ts'
import { faultsOf, inShort, readFor } from './support.ts'

const SHORTS = { mayShort: true }

describe('a line of words', () => {
  for (const [kind, line, expected] of [
    ['signalstack', 'close all', ['flatten']],
    ['signalstack', 'Exit All', ['flatten']],
    ['trade-relay', 'cancel all', ['cancel all']],
    ['signalstack', 'close NYSE:ALL', ['close all ALL']],
    ['tradingview', 'close NYSE:ALL', ['close all ALL']],
    ['signalstack', 'BUY 5 NOW', ['buy 5 NOW: flat open, opposite reverse, same nothing']],
  ] as const)
    it(`the line "${line}" (${kind}) is read as it is meant`, () => {
      assert.deepEqual(inShort(kind, line), expected)
    })

  for (const kind of ['signalstack', 'trade-relay', 'tradingview'] as const)
    it(`a line of words whose share would be a word of people (${kind}) is refused`, () => {
      for (const line of [
        'sell all',
        'sell 10 all',
        'close ALL',
        'CLOSE ALL',
        'exit everything',
        'close long',
        'close short',
        'close position',
        'exit positions',
        'sell it',
        'sell now',
        'close out',
        'sell half',
        'close 50 long',
        'sell market',
        'close all positions',
        'sell all F',
      ])
        assert.deepEqual(faultsOf(kind, line, SHORTS), ['unknown_words message'], line)
    })

  it('a line of words that may mean everything names the word for it, and the share', () => {
    const told = (kind: HookKind) => JSON.stringify(readFor(kind, 'close ALL'))
    assert.match(told('signalstack'), /NYSE:ALL, or FLATTEN/)
    assert.doesNotMatch(told('tradingview'), /FLATTEN/)
    assert.deepEqual(faultsOf('tradingview', 'close all'), ['unknown_words message'])
    assert.deepEqual(faultsOf('signalstack', 'cancel orders'), ['unknown_words message'])
  })
})
