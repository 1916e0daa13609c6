import assert from 'node:assert/strict'
import { signalsOf } from '#api/hooks/intake/plan.ts'
import { ApiError } from '#api/http/errors.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import { bodyOf, faultsOf, inShort, NOW, readFor, settingsWith, toldOf, understood } from './support.ts'
import { pluck } from '#test/support/pluck.ts'

/** Bodies have the form of TradersPost/docs, core-concepts/webhooks.md and order-behavior.md; tickers and values are our own. */
const SHORTS = { mayShort: true }
const DEFAULT = { quantity: '3' as const }

describe('a message of TradersPost', () => {
  for (const [what, message, choices, expected] of [
    [
      'buy',
      { ticker: 'F', action: 'buy' },
      DEFAULT,
      'buy default F: flat open, opposite reverse, same nothing',
    ],
    [
      'buy with a quantity',
      { ticker: 'F', action: 'buy', quantity: 5 },
      {},
      'buy 5 F: flat open, opposite reverse, same nothing',
    ],
    [
      'buy by a hook that does not turn',
      { ticker: 'F', action: 'buy', quantity: 5 },
      { whenOpposite: 'close' },
      'buy 5 F: flat open, opposite reduce, same nothing',
    ],
    [
      'buy by a hook that adds',
      { ticker: 'F', action: 'buy', quantity: 5 },
      { whenSame: 'add' },
      'buy 5 F: flat open, opposite reverse, same add',
    ],
    [
      'sell by a hook that goes long alone',
      { ticker: 'F', action: 'sell' },
      {},
      'sell 1 F: flat refuse, opposite close, same nothing',
    ],
    [
      'sell of some shares by a hook that goes long alone',
      { ticker: 'F', action: 'sell', quantity: '2' },
      {},
      'sell 2 F: flat refuse, opposite reduce, same nothing',
    ],
    [
      'sell by a hook that goes short',
      { ticker: 'F', action: 'sell', quantity: 5 },
      SHORTS,
      'sell 5 F: flat open, opposite reverse, same nothing',
    ],
    ['sell to be flat', { ticker: 'F', action: 'sell', sentiment: 'flat', quantity: 2 }, {}, 'close all F'],
    ['buy to be flat', { ticker: 'F', action: 'buy', sentiment: 'flat' }, SHORTS, 'close all F'],
    [
      'buy to be long',
      { ticker: 'F', action: 'buy', sentiment: 'bullish', quantity: 5 },
      { whenOpposite: 'close' },
      'buy 5 F: flat open, opposite reverse, same nothing',
    ],
    [
      'sell to stay long',
      { ticker: 'F', action: 'sell', sentiment: 'long', quantity: 5 },
      SHORTS,
      'close 5 F LONG',
    ],
    [
      'buy to stay short',
      { ticker: 'F', action: 'buy', sentiment: 'bearish', quantity: 5 },
      SHORTS,
      'close 5 F SHORT',
    ],
    [
      'sell to stay long, of no size',
      { ticker: 'F', action: 'sell', sentiment: 'bullish' },
      SHORTS,
      'close all F LONG',
    ],
    [
      'sell to be short',
      { ticker: 'F', action: 'sell', sentiment: 'short', quantity: 5 },
      SHORTS,
      'sell 5 F: flat open, opposite reverse, same nothing',
    ],
    [
      'sell to be short by a hook that goes long alone',
      { ticker: 'F', action: 'sell', sentiment: 'bearish', quantity: 5 },
      {},
      'sell 5 F: flat refuse, opposite close, same nothing',
    ],
    ['exit', { ticker: 'F', action: 'exit' }, {}, 'close all F'],
    ['exit of a part', { ticker: 'F', action: 'exit', quantity: 2 }, {}, 'close 2 F'],
    ['exit and flat', { ticker: 'F', action: 'exit', sentiment: 'flat' }, {}, 'close all F'],
    [
      'exit of half',
      { ticker: 'F', action: 'exit', quantityType: 'percent_of_position', quantity: 50 },
      {},
      'close 50% F',
    ],
    [
      'sell of half',
      { ticker: 'F', action: 'sell', quantityType: 'percent_of_position', quantity: 50 },
      {},
      'close 50% F LONG',
    ],
    [
      'buy for dollars',
      { ticker: 'F', action: 'buy', quantityType: 'dollar_amount', quantity: 1000 },
      {},
      'buy $1000 F: flat open, opposite reverse, same nothing',
    ],
    [
      'buy for a part of the equity',
      { ticker: 'F', action: 'buy', quantityType: 'percent_of_equity', quantity: 10 },
      {},
      'buy %10 F: flat open, opposite reverse, same nothing',
    ],
    [
      'buy for dollars by a hook that does not turn',
      { ticker: 'F', action: 'buy', quantityType: 'dollar_amount', quantity: 1000 },
      { whenOpposite: 'close' },
      'buy $1000 F: flat open, opposite reduce, same nothing',
    ],
    [
      'sell for dollars by a hook that goes short and does not turn',
      { ticker: 'F', action: 'sell', quantityType: 'percent_of_equity', quantity: 10 },
      { ...SHORTS, whenOpposite: 'close' },
      'sell %10 F: flat open, opposite reduce, same nothing',
    ],
    [
      'add',
      { ticker: 'F', action: 'add', quantity: 2 },
      {},
      'buy 2 F: flat refuse, opposite refuse, same add',
    ],
    ['delay', { ticker: 'F', action: 'exit', delay: '30' }, {}, 'close all F, in 30 s'],
  ] as const satisfies readonly [string, object, Partial<HookSettings>, string][])
    it(`TradersPost's ${what} is one instruction`, () => {
      assert.deepEqual(inShort('traderspost', message, choices), [expected])
    })

  it('cancel takes back the entries of the ticker, alone or before another action', () => {
    assert.deepEqual(inShort('traderspost', { ticker: 'F', action: 'cancel' }), ['cancel F'])
    assert.deepEqual(inShort('traderspost', { ticker: 'F', action: 'exit', cancel: true }), [
      'cancel F',
      'close all F',
    ])
    assert.deepEqual(inShort('traderspost', { ticker: 'F', action: 'exit', cancel: false }), ['close all F'])
  })

  it('the kind, the price and the time in force of an order are taken over, and a reference price is not', () => {
    const order = {
      orderType: 'stop_limit',
      stopPrice: 60,
      limitPrice: '50.50',
      timeInForce: 'gtc',
      extendedHours: true,
    }
    const body = bodyOf('traderspost', {
      ticker: 'F',
      action: 'buy',
      quantity: 1,
      price: 49,
      signalPrice: 49,
      ...order,
    })
    assert.deepEqual(
      [body['orderType'], body['stopPrice'], body['limitPrice'], body['timeInForce'], body['extendedHours']],
      ['stopLimit', '60', '50.5', 'gtc', true],
    )
    assert.equal(
      bodyOf('traderspost', { ticker: 'F', action: 'buy', quantity: 1, price: 49 })['limitPrice'],
      undefined,
    )
  })

  const entry = { ticker: 'F', action: 'buy', quantity: 1 }
  for (const [what, message, protection] of [
    ['a stop', { stopLoss: { type: 'stop', stopPrice: 10.71 } }, { stop: { price: '10.71' } }],
    [
      'a stop with a limit',
      { stopLoss: { type: 'stop_limit', stopPrice: 10.71, limitPrice: 10.7 } },
      { stop: { price: '10.71', limitOffset: '0.01' } },
    ],
    ['a stop in percent', { stopLoss: { percent: '5' } }, { stop: { percent: '5' } }],
    [
      'a stop by an amount, without end',
      { timeInForce: 'gtc', stopLoss: { amount: 2 } },
      { stop: { amount: '2' } },
    ],
    [
      'a trailing stop',
      { stopLoss: { type: 'trailing_stop', trailPercent: 1 } },
      { trail: { percent: '1' } },
    ],
    [
      'a stop that trails from the beginning',
      { stopLoss: { type: 'trailing_stop', trailAmount: 1, stopPrice: 9 } },
      { stop: { price: '9' }, trail: { amount: '1' } },
    ],
    ['a profit target', { takeProfit: { limitPrice: 19.99 }, stopLoss: {} }, { target: { price: '19.99' } }],
    ['a profit target that is a number', { takeProfit: 19.99 }, { target: { price: '19.99' } }],
    [
      'both',
      { takeProfit: { percent: 10 }, stopLoss: { percent: 5 } },
      { target: { percent: '10' }, stop: { percent: '5' } },
    ],
  ] as const)
    it(`an entry has ${what} as its exit plan`, () => {
      assert.deepEqual(bodyOf('traderspost', { ...entry, ...message })['protection'], protection)
      assert.deepEqual(toldOf('traderspost', { ...entry, ...message }), [])
    })

  it('the exit of the hook stays beside a stop or a profit target, but for one that would take all shares at once', () => {
    const exitOf = (message: object, exit: HookSettings['exit']) =>
      Object.keys(bodyOf('traderspost', message, { exit })).filter((name) => /^exit|protection/.test(name))
    const timed = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 20 }
    assert.deepEqual(exitOf({ ...entry, takeProfit: 19 }, timed), [...Object.keys(timed), 'protection'])
    assert.deepEqual(exitOf(entry, timed), Object.keys(timed))
    assert.deepEqual(exitOf({ ticker: 'F', action: 'sell' }, timed), [])
    const atOnce = { exitTriggerType: 'immediate' }
    assert.deepEqual(exitOf({ ...entry, takeProfit: 19 }, atOnce), ['protection'])
    assert.deepEqual(toldOf('traderspost', { ...entry, takeProfit: 19 }, { exit: atOnce }), [
      'hook_exit_left_out',
    ])
  })

  it('a size by risk is that of what opens, and needs a stop', () => {
    const size = { quantity: 2, quantityType: 'risk_percent' }
    const { quantity, quantityType } = bodyOf('traderspost', { ...entry, ...size, stopLoss: { percent: 5 } })
    assert.deepEqual([quantity, quantityType], ['2', 'riskPercent'])
    assert.deepEqual(faultsOfSignal({ ...entry, quantityType: 'risk_dollar_amount' }), [
      'required protection',
    ])
  })

  it('what is wrong with a stop is told by the name that its sender gave it', () => {
    assert.deepEqual(
      faultsOfSignal({ ...entry, stopLoss: { percent: 120 }, takeProfit: { limitPrice: 9, percent: 5 } }),
      ['custom stopLoss.percent', 'custom takeProfit'],
    )
    assert.deepEqual(faultsOfSignal({ ...entry, orderType: 'limit', limitPrice: 10, stopLoss: 11 }), [
      'wrong_side stopLoss',
    ])
  })

  /** The faults that a message has as a signal. */
  function faultsOfSignal(message: object): string[] {
    const read = readFor('traderspost', message)
    assert.ok('instructions' in read && read.instructions[0]?.kind === 'trade')
    try {
      signalsOf(read.instructions[0], settingsWith(), NOW)
      return []
    } catch (error) {
      assert.ok(error instanceof ApiError)
      return error.details.map(({ code, field }) => `${code} ${field}`)
    }
  }

  it('a stop beside a message that only closes is left out, and told', () => {
    assert.deepEqual(toldOf('traderspost', { ticker: 'F', action: 'exit', stopLoss: { percent: 5 } }), [
      'protection_ignored',
    ])
  })

  for (const [what, message, faults] of [
    ['nothing', {}, ['required ticker', 'required action']],
    ['no action', { ticker: 'F' }, ['required action']],
    ['an empty ticker', { ticker: '', action: 'buy' }, ['no_value ticker']],
    [
      'an empty stop',
      { ticker: 'F', action: 'buy', quantity: 1, stopLoss: { stopPrice: '' } },
      ['no_value stopLoss.stopPrice'],
    ],
    [
      'an empty sentiment',
      { ticker: 'F', action: 'sell', sentiment: '', quantity: 1 },
      ['no_value sentiment'],
    ],
    ['an empty size', { ticker: 'F', action: 'buy', quantity: ' ' }, ['no_value quantity']],
    ['an unknown action', { ticker: 'F', action: 'bu' }, ['unknown_word action']],
    [
      'an unknown sentiment',
      { ticker: 'F', action: 'buy', sentiment: 'happy', quantity: 1 },
      ['unknown_word sentiment'],
    ],
    [
      'a sentiment of an exit',
      { ticker: 'F', action: 'exit', sentiment: 'bullish' },
      ['not_allowed sentiment'],
    ],
    ['a size of nothing', { ticker: 'F', action: 'buy', quantity: 0 }, ['not_positive quantity']],
    ['a size in words', { ticker: 'F', action: 'buy', quantity: 'ten' }, ['invalid_type quantity']],
    [
      'a size with separators',
      { ticker: 'F', action: 'buy', quantity: '1,000' },
      ['separators_in_number quantity'],
    ],
    [
      'a limit of a stop above it',
      { ticker: 'F', action: 'buy', quantity: 1, stopLoss: { stopPrice: 9, limitPrice: 9.5 } },
      ['wrong_side stopLoss.limitPrice'],
    ],
    [
      'a limit of a stop in percent',
      { ticker: 'F', action: 'buy', quantity: 1, stopLoss: { percent: 9, limitPrice: 9.5 } },
      ['required stopLoss.limitPrice'],
    ],
    [
      'a trailing stop without a distance',
      { ticker: 'F', action: 'buy', quantity: 1, stopLoss: { type: 'trailing_stop' } },
      ['required stopLoss.trailPercent'],
    ],
    [
      'an exit for dollars',
      { ticker: 'F', action: 'exit', quantity: 5, quantityType: 'dollar_amount' },
      ['unsupported_size quantity'],
    ],
    [
      'a sale for dollars by a hook that goes long alone',
      { ticker: 'F', action: 'sell', quantity: 500, quantityType: 'dollar_amount' },
      ['unsupported_size quantity'],
    ],
    [
      'an entry of half of what is held',
      { ticker: 'F', action: 'add', quantity: 5, quantityType: 'percent_of_position' },
      ['unsupported_size quantity'],
    ],
    [
      'more than all',
      { ticker: 'F', action: 'exit', quantity: 101, quantityType: 'percent_of_position' },
      ['too_big quantity'],
    ],
    [
      'an option by its fields',
      { ticker: 'F', action: 'buy', quantity: 1, optionType: 'call', strikesAway: 2 },
      ['not_a_share optionType', 'not_a_share strikesAway'],
    ],
    ['an option by its name', { ticker: 'F 240510C68', action: 'buy', quantity: 1 }, ['not_a_share ticker']],
    [
      'a trailing order',
      { ticker: 'F', action: 'exit', orderType: 'trailing_stop', trailAmount: '1' },
      ['unsupported_order orderType'],
    ],
    [
      'a narrow cancel',
      { ticker: 'F', action: 'cancel', cancelOrderType: 'limit' },
      ['unsupported_cancel cancelOrderType'],
    ],
    ['a delay of weeks', { ticker: 'F', action: 'exit', delay: 9e6 }, ['out_of_range delay']],
  ] as const)
    it(`TradersPost's message is refused by name with ${what}`, () => {
      assert.deepEqual(faultsOf('traderspost', message), faults)
    })

  it("TradersPost's message without a size means one share, where the hook has none, and is told so", () => {
    const message = { ticker: 'F', action: 'buy' }
    const { quantity, quantityType } = bodyOf('traderspost', message)
    assert.deepEqual([quantity, quantityType], ['1', 'fixed'])
    assert.ok(toldOf('traderspost', message).includes('quantity_assumed'))
    assert.equal(bodyOf('traderspost', message, { quantity: '7' })['quantity'], undefined)
  })

  it('test means that nothing is sent, and unknown names mean nothing', () => {
    const { isTest, advisories } = understood('traderspost', {
      ticker: 'F',
      action: 'exit',
      test: true,
      rsi: 23,
      extras: { a: 1 },
    })
    assert.equal(isTest, true)
    assert.deepEqual(pluck(advisories, 'message'), ['Fields that mean nothing here were left out: rsi'])
  })
})
