import assert from 'node:assert/strict'
import { signalsOf } from '#api/hook/intake/preview.ts'
import { ApiError } from '#contract/errors.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import {
  bodyOf,
  faultsOf,
  inShort,
  inWords,
  NOW,
  readFor,
  settingsWith,
  notifiedOf,
  understood,
} from './support.ts'
import { pluck } from '#test/support/pluck.ts'

/** Bodies have the form of TradersPost/docs, core-concepts/webhooks.md and order-behavior.md; tickers and values are our own. */
const SHORTS = { mayShort: true }
const DEFAULT = { quantity: '3' as const }
const of = (action: string, more: object = {}) => ({ ticker: 'F', action, ...more })

describe('a message of TradersPost', () => {
  for (const [message, expected, choices] of [
    [of('buy'), 'buy default F: open, reverse, nothing', DEFAULT],
    [of('buy', { quantity: 5 }), 'buy 5 F: open, reverse, nothing'],
    [of('buy', { quantity: 5 }), 'buy 5 F: open, reduce, nothing', { whenOpposite: 'close' }],
    [of('buy', { quantity: 5 }), 'buy 5 F: open, reverse, add', { whenSame: 'add' }],
    [of('sell'), 'sell 1 F: refuse, close, nothing'],
    [of('sell', { quantity: '2' }), 'sell 2 F: refuse, reduce, nothing'],
    [of('sell', { quantity: 5 }), 'sell 5 F: open, reverse, nothing', SHORTS],
    [of('sell', { sentiment: 'flat', quantity: 2 }), 'close all F'],
    [of('buy', { sentiment: 'flat' }), 'close all F', SHORTS],
    [
      of('buy', { sentiment: 'bullish', quantity: 5 }),
      'buy 5 F: open, reverse, nothing',
      { whenOpposite: 'close' },
    ],
    [of('sell', { sentiment: 'long', quantity: 5 }), 'close 5 F LONG', SHORTS],
    [of('buy', { sentiment: 'bearish', quantity: 5 }), 'close 5 F SHORT', SHORTS],
    [of('sell', { sentiment: 'bullish' }), 'close all F LONG', SHORTS],
    [of('sell', { sentiment: 'short', quantity: 5 }), 'sell 5 F: open, reverse, nothing', SHORTS],
    [of('sell', { sentiment: 'bearish', quantity: 5 }), 'sell 5 F: refuse, close, nothing'],
    [of('exit'), 'close all F'],
    [of('exit', { quantity: 2 }), 'close 2 F'],
    [of('exit', { sentiment: 'flat' }), 'close all F'],
    [of('exit', { quantityType: 'percent_of_position', quantity: 50 }), 'close 50% F'],
    [of('sell', { quantityType: 'percent_of_position', quantity: 50 }), 'close 50% F LONG'],
    [of('buy', { quantityType: 'dollar_amount', quantity: 1000 }), 'buy $1000 F: open, reverse, nothing'],
    [of('buy', { quantityType: 'percent_of_equity', quantity: 10 }), 'buy %10 F: open, reverse, nothing'],
    [
      of('buy', { quantityType: 'dollar_amount', quantity: 1000 }),
      'buy $1000 F: open, reduce, nothing',
      { whenOpposite: 'close' },
    ],
    [
      of('sell', { quantityType: 'percent_of_equity', quantity: 10 }),
      'sell %10 F: open, reduce, nothing',
      { ...SHORTS, whenOpposite: 'close' },
    ],
    [of('add', { quantity: 2 }), 'buy 2 F: refuse, refuse, add'],
    [of('exit', { delay: '30' }), 'close all F, in 30 s'],
  ] as [object, string, Partial<HookSettings>?][])
    it(`TradersPost's message ${inWords(message, choices)} is read as ${expected}`, () => {
      assert.deepEqual(inShort('traderspost', message, choices), [expected])
    })

  it('cancel takes back the entries of the ticker, alone or before another action', () => {
    assert.deepEqual(inShort('traderspost', of('cancel')), ['cancel F'])
    assert.deepEqual(inShort('traderspost', of('exit', { cancel: true })), ['cancel F', 'close all F'])
    assert.deepEqual(inShort('traderspost', of('exit', { cancel: false })), ['close all F'])
  })

  it('the kind, the price and the time in force of an order are taken over, and a reference price is not', () => {
    const order = {
      orderType: 'stop_limit',
      stopPrice: 60,
      limitPrice: '50.50',
      timeInForce: 'gtc',
      extendedHours: true,
    }
    const { orderType, stopPrice, limitPrice, timeInForce, extendedHours } = bodyOf(
      'traderspost',
      of('buy', { quantity: 1, price: 49, signalPrice: 49, ...order }),
    )
    assert.deepEqual(
      [orderType, stopPrice, limitPrice, timeInForce, extendedHours],
      ['stopLimit', '60', '50.5', 'gtc', true],
    )
    assert.equal(bodyOf('traderspost', of('buy', { quantity: 1, price: 49 }))['limitPrice'], undefined)
  })

  const entry = of('buy', { quantity: 1 })
  for (const [message, protection] of [
    [{ stopLoss: { type: 'stop', stopPrice: 10.71 } }, { stop: { price: '10.71' } }],
    [
      { stopLoss: { type: 'stop_limit', stopPrice: 10.71, limitPrice: 10.7 } },
      { stop: { price: '10.71', limitOffset: '0.01' } },
    ],
    [{ timeInForce: 'gtc', stopLoss: { amount: 2 } }, { stop: { amount: '2' } }],
    [{ stopLoss: { type: 'trailing_stop', trailPercent: 1 } }, { trail: { percent: '1' } }],
    [
      { stopLoss: { type: 'trailing_stop', trailAmount: 1, stopPrice: 9 } },
      { stop: { price: '9' }, trail: { amount: '1' } },
    ],
    [{ takeProfit: { limitPrice: 19.99 }, stopLoss: {} }, { target: { price: '19.99' } }],
    [{ takeProfit: 19.99 }, { target: { price: '19.99' } }],
    [
      { takeProfit: { percent: 10 }, stopLoss: { percent: 5 } },
      { target: { percent: '10' }, stop: { percent: '5' } },
    ],
  ] as const)
    it(`the exit of TradersPost's entry with ${inWords(message)} is ${inWords(protection)}`, () => {
      assert.deepEqual(bodyOf('traderspost', { ...entry, ...message })['protection'], protection)
      assert.deepEqual(notifiedOf('traderspost', { ...entry, ...message }), [])
    })

  it('the exit of the hook stays beside a stop or a profit target, but for one that would take all shares at once', () => {
    const exitOf = (message: object, exit: HookSettings['exit']) =>
      Object.keys(bodyOf('traderspost', message, { exit })).filter((name) => /^exit|protection/.test(name))
    const timed = { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 20 }
    assert.deepEqual(exitOf({ ...entry, takeProfit: 19 }, timed), [...Object.keys(timed), 'protection'])
    assert.deepEqual(exitOf(entry, timed), Object.keys(timed))
    assert.deepEqual(exitOf(of('sell'), timed), [])
    const atOnce = { exitTriggerType: 'immediate' }
    assert.deepEqual(exitOf({ ...entry, takeProfit: 19 }, atOnce), ['protection'])
    assert.deepEqual(notifiedOf('traderspost', { ...entry, takeProfit: 19 }, { exit: atOnce }), [
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

  it('a fault of a stop is reported under the name that its sender gave it', () => {
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

  it('a stop beside a message that only closes is left out, and reported', () => {
    assert.deepEqual(notifiedOf('traderspost', of('exit', { stopLoss: { percent: 5 } })), [
      'protection_ignored',
    ])
  })

  for (const [message, faults] of [
    [{}, 'required ticker, required action'],
    [{ ticker: 'F' }, 'required action'],
    [{ ticker: '', action: 'buy' }, 'no_value ticker'],
    [of('buy', { quantity: 1, stopLoss: { stopPrice: '' } }), 'no_value stopLoss.stopPrice'],
    [of('sell', { sentiment: '', quantity: 1 }), 'no_value sentiment'],
    [of('buy', { quantity: ' ' }), 'no_value quantity'],
    [of('bu'), 'unknown_word action'],
    [of('buy', { sentiment: 'happy', quantity: 1 }), 'unknown_word sentiment'],
    [of('exit', { sentiment: 'bullish' }), 'not_allowed sentiment'],
    [of('buy', { quantity: 0 }), 'not_positive quantity'],
    [of('buy', { quantity: 'ten' }), 'invalid_type quantity'],
    [of('buy', { quantity: '1,000' }), 'separators_in_number quantity'],
    [
      of('buy', { quantity: 1, stopLoss: { stopPrice: 9, limitPrice: 9.5 } }),
      'wrong_side stopLoss.limitPrice',
    ],
    [of('buy', { quantity: 1, stopLoss: { percent: 9, limitPrice: 9.5 } }), 'required stopLoss.limitPrice'],
    [of('buy', { quantity: 1, stopLoss: { type: 'trailing_stop' } }), 'required stopLoss.trailPercent'],
    [of('exit', { quantity: 5, quantityType: 'dollar_amount' }), 'unsupported_size quantity'],
    [of('sell', { quantity: 500, quantityType: 'dollar_amount' }), 'unsupported_size quantity'],
    [of('add', { quantity: 5, quantityType: 'percent_of_position' }), 'unsupported_size quantity'],
    [of('exit', { quantity: 101, quantityType: 'percent_of_position' }), 'too_big quantity'],
    [
      of('buy', { quantity: 1, optionType: 'call', strikesAway: 2 }),
      'not_a_share optionType, not_a_share strikesAway',
    ],
    [{ ticker: 'F 240510C68', action: 'buy', quantity: 1 }, 'not_a_share ticker'],
    [of('exit', { orderType: 'trailing_stop', trailAmount: '1' }), 'unsupported_order orderType'],
    [of('cancel', { cancelOrderType: 'limit' }), 'unsupported_cancel cancelOrderType'],
    [of('exit', { delay: 9e6 }), 'out_of_range delay'],
  ] as const)
    it(`TradersPost's message ${inWords(message)} is refused with ${faults}`, () => {
      assert.equal(faultsOf('traderspost', message).join(', '), faults)
    })

  it("TradersPost's message without a size means one share, where the hook has none, and its answer says so", () => {
    const message = of('buy')
    const { quantity, quantityType } = bodyOf('traderspost', message)
    assert.deepEqual([quantity, quantityType], ['1', 'fixed'])
    assert.ok(notifiedOf('traderspost', message).includes('quantity_assumed'))
    assert.equal(bodyOf('traderspost', message, { quantity: '7' })['quantity'], undefined)
  })

  it('test means that nothing is sent, and unknown names mean nothing', () => {
    const { isTest, advisories } = understood(
      'traderspost',
      of('exit', { test: true, rsi: 23, extras: { a: 1 } }),
    )
    assert.equal(isTest, true)
    assert.deepEqual(pluck(advisories, 'message'), ['Fields that mean nothing here were left out: rsi'])
  })
})
