import assert from 'node:assert/strict'
import type { HookSettings } from '#domain/hook/settings.ts'
import { bodyOf, faultsOf, inShort, toldOf, understood } from './support.ts'

/** The placeholders of TradingView's help on alerts of strategies, filled in with values of our own. */
const TIMES = { time: '2026-03-02T14:30:00Z', timenow: '2026-03-02T14:31:07Z' }
const SHORTS = { mayShort: true }

/** An order of a strategy, by sizes below zero for a short position. */
const order = (before: number, now: number) => ({
  ticker: 'F',
  action: now > before ? 'buy' : 'sell',
  contracts: String(Math.abs(now - before)),
  market_position: sideOf(now),
  market_position_size: String(Math.abs(now)),
  prev_market_position: sideOf(before),
  prev_market_position_size: String(Math.abs(before)),
  ...TIMES,
})
const sideOf = (position: number): string => (position > 0 ? 'long' : position < 0 ? 'short' : 'flat')

const without = (message: Record<string, unknown>, ...names: string[]) =>
  Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)))

describe('an alert of a TradingView strategy', () => {
  for (const [before, now, holds] of [
    [0, 10, { side: 'FLAT' }],
    [0, -10, { side: 'FLAT' }],
    [10, 0, { side: 'LONG', shares: '10' }],
    [-10, 0, { side: 'SHORT', shares: '10' }],
    [10, -5, { side: 'LONG', shares: '10' }],
    [-10, 5, { side: 'SHORT', shares: '10' }],
    [10, 15, { side: 'LONG', shares: '10' }],
    [-10, -4, { side: 'SHORT', shares: '10' }],
  ] as const)
    it(`an alert with sizes, ${before} to ${now}, is the position that it holds now, of its moment`, () => {
      const { instructions, advisories } = understood('tradingview', order(before, now), SHORTS)
      const [trade] = instructions
      assert.ok(trade?.kind === 'trade')
      assert.deepEqual(
        [trade.body['targetPosition'], trade.body['targetAt'], trade.move, trade.senderHolds, advisories],
        [String(now), '2026-03-02T14:31:07.000Z', null, holds, []],
      )
    })

  for (const [before, now, expected] of [
    [0, 10, 'buy 10 F: flat open, opposite reverse, same nothing'],
    [0, -10, 'sell 10 F: flat open, opposite reverse, same nothing'],
    [10, 0, 'target 0 F'],
    [-10, 0, 'target 0 F'],
    [10, -5, 'sell 5 F: flat open, opposite reverse, same nothing'],
    [-10, 5, 'buy 5 F: flat open, opposite reverse, same nothing'],
    [10, 15, 'buy 5 F: flat open, opposite reverse, same add'],
    [10, 4, 'close 6 F LONG'],
    [-10, -4, 'close 6 F SHORT'],
  ] as const)
    it(`an alert without the size now, ${before} to ${now}, is told by both sides and the contracts`, () => {
      assert.deepEqual(inShort('tradingview', without(order(before, now), 'market_position_size'), SHORTS), [
        expected,
      ])
    })

  for (const [what, message, choices, expected] of [
    ['a signed position', { ticker: 'F', position_size: '-3' }, SHORTS, 'target -3 F'],
    [
      'a signed position of nothing',
      { ticker: 'F', action: 'sell', 'strategy.position_size': 0 },
      {},
      'target 0 F',
    ],
    [
      'our own target',
      { symbol: 'F', action: 'openLong', targetPosition: '7', quantity: '2' },
      {},
      'target 7 F',
    ],
    ['flat alone', { ticker: 'F', market_position: 'flat', contracts: 3 }, {}, 'target 0 F'],
    [
      'buy to be long',
      { ticker: 'F', action: 'buy', market_position: 'long', qty: 5 },
      {},
      'buy 5 F: flat open, opposite reverse, same nothing',
    ],
    [
      'sell to stay long',
      { ticker: 'F', action: 'sell', market_position: 'long', qty: 5 },
      SHORTS,
      'close 5 F LONG',
    ],
    [
      'a fixed size of each turn',
      { ...order(10, -10), fixed_quantity: 4 },
      SHORTS,
      'sell 4 F: flat open, opposite reverse, same nothing',
    ],
    [
      'short by a hook that goes long alone',
      order(10, -10),
      {},
      'sell 1 F: flat refuse, opposite close, same nothing',
    ],
    [
      'buy and contracts',
      { ticker: 'F', action: 'buy', contracts: '5' },
      {},
      'buy 5 F: flat open, opposite reverse, same nothing',
    ],
    [
      'sell and contracts',
      { ticker: 'F', side: 'SELL', contracts: '5' },
      {},
      'sell 5 F: flat refuse, opposite reduce, same nothing',
    ],
    [
      'openShort of a script',
      { symbol: 'F', action: 'openShort', quantity: '5' },
      SHORTS,
      'sell 5 F: flat open, opposite reverse, same nothing',
    ],
    ['closeLong of a script', { symbol: 'F', action: 'closeLong', quantity: '5' }, {}, 'close 5 F LONG'],
    ['exit', { ticker: 'F', action: 'exit' }, {}, 'close all F'],
    ['cancel', { ticker: 'F', action: 'cancel' }, {}, 'cancel F'],
    ['plain words', 'sell F', {}, 'sell 1 F: flat refuse, opposite close, same nothing'],
    [
      'plain words with a size',
      'Buy 3 shares of NASDAQ:F',
      {},
      'buy 3 F: flat open, opposite reverse, same nothing',
    ],
  ] as const satisfies readonly [string, unknown, Partial<HookSettings>, string][])
    it(`an alert that says ${what} is one instruction`, () => {
      assert.deepEqual(inShort('tradingview', message, choices), [expected])
    })

  it('an alert in the form of the widely copied nested example is read through its objects', () => {
    // The form of hackingthemarkets' TradingView examples, values our own.
    const message = {
      passphrase: 'let me in',
      time: TIMES.timenow,
      exchange: 'NYSE',
      ticker: 'F',
      bar: { time: TIMES.time, open: 11, high: 12, low: 10, close: 11.5, volume: 9 },
      strategy: {
        position_size: '-4',
        order_action: 'sell',
        order_contracts: '14',
        order_price: '11.5',
        order_id: 'Short',
        market_position: 'short',
        market_position_size: '4',
        prev_market_position: 'long',
        prev_market_position_size: '10',
      },
    }
    assert.deepEqual(inShort('tradingview', message, SHORTS), ['target -4 F'])
    assert.deepEqual(toldOf('tradingview', message, SHORTS), ['identity_by_bar'])
  })

  it('the price of an alert is no limit, and a limit with its own name is', () => {
    const message = { ticker: 'F', action: 'buy', contracts: 1, price: '11.5' }
    assert.equal(bodyOf('tradingview', message)['limitPrice'], undefined)
    const limited = bodyOf('tradingview', { ...message, limitPrice: '11.4' })
    assert.deepEqual([limited['orderType'], limited['limitPrice']], ['limit', '11.4'])
  })

  it('an alert tells its faults in the names that its sender gave the fields', () => {
    const [trade] = understood('tradingview', order(0, 10)).instructions
    assert.ok(trade?.kind === 'trade')
    assert.deepEqual(trade.names, {
      symbol: 'ticker',
      action: 'action',
      targetPosition: 'market_position_size',
      targetAt: 'timenow',
    })
  })

  it('contracts of a strategy that may turn are told to count both legs, where no position tells them apart', () => {
    const message = { ticker: 'F', action: 'buy', contracts: 5 }
    assert.deepEqual(toldOf('tradingview', message, SHORTS), ['both_legs'])
    assert.deepEqual(toldOf('tradingview', { ...message, market_position: 'long' }, SHORTS), ['both_legs'])
    assert.deepEqual(toldOf('tradingview', message, { ...SHORTS, whenOpposite: 'close' }), [])
    assert.deepEqual(toldOf('tradingview', message), [])
    assert.deepEqual(toldOf('tradingview', order(0, 5), SHORTS), [])
    const official = { ticker: 'F', action: 'sell', sentiment: 'short', quantity: '20' }
    assert.deepEqual(toldOf('traderspost', official, SHORTS), ['both_legs'])
  })

  it('a hook that goes long alone tells what a short strategy misses', () => {
    assert.deepEqual(toldOf('tradingview', order(0, -5)), ['short_not_opened'])
  })

  for (const [what, message, faults] of [
    ['no ticker', { action: 'buy', contracts: 1 }, ['required ticker']],
    ['neither action nor position', { ticker: 'F', contracts: 1 }, ['required action']],
    [
      'placeholders of a strategy on an indicator',
      { ticker: 'F', action: '{{strategy.order.action}}', contracts: '{{strategy.order.contracts}}' },
      ['unfilled_placeholder action', 'unfilled_placeholder contracts'],
    ],
    [
      'a moment that was not filled in',
      { ticker: 'F', action: 'exit', timenow: '{{timenow}}' },
      ['unfilled_placeholder timenow'],
    ],
    ['NaN for a stop', { ticker: 'F', action: 'buy', qty: 1, stopLoss: 'NaN' }, ['no_value stopLoss']],
    ['two sizes', { ticker: 'F', action: 'buy', qty: 1, contracts: 2 }, ['contradiction qty']],
    [
      'a size without a side',
      { ticker: 'F', action: 'buy', market_position_size: 5 },
      ['required market_position_size'],
    ],
    [
      'a side that does not fit its size',
      { ticker: 'F', market_position: 'long', market_position_size: 0 },
      ['contradiction market_position_size'],
    ],
    [
      'a sign that does not fit its side',
      { ticker: 'F', market_position: 'long', position_size: -5 },
      ['contradiction position_size'],
    ],
    [
      'a turn of unknown size',
      without(order(10, -5), 'market_position_size', 'prev_market_position_size'),
      ['both_legs contracts'],
    ],
    [
      'more or less, and no action',
      { ticker: 'F', market_position: 'long', prev_market_position: 'long' },
      ['required market_position'],
    ],
    [
      'an exchange of another country',
      { ticker: 'BP', exchange: 'LSE', action: 'buy', qty: 1 },
      ['not_a_share exchange'],
    ],
    [
      'an exchange in the ticker',
      { ticker: 'BINANCE:BTCUSDT', action: 'buy', qty: 1 },
      ['invalid_symbol ticker'],
    ],
    ['a field of two meanings', { ticker: 'F', action: 'buy', qty: 1, stop: 9 }, ['ambiguous stop']],
    [
      'a trailing stop of no unit',
      { ticker: 'F', action: 'buy', qty: 1, trailing_stop: 2 },
      ['protection_not_kept trailing_stop'],
    ],
    ['words that close everything', 'flatten', ['unknown_words message']],
  ] as const)
    it(`an alert is refused by name with ${what}`, () => {
      assert.deepEqual(faultsOf('tradingview', message, SHORTS), faults)
    })

  it('symbols come by the table of the hook first, then by their one spelling', () => {
    const choices = { symbols: { 'CME_MINI:ES1!': 'SPY', GOOG: 'GOOGL', 'LSE:BP.': 'BP' } }
    const symbolOf = (message: object) =>
      bodyOf('tradingview', { action: 'exit', ...message }, choices)['symbol']
    for (const [ticker, symbol] of [
      ['CME_MINI:ES1!', 'SPY'],
      ['cme_mini:es1!', 'SPY'],
      ['GOOG', 'GOOGL'],
      ['NASDAQ:GOOG', 'GOOGL'],
      ['NASDAQ:AAPL', 'AAPL'],
      ['AAPL.US', 'AAPL'],
      ['BRK-B', 'BRK.B'],
      ['BRK/B', 'BRK.B'],
      ['NYSE_DL:F', 'F'],
    ] as const)
      assert.equal(symbolOf({ ticker }), symbol, ticker)
    assert.equal(symbolOf({ ticker: 'F', exchange: 'US' }), 'F')
    assert.equal(symbolOf({ ticker: 'BP.', exchange: 'LSE' }), 'BP')
    assert.equal(symbolOf({ ticker: 'ES1!', exchange: 'CME_MINI' }), 'SPY')
  })
})
