import assert from 'node:assert/strict'
import type { HookKind, HookTemplate } from '#domain/hook/settings.ts'
import { faultsOf, notifiedOf } from './support.ts'

const TEMPLATE: HookTemplate = {
  symbol: 'data.ticker',
  word: 'data.side',
  words: { buy: 'buy', out: 'close' },
  quantity: 'data.size',
  orderType: null,
  limitPrice: 'data.stop',
  id: null,
}
const WITH_TABLE = { template: TEMPLATE }

/** What asks for a stop or a target, and the field that does. */
type Asks = readonly [fields: object, field: string]
const OF_EACH: readonly Asks[] = [
  [{ risk: { stopLoss: 9 } }, 'risk.stopLoss'],
  [{ exit: { stop: '9' } }, 'exit.stop'],
  [{ orders: [{ a: 1 }, { tp: 12 }] }, 'orders.1.tp'],
  [{ hard_stop: 9 }, 'hard_stop'],
  [{ TP2: '12' }, 'TP2'],
  [{ trail_pct: 2 }, 'trail_pct'],
]
const BUY = { action: 'buy', quantity: 1 }
const TABLE: readonly [HookKind, entry: object, ...asks: Asks[]][] = [
  [
    'tradingview',
    { ticker: 'F', action: 'buy', contracts: 1 },
    [{ sl_price: 9 }, 'sl_price'],
    [{ stop_loss_points: 2 }, 'stop_loss_points'],
    [{ trail_offset: 2 }, 'trail_offset'],
    [{ stopLoss: { value: 9 } }, 'stopLoss.value'],
  ],
  [
    'traderspost',
    { ticker: 'F', ...BUY },
    [{ stopLossPrice: 9 }, 'stopLossPrice'],
    [{ take_profit_price: 12 }, 'take_profit_price'],
    [{ target: { price: 12 } }, 'target.price'],
  ],
  ['trade-relay', { symbol: 'F', ...BUY }, [{ slPips: 20 }, 'slPips']],
  ['signalstack', { symbol: 'F', ...BUY }, [{ bracket: true }, 'bracket']],
  ['openalgo', { symbol: 'F', action: 'BUY', quantity: 1 }, [{ stoploss: '9' }, 'stoploss']],
  ['template', { data: { ticker: 'F', side: 'buy', size: 1, stop: 11 } }, [{ stopLoss: 9 }, 'stopLoss']],
]

describe('a stop or a profit target under a name that is not read', () => {
  for (const [kind, entry, ...asks] of TABLE)
    for (const [fields, field] of [...asks, ...OF_EACH])
      it(`an entry with ${JSON.stringify(fields)} (${kind}) is refused, or sent without by the hook's choice`, () => {
        const message = { ...entry, ...fields }
        const faults = faultsOf(kind, message, WITH_TABLE)
        assert.deepEqual(faults, [`protection_not_kept ${field}`])
        const told = notifiedOf(kind, message, { ...WITH_TABLE, protection: 'ignore' })
        assert.equal(told[0], 'protection_ignored', told.join())
      })

  it('a name of a stop that says there is none, or is beside a close, refuses nothing', () => {
    for (const [kind, entry] of TABLE)
      for (const none of [0, '0.0', '', null, false, {}, []])
        assert.deepEqual(
          faultsOf(kind, { ...entry, hard_stop: none }, WITH_TABLE),
          [],
          `${kind} ${JSON.stringify(none)}`,
        )
    assert.deepEqual(faultsOf('traderspost', { ticker: 'F', action: 'exit', slPips: 20 }), [])
    assert.deepEqual(faultsOf('tradingview', { ticker: 'F', position_size: 0, slPips: 20 }), [])
  })

  it('a field that has other meanings, a secret or a word of a stop within another word is none', () => {
    const others = {
      rsi: 70,
      setup: 'stop',
      tpe: 1,
      slope: 2,
      desktop: 3,
      extras: { stop: 9 },
      message: 'stop',
    }
    assert.deepEqual(faultsOf('traderspost', { ticker: 'F', ...BUY, ...others }), [])
  })

  it('stops under names that are not read are reported, ten of many', () => {
    const stops = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`stop${at}`, 1]))
    assert.equal(faultsOf('traderspost', { ticker: 'F', ...BUY, ...stops }).length, 10)
  })

  it('a stop of TradersPost whose price has another name is refused', () => {
    const stopLoss = (value: object) => faultsOf('traderspost', { ticker: 'F', ...BUY, stopLoss: value })
    assert.deepEqual(stopLoss({ price: 9 }), ['required stopLoss.stopPrice'])
    assert.deepEqual(stopLoss({ value: 9 }), ['required stopLoss.stopPrice'])
    assert.deepEqual(stopLoss({ value: 0, enabled: false }), [])
  })
})
