import assert from 'node:assert/strict'
import type { HookSettings } from '#domain/hook/settings.ts'
import { bodyOf, faultsOf, inShort, inWords, notifiedOf, understood } from './support.ts'

/** The placeholders of TradingView's help on alerts of strategies, filled in with values of our own. */
const TIMES = { time: '2026-03-02T14:30:00Z', timenow: '2026-03-02T14:31:07Z' }
const SHORTS = { mayShort: true }
const of = (action: string, more: object = {}) => ({ ticker: 'F', action, ...more })

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
    [0, 10, 'buy 10 F: open, reverse, nothing'],
    [0, -10, 'sell 10 F: open, reverse, nothing'],
    [10, 0, 'target 0 F'],
    [-10, 0, 'target 0 F'],
    [10, -5, 'sell 5 F: open, reverse, nothing'],
    [-10, 5, 'buy 5 F: open, reverse, nothing'],
    [10, 15, 'buy 5 F: open, reverse, add'],
    [10, 4, 'close 6 F LONG'],
    [-10, -4, 'close 6 F SHORT'],
  ] as const)
    it(`an alert without the size now, ${before} to ${now}, is recognized by both sides and the contracts`, () => {
      assert.deepEqual(inShort('tradingview', without(order(before, now), 'market_position_size'), SHORTS), [
        expected,
      ])
    })

  for (const [message, expected, choices] of [
    [{ ticker: 'F', position_size: '-3' }, 'target -3 F', SHORTS],
    [of('sell', { 'strategy.position_size': 0 }), 'target 0 F'],
    [{ symbol: 'F', action: 'openLong', targetPosition: '7', quantity: '2' }, 'target 7 F'],
    [{ ticker: 'F', market_position: 'flat', contracts: 3 }, 'target 0 F'],
    [of('buy', { market_position: 'long', qty: 5 }), 'buy 5 F: open, reverse, nothing'],
    [of('sell', { market_position: 'long', qty: 5 }), 'close 5 F LONG', SHORTS],
    [{ ...order(10, -10), fixed_quantity: 4 }, 'sell 4 F: open, reverse, nothing', SHORTS],
    [order(10, -10), 'sell 1 F: refuse, close, nothing'],
    [of('buy', { contracts: '5' }), 'buy 5 F: open, reverse, nothing'],
    [{ ticker: 'F', side: 'SELL', contracts: '5' }, 'sell 5 F: refuse, reduce, nothing'],
    [{ symbol: 'F', action: 'openShort', quantity: '5' }, 'sell 5 F: open, reverse, nothing', SHORTS],
    [{ symbol: 'F', action: 'closeLong', quantity: '5' }, 'close 5 F LONG'],
    [of('exit'), 'close all F'],
    [of('cancel'), 'cancel F'],
    [
      of('protect', { stop_loss_percent: 5, take_profit: '120.5' }),
      'protect F {"stop":{"percent":"5"},"target":{"price":"120.5"}}',
    ],
    [of('protect', { trailing_stop_amount: 2 }), 'protect F {"trail":{"amount":"2"}}'],
    ['sell F', 'sell 1 F: refuse, close, nothing'],
    ['Buy 3 shares of NASDAQ:F', 'buy 3 F: open, reverse, nothing'],
  ] as [unknown, string, Partial<HookSettings>?][])
    it(`an alert that says ${inWords(message, choices)} is read as ${expected}`, () => {
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
    assert.deepEqual(notifiedOf('tradingview', message, SHORTS), ['identity_by_bar'])
  })

  it('the price of an alert is no limit, and a limit with its own name is', () => {
    const message = of('buy', { contracts: 1, price: '11.5' })
    assert.equal(bodyOf('tradingview', message)['limitPrice'], undefined)
    const limited = bodyOf('tradingview', { ...message, limitPrice: '11.4' })
    assert.deepEqual([limited['orderType'], limited['limitPrice']], ['limit', '11.4'])
  })

  it('an alert reports its faults in the names that its sender gave the fields', () => {
    const [trade] = understood('tradingview', order(0, 10)).instructions
    assert.ok(trade?.kind === 'trade')
    assert.deepEqual(trade.names, {
      symbol: 'ticker',
      action: 'action',
      targetPosition: 'market_position_size',
      targetAt: 'timenow',
    })
  })

  it('contracts of a strategy that may turn are reported to count both legs, where no position distinguishes them', () => {
    const message = of('buy', { contracts: 5 })
    assert.deepEqual(notifiedOf('tradingview', message, SHORTS), ['both_legs'])
    assert.deepEqual(notifiedOf('tradingview', { ...message, market_position: 'long' }, SHORTS), [
      'both_legs',
    ])
    assert.deepEqual(notifiedOf('tradingview', message, { ...SHORTS, whenOpposite: 'close' }), [])
    assert.deepEqual(notifiedOf('tradingview', message), [])
    assert.deepEqual(notifiedOf('tradingview', order(0, 5), SHORTS), [])
    const official = of('sell', { sentiment: 'short', quantity: '20' })
    assert.deepEqual(notifiedOf('traderspost', official, SHORTS), ['both_legs'])
  })

  it('a hook that goes long alone reports what a short strategy misses', () => {
    assert.deepEqual(notifiedOf('tradingview', order(0, -5)), ['short_not_opened'])
  })

  for (const [message, faults] of [
    [{ action: 'buy', contracts: 1 }, 'required ticker'],
    [{ ticker: 'F', contracts: 1 }, 'required action'],
    [
      { ticker: 'F', action: '{{strategy.order.action}}', contracts: '{{strategy.order.contracts}}' },
      'unfilled_placeholder action, unfilled_placeholder contracts',
    ],
    [{ ticker: 'F', action: 'exit', timenow: '{{timenow}}' }, 'unfilled_placeholder timenow'],
    [of('buy', { qty: 1, stopLoss: 'NaN' }), 'no_value stopLoss'],
    [of('buy', { qty: 1, contracts: 2 }), 'contradiction qty'],
    [of('buy', { market_position_size: 5 }), 'required market_position_size'],
    [{ ticker: 'F', market_position: 'long', market_position_size: 0 }, 'contradiction market_position_size'],
    [{ ticker: 'F', market_position: 'long', position_size: -5 }, 'contradiction position_size'],
    [without(order(10, -5), 'market_position_size', 'prev_market_position_size'), 'both_legs contracts'],
    [{ ticker: 'F', market_position: 'long', prev_market_position: 'long' }, 'required market_position'],
    [{ ticker: 'BP', exchange: 'LSE', action: 'buy', qty: 1 }, 'not_a_share exchange'],
    [{ ticker: 'BINANCE:BTCUSDT', action: 'buy', qty: 1 }, 'invalid_symbol ticker'],
    [of('buy', { qty: 1, stop: 9 }), 'ambiguous stop'],
    [of('buy', { qty: 1, trailing_stop: 2 }), 'protection_not_kept trailing_stop'],
    ['flatten', 'unknown_words message'],
  ] as const)
    it(`an alert that says ${inWords(message)} is refused with ${faults}`, () => {
      assert.equal(faultsOf('tradingview', message, SHORTS).join(', '), faults)
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
