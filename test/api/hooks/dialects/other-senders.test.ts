import assert from 'node:assert/strict'
import type { HookKind, HookSettings, HookTemplate } from '#domain/hook/settings.ts'
import { bodyOf, faultsOf, inShort, toldOf, understood } from './support.ts'

const SHORTS = { mayShort: true }
const BUY_5 = 'buy 5 F: flat open, opposite reverse, same nothing'

const TABLE: HookTemplate = {
  symbol: 'data.items.0.ticker',
  word: 'data.signal',
  words: { 'go long': 'buy', 'go short': 'sell', flat: 'close' },
  quantity: 'data.items.0.size',
  orderType: '"limit"',
  limitPrice: 'data.price',
  id: 'id',
}
const byTable = (changes: object = {}, data: object = {}) => ({
  id: 'a1',
  data: { signal: 'Go Long', price: '11.5', items: [{ ticker: 'NYSE:F', size: 5 }], ...data },
  ...changes,
})
const WITH_TABLE = { template: TABLE }

/**
 * The forms are those of LuxAlgo/trade-relay (docs/payload.md, docs/migrate-signalstack.md) and of marketcalls/openalgo
 * (docs/api/order-management/placeorder.md, placesmartorder.md; docs of a strategy's address); values are our own.
 */
const READ: readonly [HookKind, string, unknown, Partial<HookSettings>, string[]][] = [
  ['trade-relay', 'buy', { Action: 'BUY', Symbol: 'NYSE:F', Qty: '5' }, {}, [BUY_5]],
  [
    'trade-relay',
    'short',
    { side: 'short', ticker: 'F', contracts: 5 },
    SHORTS,
    ['sell 5 F: flat open, opposite reverse, same nothing'],
  ],
  [
    'trade-relay',
    'the first of its sizes',
    { action: 'buy', symbol: 'F', notional: 900, percentEquity: 3 },
    {},
    ['buy $900 F: flat open, opposite reverse, same nothing'],
  ],
  [
    'trade-relay',
    'a part of the equity',
    { action: 'buy', symbol: 'F', percent_equity: '3' },
    {},
    ['buy %3 F: flat open, opposite reverse, same nothing'],
  ],
  ['trade-relay', 'close', { action: 'exit', symbol: 'F' }, {}, ['cancel F', 'close all F']],
  ['trade-relay', 'flatten', { action: 'close_all' }, {}, ['flatten']],
  ['trade-relay', 'cancel', { action: 'cancel_all' }, {}, ['cancel all']],
  ['trade-relay', 'cancel of a symbol', { action: 'cancel', symbol: 'F' }, {}, ['cancel F']],
  ['trade-relay', 'pause', { action: 'pause' }, {}, ['halt pauseEntries']],
  ['trade-relay', 'kill', { action: 'KILL' }, {}, ['halt reduceOnly']],
  ['trade-relay', 'words', 'KILL', {}, ['halt reduceOnly']],
  ['signalstack', 'JSON', { action: 'buy', symbol: 'F', quantity: 5 }, {}, [BUY_5]],
  ['signalstack', 'BUY 10', 'BUY 5 F', {}, [BUY_5]],
  ['signalstack', 'words between', 'buy 5 shares of F', {}, [BUY_5]],
  ['signalstack', 'words in quotes', '"buy 5 F"', {}, [BUY_5]],
  ['signalstack', 'SELL', ' SELL  F\n', {}, ['sell 1 F: flat refuse, opposite close, same nothing']],
  ['signalstack', 'close', 'close F', {}, ['close all F']],
  ['signalstack', 'close of some', 'close 2 F', {}, ['close 2 F']],
  ['signalstack', 'FLATTEN', 'FLATTEN', {}, ['flatten']],
  ['signalstack', 'cancel', 'cancel F', {}, ['cancel F']],
  [
    'openalgo',
    'BUY',
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
    {},
    [BUY_5],
  ],
  [
    'openalgo',
    'SELL',
    { symbol: 'F', action: 'SELL', quantity: '5' },
    {},
    ['sell 5 F: flat refuse, opposite reduce, same nothing'],
  ],
  [
    'openalgo',
    'a position that is wanted',
    { symbol: 'F', action: 'BUY', quantity: '1', position_size: '5' },
    {},
    ['target 5 F'],
  ],
  [
    'openalgo',
    'a short position',
    { symbol: 'F', action: 'SELL', quantity: '0', position_size: '-5' },
    SHORTS,
    ['target -5 F'],
  ],
  [
    'openalgo',
    'a short position, by a hook that goes long alone',
    { symbol: 'F', action: 'SELL', quantity: '0', position_size: '-5' },
    {},
    ['sell 1 F: flat refuse, opposite close, same nothing'],
  ],
  [
    'openalgo',
    'no position',
    { symbol: 'F', action: 'SELL', quantity: '0', position_size: '0' },
    {},
    ['target 0 F'],
  ],
  [
    'openalgo',
    "a strategy's message",
    { symbol: 'F', action: 'BUY' },
    { quantity: '3' },
    ['buy default F: flat open, opposite reverse, same nothing'],
  ],
  ['template', 'buy', byTable(), WITH_TABLE, [BUY_5]],
  [
    'template',
    'sell',
    byTable({}, { signal: 'go short' }),
    { ...WITH_TABLE, ...SHORTS },
    ['sell 5 F: flat open, opposite reverse, same nothing'],
  ],
  [
    'template',
    'close of all',
    byTable({}, { signal: 'flat', items: [{ ticker: 'F', size: 0 }] }),
    WITH_TABLE,
    ['close all F'],
  ],
  ['json', 'a step', { symbol: 'F', action: 'openLong', quantity: 5 }, {}, ['openLong 5 F']],
  [
    'json',
    'a step of the size of the hook',
    { symbol: 'F', action: 'openLong' },
    { quantity: '3' },
    ['openLong default F'],
  ],
  ['json', 'a close without a size', { symbol: 'F', action: 'closeShort' }, {}, ['close all F SHORT']],
  ['json', 'a close of some', { symbol: 'F', action: 'closeLong', quantity: 2 }, {}, ['closeLong 2 F']],
  ['json', 'a target', { symbol: 'F', targetPosition: '5' }, {}, ['target 5 F']],
]

const REFUSED: readonly [HookKind, string, unknown, Partial<HookSettings>, string[]][] = [
  ['trade-relay', 'resume', { action: 'resume' }, {}, ['resume_by_person action']],
  [
    'trade-relay',
    'a sale for dollars',
    { action: 'sell', symbol: 'F', notional: 500 },
    {},
    ['unsupported_size notional'],
  ],
  ['trade-relay', 'no symbol', { action: 'buy', quantity: 1 }, {}, ['required symbol']],
  [
    'trade-relay',
    'a limit of a stop alone',
    { action: 'buy', symbol: 'F', quantity: 1, stopLossLimit: 9 },
    {},
    ['required stopLossLimit'],
  ],
  [
    'trade-relay',
    'a placeholder of a plot',
    { action: 'buy', symbol: 'F', quantity: 1, stopLoss: '{{plot_0}}' },
    {},
    ['unfilled_placeholder stopLoss'],
  ],
  [
    'trade-relay',
    'a signalId that names nothing',
    { action: 'exit', symbol: 'F', signalId: 'null' },
    {},
    ['no_value signalId'],
  ],
  ['signalstack', 'pause', { action: 'pause' }, {}, ['unknown_word action']],
  ['signalstack', 'other words', 'hello world', {}, ['unknown_words message']],
  ['signalstack', 'too many words', 'buy 10 F and 5 SPY', {}, ['unknown_words message']],
  ['signalstack', 'flatten of a symbol', 'flatten F', {}, ['unknown_words message']],
  ['signalstack', 'a placeholder', 'buy 10 {{ticker}}', {}, ['unfilled_placeholder message']],
  ['signalstack', 'a limit without a price', 'buy 10 F limit', {}, ['unknown_words message']],
  [
    'openalgo',
    'an exchange of another country',
    { symbol: 'RELIANCE', action: 'BUY', exchange: 'NSE', quantity: 1 },
    {},
    ['not_a_share exchange'],
  ],
  ['openalgo', 'nothing', {}, {}, ['required symbol', 'required action']],
  [
    'openalgo',
    'a short strategy word',
    { symbol: 'F', action: 'HOLD', quantity: 1 },
    {},
    ['unknown_word action'],
  ],
  ['template', 'no ticker', byTable({}, { items: [] }), WITH_TABLE, ['required data.items.0.ticker']],
  ['template', 'an unknown word', byTable({}, { signal: 'hold' }), WITH_TABLE, ['unknown_word data.signal']],
  [
    'template',
    "a word of the language's own",
    byTable({}, { signal: 'constructor' }),
    WITH_TABLE,
    ['unknown_word data.signal'],
  ],
  ['template', 'no table', byTable(), {}, ['required template']],
  [
    'template',
    'a trailing stop',
    byTable({}, { type: 'trailing_stop' }),
    { template: { ...TABLE, orderType: 'data.type' } },
    ['unsupported_order data.type'],
  ],
  [
    'json',
    'an empty size',
    { symbol: 'F', action: 'openLong', quantity: '' },
    { quantity: '3' },
    ['no_value quantity'],
  ],
  [
    'template',
    'an empty size',
    byTable({}, { items: [{ ticker: 'F', size: '' }] }),
    WITH_TABLE,
    ['no_value data.items.0.size'],
  ],
  ['json', 'no size', { symbol: 'F', action: 'openLong' }, {}, ['required quantity']],
  [
    'json',
    'a short step of a hook that goes long',
    { symbol: 'F', action: 'openShort', quantity: 1 },
    {},
    ['short_not_allowed action'],
  ],
  [
    'json',
    'a short target of a hook that goes long',
    { symbol: 'F', targetPosition: -1 },
    {},
    ['short_not_allowed targetPosition'],
  ],
  ['json', 'a list', [{ symbol: 'F' }], {}, ['invalid_type']],
]

describe('a message of another sender', () => {
  for (const [kind, what, message, choices, expected] of READ)
    it(`${kind}: ${what} is read into instructions`, () => {
      assert.deepEqual(inShort(kind, message, choices), expected)
    })

  for (const [kind, what, message, choices, faults] of REFUSED)
    it(`${kind}: ${what} is told by its field`, () => {
      assert.deepEqual(faultsOf(kind, message, choices), faults)
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
    it(`${kind}: stop and target are the exit plan of what opens: ${JSON.stringify(message)}`, () => {
      const entry = { action: 'buy', ticker: 'F', quantity: 1 }
      assert.deepEqual(bodyOf(kind, { ...entry, ...message })['protection'], protection)
    })

  it('a size by risk of trade-relay is that of what opens', () => {
    const { quantity, quantityType } = bodyOf('trade-relay', {
      action: 'buy',
      symbol: 'F',
      riskPercent: 1,
      sl: '5%',
    })
    assert.deepEqual([quantity, quantityType], ['1', 'riskPercent'])
  })

  it('an exit plan in our own form goes before an exit of the hook that would take all shares at once', () => {
    const message = { symbol: 'F', action: 'openLong', quantity: 1, protection: { stop: { percent: 5 } } }
    const exit = { exitTriggerType: 'immediate' }
    assert.deepEqual(bodyOf('json', message, { exit }), message)
    assert.deepEqual(toldOf('json', message, { exit }), ['hook_exit_left_out'])
  })

  it('orders of OpenAlgo have the prices of their kind, and those that are 0 are none', () => {
    const order = { symbol: 'F', action: 'BUY', quantity: '1', price: '11.8', trigger_price: '11.85' }
    const pricesOf = (pricetype: string) => {
      const { orderType, limitPrice, stopPrice } = bodyOf('openalgo', { ...order, pricetype })
      return [orderType, limitPrice, stopPrice]
    }
    assert.deepEqual(pricesOf('MARKET'), ['market', undefined, undefined])
    assert.deepEqual(pricesOf('LIMIT'), ['limit', '11.8', undefined])
    assert.deepEqual(pricesOf('SL'), ['stopLimit', '11.8', '11.85'])
    assert.deepEqual(pricesOf('SL-M'), ['stop', undefined, '11.85'])
    assert.deepEqual(toldOf('openalgo', { ...order, product: 'MIS' }), ['product_ignored'])
  })

  it('a price in words is a limit where they say so, and for reference elsewhere', () => {
    const body = bodyOf('signalstack', 'buy 5 F at 11.5 limit')
    assert.deepEqual([body['orderType'], body['limitPrice']], ['limit', '11.5'])
    assert.equal(bodyOf('signalstack', 'buy 5 F at 11.5')['limitPrice'], undefined)
    assert.deepEqual(toldOf('signalstack', 'buy 5 F at 11.5'), ['price_not_used'])
  })

  it('a limit of trade-relay has its short names, and its price is for reference', () => {
    const body = bodyOf('trade-relay', {
      action: 'buy',
      symbol: 'F',
      quantity: 1,
      type: 'limit',
      limit: '11.5',
      price: 12,
      tif: 'GTC',
    })
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
    const message = {
      symbol: 'brk-b',
      action: 'openLong',
      quantity: 1,
      token: 'x',
      metadata: { a: 1 },
      dryRun: true,
    }
    const body = { symbol: 'BRK.B', action: 'openLong', quantity: 1, metadata: { a: 1 }, ...exit }
    assert.deepEqual(bodyOf('json', message, { exit }), body)
    assert.equal(understood('json', message).isTest, true)
    const own = { exitTriggerType: 'immediate', exitOrderType: 'stop', exitStopPrice: 9 }
    assert.deepEqual(bodyOf('json', { symbol: 'F', action: 'openLong', quantity: 1, ...own }, { exit }), {
      symbol: 'F',
      action: 'openLong',
      quantity: 1,
      ...own,
    })
  })
})
