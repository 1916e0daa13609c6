import assert from 'node:assert/strict'
import { compare, type Decimal } from '#domain/money/decimal.ts'
import type { HookKind } from '#domain/hook/settings.ts'
import { isInTicks, notInTicks, tickAt, toTick } from '#domain/money/price-tick.ts'
import { bodyOf, faultsOf, notifiedOf } from './support.ts'

type Levels = { stop: number | string; target: number | string }

/** The same wish in the words of each sender that says levels. */
const SENDERS: Partial<Record<HookKind, (side: 'LONG' | 'SHORT', levels: Levels) => object>> = {
  json: (side, { stop, target }) => {
    const protection = { stop: { price: stop }, target: { price: target } }
    return { symbol: 'F', action: side === 'LONG' ? 'openLong' : 'openShort', quantity: 1, protection }
  },
  tradingview: (side, { stop, target }) => ({ ...trade(side), stopLoss: stop, takeProfit: target }),
  traderspost: (side, { stop, target }) => ({
    ...trade(side),
    stopLoss: { type: 'stop', stopPrice: stop },
    takeProfit: { limitPrice: target },
  }),
}
const trade = (side: 'LONG' | 'SHORT') => ({
  ticker: 'F',
  action: side === 'LONG' ? 'buy' : 'sell',
  quantity: 1,
})
const KINDS = Object.entries(SENDERS) as [HookKind, (typeof SENDERS)[HookKind]][]

/** Prices as scripts calculate them, on both sides of a dollar and of a tick. */
const CALCULATED = [0.51239, 0.99999, 1.001, 9.999, 10.005, 98.4375, 187.541, 1234.56789]

describe('levels in ticks', () => {
  for (const [kind, messageOf] of KINDS)
    for (const side of ['LONG', 'SHORT'] as const)
      it(`levels in ticks are made of calculated ones that ${kind} sends for a ${side} position, and close no later`, () => {
        for (const price of CALCULATED)
          for (const written of [price, String(price)]) {
            const message = messageOf!(side, { stop: written, target: written })
            const { protection } = bodyOf(kind, message, { mayShort: true })
            const { stop, target } = protection as Record<'stop' | 'target', { price: Decimal }>
            const [sooner, later] = side === 'LONG' ? [stop, target] : [target, stop]
            assert.equal(compare(sooner.price, `${price}`), 1, `${price}`)
            assert.equal(compare(later.price, `${price}`), -1, `${price}`)
            for (const level of [stop, target]) {
              assert.ok(isInTicks(level.price), level.price)
              const away = Math.abs(Number(level.price) - price)
              assert.ok(away < Number(tickAt(`${price}`)), `${price} ${level.price}`)
            }
            const codes = notifiedOf(kind, message, { mayShort: true })
            assert.equal(codes.filter((code) => code === 'price_rounded_to_tick').length, 2)
          }
      })

  it('levels in ticks stay as they are, and so does what floating point adds to them', () => {
    for (const [kind, messageOf] of KINDS)
      for (const [stop, target] of [
        [0.5123, 12],
        [10, 187.54],
        [0.1 + 0.2, 187.54000000000002],
      ] as const)
        assert.ok(
          !notifiedOf(kind, messageOf!('LONG', { stop, target })).includes('price_rounded_to_tick'),
          kind,
        )
  })

  it('levels in ticks leave a price of almost nothing to the rules that refuse it', () => {
    const faults = (level: number) =>
      faultsOf('tradingview', SENDERS.tradingview!('SHORT', { stop: level, target: level }))
    assert.deepEqual(faults(0.00001), faults(1))
  })

  it('levels in ticks keep the limit behind the stop that a sender has calculated', () => {
    const stopLoss = { type: 'stop_limit', stopPrice: 98.4375, limitPrice: 96.1234 }
    const body = bodyOf('traderspost', { ...trade('LONG'), stopLoss })
    assert.deepEqual(body['protection'], { stop: { price: '98.44', limitOffset: '2.32' } })
  })

  it('levels in ticks are named to a person who types another price', () => {
    for (const [price, near] of [
      ['10.005', '10 or 10.01'],
      ['0.99999', '0.9999 or 1'],
      ['0.00001', '0.0001'],
    ] as const)
      assert.equal(notInTicks(price), `must have at most 2 decimals, or 4 below a dollar: ${near}`)
    for (const price of CALCULATED.map((value): Decimal => `${value}`)) {
      assert.equal(compare(toTick(price, 'down'), price), -1)
      assert.equal(compare(toTick(price, 'up'), price), 1)
    }
  })
})
