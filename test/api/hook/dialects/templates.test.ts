import assert from 'node:assert/strict'
import { sampleMessage } from '#api/hook/dialects/read.ts'
import { HOOK_KINDS, type HookTemplate } from '#domain/hook/settings.ts'
import { asSampleAlert } from '#domain/hook/sample-alert.ts'
import { alertMessage, takesExit, type AlertChoices } from '#domain/hook/templates.ts'
import type { Fill } from '#test/tradingview/emulator.ts'
import { indicatorMessage, strategyMessage } from '#test/tradingview/message.ts'
import { bodyOf, inShort, NOW, understood } from './support.ts'
import { pluck } from '#test/support/pluck.ts'

const CHART = { ticker: 'F', exchange: 'NYSE', interval: '15' }
const BAR = { time: new Date(NOW - 120_000), open: 11, high: 12, low: 10, close: 11.5 }

const TABLE: HookTemplate = {
  symbol: 'data.items.0.ticker',
  word: 'data.side',
  words: { buy: 'buy', sell: 'sell', out: 'close' },
  quantity: 'data.items.0.size',
  orderType: 'data.type',
  limitPrice: 'data.price',
  id: null,
}

const ALL_CHOICES: AlertChoices[] = (['strategy', 'indicator'] as const).flatMap((on) =>
  (['buy', 'sell', 'close'] as const).flatMap((word) =>
    (['market', 'limit'] as const).flatMap((order) =>
      (['strategy', 'hook', { fixed: '4' }] as const).map((size) => ({ on, word, order, size })),
    ),
  ),
)

/** An order of a strategy that goes from one position to another. */
const fill = (positionBefore: number, position: number): Fill => ({
  id: 'Long',
  comment: '',
  alertMessage: position === 0 ? 'closeLong' : position > 0 ? 'openLong' : 'openShort',
  action: position > positionBefore ? 'buy' : 'sell',
  contracts: Math.abs(position - positionBefore),
  price: 11.5,
  bar: BAR,
  position,
  positionBefore,
  moment: 0,
})

describe('the message of an alert that the web application writes', () => {
  const choices = { mayShort: true, quantity: '3', template: TABLE } as const
  const sent = (kind: (typeof HOOK_KINDS)[number], chosen: AlertChoices, order: Fill): string => {
    const { text } = alertMessage(kind, chosen, TABLE)
    return chosen.on === 'strategy'
      ? strategyMessage(text, CHART, order, new Date(NOW))
      : indicatorMessage(text, CHART, BAR, new Date(NOW))
  }

  for (const kind of HOOK_KINDS)
    it(`a message that was written for ${kind} is read without a fault, a repair or anything left out, for any choice`, () => {
      for (const chosen of ALL_CHOICES)
        for (const [before, now] of [
          [0, 10],
          [10, 0],
          [10, -5],
        ] as const) {
          const message = sent(kind, chosen, fill(before, now))
          const { advisories, identity } = understood(kind, message, choices)
          const codes = pluck(advisories, 'code')
          const isOfOwner = kind === 'tradingview' && chosen.size === 'hook'
          const others = codes.filter((code) => isOfOwner || code !== 'both_legs')
          assert.deepEqual(others, [], `${message} ${JSON.stringify(advisories)}`)
          assert.equal(identity.isWindowed, false, message)
        }
    })

  const ofStrategy = (kind: (typeof HOOK_KINDS)[number], size: AlertChoices['size'], order: Fill) =>
    inShort(kind, sent(kind, { on: 'strategy', word: 'buy', order: 'market', size }, order), choices)

  it('a strategy is followed to the position that it holds, also where it turns', () => {
    for (const kind of ['tradingview', 'json', 'openalgo'] as const)
      assert.deepEqual(ofStrategy(kind, 'strategy', fill(10, -5)), ['target -5 F'])
  })

  it('a strategy of a fixed size turns by that size, and of the size of the hook by that', () => {
    const turn = ': open, reverse, nothing'
    assert.deepEqual(ofStrategy('tradingview', { fixed: '4' }, fill(10, -5)), [`sell 4 F${turn}`])
    assert.deepEqual(ofStrategy('tradingview', 'hook', fill(10, -5)), [`sell default F${turn}`])
    assert.deepEqual(ofStrategy('tradingview', 'hook', fill(10, 0)), ['target 0 F'])
  })

  it('an indicator buys, sells or closes by the word of its alert', () => {
    const ofWord = (word: AlertChoices['word']) => {
      const chosen = { on: 'indicator', word, order: 'market', size: 'hook' } as const
      return inShort('tradingview', sent('tradingview', chosen, fill(0, 0)), choices)
    }
    assert.deepEqual(ofWord('close'), ['close all F'])
    assert.deepEqual(ofWord('buy'), ['buy default F: open, reverse, nothing'])
  })

  it('a stop and a target in percent are the exit of what the message opens, for each kind that has fields for them', () => {
    const plan = { stop: '5', target: '7.5' }
    const chosen = { on: 'indicator', word: 'buy', order: 'market', size: { fixed: '4' }, ...plan } as const
    for (const kind of HOOK_KINDS) {
      const body = bodyOf(kind, sent(kind, chosen, fill(0, 0)), choices)
      const protection = body['protection']
      const isTaken = takesExit(kind, chosen)
      assert.equal(isTaken, kind !== 'openalgo' && kind !== 'template', kind)
      const levels = { stop: { percent: '5' }, target: { percent: '7.5' } }
      assert.deepEqual(protection, isTaken ? levels : undefined)
    }
    assert.equal(takesExit('json', { ...chosen, on: 'strategy' }), false)
    assert.equal(takesExit('tradingview', { ...chosen, word: 'close' }), false)
  })

  it('the script is named where the message relies on it', () => {
    const pineOf = (kind: 'json' | 'tradingview', size: AlertChoices['size']) =>
      alertMessage(kind, { on: 'strategy', word: 'buy', order: 'market', size }, null).pine
    assert.match(pineOf('json', 'hook') ?? '', /alert_message = "openLong"/)
    assert.deepEqual([pineOf('json', 'strategy'), pineOf('tradingview', 'hook')], [null, null])
  })

  it('a fixed value of a table, in quotes of either kind, is in no message', () => {
    const table = { ...TABLE, quantity: "'5'", word: '"buy"' }
    const chosen = { on: 'indicator', word: 'buy', order: 'market', size: { fixed: '4' } } as const
    const message = JSON.parse(alertMessage('template', chosen, table).text) as object
    assert.deepEqual(Object.keys(message), ['data', 'timenow'])
  })

  it('a sample of a message is as TradingView would send it', () => {
    const values = { ticker: 'F', now: new Date(NOW).toISOString(), price: '11.5' }
    for (const kind of HOOK_KINDS)
      for (const chosen of ALL_CHOICES)
        understood(kind, asSampleAlert(alertMessage(kind, chosen, TABLE).text, values), choices)
  })

  it('the test request of a hook is a purchase of one share, in the language of its kind', () => {
    for (const kind of HOOK_KINDS) {
      const [trade] = understood(kind, sampleMessage(kind, choices), choices).instructions
      assert.ok(trade?.kind === 'trade')
      const { symbol, action, quantity } = trade.body
      assert.deepEqual([symbol, action, quantity], ['AAPL', 'openLong', '1'], kind)
    }
  })
})
