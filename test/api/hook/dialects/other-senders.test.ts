import assert from 'node:assert/strict'
import type { HookKind, HookSettings, HookTemplate } from '#domain/hook/settings.ts'
import { bodyOf, faultsOf, inShort, inWords, notifiedOf, understood } from './support.ts'

const SHORTS = { mayShort: true }
const of = (action: string, more: object = {}) => ({ symbol: 'F', action, ...more })
const BUY_5 = 'buy 5 F: open, reverse, nothing'

const TABLE: HookTemplate = {
  symbol: 'data.items.0.ticker',
  word: 'data.signal',
  words: { 'go long': 'buy', 'go short': 'sell', flat: 'close' },
  quantity: 'data.items.0.size',
  orderType: '"limit"',
  limitPrice: 'data.price',
  id: 'id',
}
const byTable = (data: object = {}) => ({
  id: 'a1',
  data: { signal: 'Go Long', price: '11.5', items: [{ ticker: 'NYSE:F', size: 5 }], ...data },
})
const WITH_TABLE = { template: TABLE }

type Cases = Partial<
  Record<HookKind, [message: unknown, expected: string, choices?: Partial<HookSettings>][]>
>
const each = (cases: Cases) =>
  Object.entries(cases).flatMap(([kind, rows]) => rows.map((row) => [kind as HookKind, ...row] as const))

/**
 * The forms are those of LuxAlgo/trade-relay (docs/payload.md, docs/migrate-signalstack.md) and of marketcalls/openalgo
 * (docs/api/order-management/placeorder.md, placesmartorder.md; docs of a strategy's address); values are our own.
 */
const READ: Cases = {
  'trade-relay': [
    [{ Action: 'BUY', Symbol: 'NYSE:F', Qty: '5' }, BUY_5],
    [{ side: 'short', ticker: 'F', contracts: 5 }, 'sell 5 F: open, reverse, nothing', SHORTS],
    [of('buy', { notional: 900, percentEquity: 3 }), 'buy $900 F: open, reverse, nothing'],
    [of('buy', { percent_equity: '3' }), 'buy %3 F: open, reverse, nothing'],
    [of('exit'), 'cancel F; close all F'],
    [{ action: 'close_all' }, 'flatten'],
    [{ action: 'cancel_all' }, 'cancel all'],
    [of('cancel'), 'cancel F'],
    [{ action: 'pause' }, 'halt pauseEntries'],
    [{ action: 'KILL' }, 'halt reduceOnly'],
    ['KILL', 'halt reduceOnly'],
  ],
  signalstack: [
    [of('buy', { quantity: 5 }), BUY_5],
    ['BUY 5 F', BUY_5],
    ['buy 5 shares of F', BUY_5],
    ['"buy 5 F"', BUY_5],
    [' SELL  F\n', 'sell 1 F: refuse, close, nothing'],
    ['close F', 'close all F'],
    ['close 2 F', 'close 2 F'],
    ['FLATTEN', 'flatten'],
    ['cancel F', 'cancel F'],
  ],
  openalgo: [
    [
      {
        apikey: 'k',
        strategy: 's',
        symbol: 'F',
        action: 'BUY',
        exchange: 'NYSE',
        pricetype: 'MARKET',
        product: 'CNC',
        quantity: '5',
        price: '0',
        trigger_price: '0',
        disclosed_quantity: '0',
      },
      BUY_5,
    ],
    [of('SELL', { quantity: '5' }), 'sell 5 F: refuse, reduce, nothing'],
    [of('BUY', { quantity: '1', position_size: '5' }), 'target 5 F'],
    [of('SELL', { quantity: '0', position_size: '-5' }), 'target -5 F', SHORTS],
    [of('SELL', { quantity: '0', position_size: '-5' }), 'sell 1 F: refuse, close, nothing'],
    [of('SELL', { quantity: '0', position_size: '0' }), 'target 0 F'],
    [of('BUY'), 'buy default F: open, reverse, nothing', { quantity: '3' }],
  ],
  template: [
    [byTable(), BUY_5, WITH_TABLE],
    [byTable({ signal: 'go short' }), 'sell 5 F: open, reverse, nothing', { ...WITH_TABLE, ...SHORTS }],
    [byTable({ signal: 'flat', items: [{ ticker: 'F', size: 0 }] }), 'close all F', WITH_TABLE],
  ],
  json: [
    [of('openLong', { quantity: 5 }), 'openLong 5 F'],
    [of('openLong'), 'openLong default F', { quantity: '3' }],
    [of('closeShort'), 'close all F SHORT'],
    [of('closeLong', { quantity: 2 }), 'closeLong 2 F'],
    [{ symbol: 'F', targetPosition: '5' }, 'target 5 F'],
  ],
}

const REFUSED: Cases = {
  'trade-relay': [
    [{ action: 'resume' }, 'resume_by_person action'],
    [of('sell', { notional: 500 }), 'unsupported_size notional'],
    [{ action: 'buy', quantity: 1 }, 'required symbol'],
    [of('buy', { stopLossLimit: 9 }), 'required stopLossLimit'],
    [of('buy', { stopLoss: '{{plot_0}}' }), 'unfilled_placeholder stopLoss'],
    [of('exit', { signalId: 'null' }), 'no_value signalId'],
  ],
  signalstack: [
    [{ action: 'pause' }, 'unknown_word action'],
    ['hello world', 'unknown_words message'],
    ['buy 10 F and 5 SPY', 'unknown_words message'],
    ['flatten F', 'unknown_words message'],
    ['buy 10 {{ticker}}', 'unfilled_placeholder message'],
    ['buy 10 F limit', 'unknown_words message'],
  ],
  openalgo: [
    [{ symbol: 'RELIANCE', action: 'BUY', exchange: 'NSE', quantity: 1 }, 'not_a_share exchange'],
    [{}, 'required symbol, required action'],
    [of('HOLD', { quantity: 1 }), 'unknown_word action'],
  ],
  template: [
    [byTable({ items: [] }), 'required data.items.0.ticker', WITH_TABLE],
    [byTable({ signal: 'hold' }), 'unknown_word data.signal', WITH_TABLE],
    [byTable({ signal: 'constructor' }), 'unknown_word data.signal', WITH_TABLE],
    [byTable(), 'required template'],
    [
      byTable({ type: 'trailing_stop' }),
      'unsupported_order data.type',
      { template: { ...TABLE, orderType: 'data.type' } },
    ],
    [byTable({ items: [{ ticker: 'F', size: '' }] }), 'no_value data.items.0.size', WITH_TABLE],
  ],
  json: [
    [of('openLong', { quantity: '' }), 'no_value quantity', { quantity: '3' }],
    [of('openLong'), 'required quantity'],
    [of('openShort', { quantity: 1 }), 'short_not_allowed action'],
    [{ symbol: 'F', targetPosition: -1 }, 'short_not_allowed targetPosition'],
    [{ action: 'openLong', quantity: 1 }, 'required symbol'],
    [[{ symbol: 'F' }], 'invalid_type'],
  ],
}

describe('a message of another sender', () => {
  for (const [kind, message, expected, choices] of each(READ))
    it(`${kind}: ${inWords(message, choices)} is read as ${expected}`, () => {
      assert.equal(inShort(kind, message, choices).join('; '), expected)
    })

  for (const [kind, message, faults, choices] of each(REFUSED))
    it(`${kind}: ${inWords(message, choices)} is refused with ${faults}`, () => {
      assert.equal(faultsOf(kind, message, choices).join(', '), faults)
    })

  for (const [kind, message, protection] of [
    [
      'trade-relay',
      { takeProfit: 20, stopLoss: '9.5', stopLossLimit: 9.4 },
      { stop: { price: '9.5', limitOffset: '0.1' }, target: { price: '20' } },
    ],
    ['trade-relay', { sl: '5 %', tp: '10%' }, { stop: { percent: '5' }, target: { percent: '10' } }],
    [
      'tradingview',
      { sl_percent: 5, take_profit_amount: '2' },
      { stop: { percent: '5' }, target: { amount: '2' } },
    ],
    ['tradingview', { trailing_stop: '3%' }, { trail: { percent: '3' } }],
    ['signalstack', { stop_loss_trail_amount: 1, stopLoss: 0 }, { trail: { amount: '1' } }],
  ] as const)
    it(`${kind}: stop and target are the exit of what opens: ${JSON.stringify(message)}`, () => {
      const entry = { action: 'buy', ticker: 'F', quantity: 1 }
      assert.deepEqual(bodyOf(kind, { ...entry, ...message })['protection'], protection)
    })

  it('a size by risk of trade-relay is that of what opens', () => {
    const { quantity, quantityType } = bodyOf('trade-relay', of('buy', { riskPercent: 1, sl: '5%' }))
    assert.deepEqual([quantity, quantityType], ['1', 'riskPercent'])
  })

  it('levels in our own form precede an exit of the hook that would take all shares at once', () => {
    const message = { symbol: 'F', action: 'openLong', quantity: 1, protection: { stop: { percent: 5 } } }
    const exit = { exitTriggerType: 'immediate' }
    assert.deepEqual(bodyOf('json', message, { exit }), message)
    assert.deepEqual(notifiedOf('json', message, { exit }), ['hook_exit_left_out'])
  })

  it('orders of OpenAlgo have the prices of their kind, and those that are 0 are none', () => {
    const order = of('BUY', { quantity: '1', price: '11.8', trigger_price: '11.85' })
    const pricesOf = (pricetype: string) => {
      const { orderType, limitPrice, stopPrice } = bodyOf('openalgo', { ...order, pricetype })
      return [orderType, limitPrice, stopPrice]
    }
    assert.deepEqual(pricesOf('MARKET'), ['market', undefined, undefined])
    assert.deepEqual(pricesOf('LIMIT'), ['limit', '11.8', undefined])
    assert.deepEqual(pricesOf('SL'), ['stopLimit', '11.8', '11.85'])
    assert.deepEqual(pricesOf('SL-M'), ['stop', undefined, '11.85'])
    assert.deepEqual(notifiedOf('openalgo', { ...order, product: 'MIS' }), ['product_ignored'])
  })

  for (const [kind, message, choices, action] of [
    ['json', { symbol: 'F', targetPosition: '1' }, {}, 'openLong'],
    ['json', { symbol: 'F', targetPosition: '0' }, {}, 'closeLong'],
    ['json', { symbol: 'F', targetPosition: '-1' }, SHORTS, 'openShort'],
    ['json', of('closeShort'), {}, 'closeShort'],
    ['json', of('closeLong'), {}, 'closeLong'],
    ['openalgo', of('BUY', { quantity: '1', position_size: '1' }), {}, 'openLong'],
    ['openalgo', of('SELL', { quantity: '0', position_size: '-1' }), SHORTS, 'openShort'],
    ['openalgo', of('SELL', { quantity: '0', position_size: '0' }), {}, 'closeLong'],
  ] as const)
    it(`${kind}: ${inWords(message, choices)} has the action ${action}`, () =>
      assert.equal(bodyOf(kind, message, choices)['action'], action))

  it('a price in words is a limit where they say so, and for reference elsewhere', () => {
    const body = bodyOf('signalstack', 'buy 5 F at 11.5 limit')
    assert.deepEqual([body['orderType'], body['limitPrice']], ['limit', '11.5'])
    assert.equal(bodyOf('signalstack', 'buy 5 F at 11.5')['limitPrice'], undefined)
    assert.deepEqual(notifiedOf('signalstack', 'buy 5 F at 11.5'), ['price_not_used'])
  })

  it('a limit of trade-relay has its short names, and its price is for reference', () => {
    const limit = { quantity: 1, type: 'limit', limit: '11.5', price: 12, tif: 'GTC' }
    const body = bodyOf('trade-relay', of('buy', limit))
    assert.deepEqual([body['orderType'], body['limitPrice'], body['timeInForce']], ['limit', '11.5', 'gtc'])
  })

  it('a table takes fixed values, and the price where it says', () => {
    const body = bodyOf('template', byTable(), WITH_TABLE)
    assert.deepEqual([body['orderType'], body['limitPrice']], ['limit', '11.5'])
    for (const quantity of ['"7"', "'7'"])
      assert.equal(
        bodyOf('template', byTable(), { template: { ...TABLE, quantity }, quantity: '100' })['quantity'],
        '7',
      )
  })

  it("our own JSON keeps what it says beside the hook's exit and secrets", () => {
    const exit = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 20 }
    const kept = { action: 'openLong', quantity: 1, metadata: { a: 1 } }
    const message = { ...kept, symbol: 'brk-b', token: 'x', dryRun: true }
    assert.deepEqual(bodyOf('json', message, { exit }), { ...kept, symbol: 'BRK.B', ...exit })
    assert.equal(understood('json', message).isTest, true)
    const own = { exitTriggerType: 'immediate', exitOrderType: 'stop', exitStopPrice: 9 }
    const tradeRequest = of('openLong', { quantity: 1, ...own })
    assert.deepEqual(bodyOf('json', tradeRequest, { exit }), tradeRequest)
  })
})
