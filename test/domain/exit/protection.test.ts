import assert from 'node:assert/strict'
import { decimal } from '#domain/money/decimal.ts'
import {
  breakEvenPrice,
  crossedLevel,
  levelFaults,
  restingOrder,
  stopNow,
  watchedParts,
  type ProtectedPosition,
  type Protection,
  type RestingOrder,
} from '#domain/exit/protection.ts'

const NOTHING: Protection = { stop: null, target: null, trail: null, breakEven: null, until: 'closed' }
const LONG: ProtectedPosition = { side: 'LONG', average: '100', fees: '0' }
const SHORT: ProtectedPosition = { side: 'SHORT', average: '100', fees: '0' }
const ALPACA = { oco: true, trailing: true }
const PLAIN = { oco: false, trailing: false }

describe('exit plans', () => {
  const plan: Protection = { ...NOTHING, stop: { percent: '5' }, target: { amount: '10' } }

  it('a stop and a target of a long position lie below and above its average fill, and the other way round for a short one', () => {
    const resting = (position: ProtectedPosition) =>
      restingOrder(plan, position, position.average, { quantity: '10', abilities: ALPACA })
    const oco = { orderType: 'oco', timeInForce: 'gtc' } as const
    assert.deepEqual(resting(LONG), { ...oco, limitPrice: '110', stopPrice: '95' })
    assert.deepEqual(resting(SHORT), { ...oco, limitPrice: '90', stopPrice: '105' })
  })

  it('an exit has its stop at a broker without oco, and of parts of a share by the day, and its target is watched', () => {
    for (const [quantity, abilities, timeInForce] of [
      ['10', PLAIN, 'gtc'],
      ['0.5', ALPACA, 'day'],
    ] as const) {
      const resting = restingOrder(plan, LONG, '100', { quantity, abilities })
      assert.deepEqual(resting, { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce })
      assert.deepEqual(watchedParts(plan, LONG, '100', resting), ['target'])
      assert.equal(crossedLevel(plan, LONG, '100', resting, '94'), null)
      assert.equal(crossedLevel(plan, LONG, '100', resting, '109.99'), null)
      assert.deepEqual(crossedLevel(plan, LONG, '100', resting, '110'), {
        level: 'target',
        at: '110',
        price: '110',
      })
    }
  })

  it('the stop of an exit is the closest to the market of stop, trail and break-even', () => {
    const all: Protection = {
      ...NOTHING,
      stop: { price: '95' },
      trail: { percent: '10', after: { percent: '20' } },
      breakEven: { amount: '4' },
    }
    const at = (best: `${number}`) => stopNow(all, LONG, best)
    assert.deepEqual(at('100'), { price: '95', by: 'stop' })
    assert.deepEqual(at('103.99'), { price: '95', by: 'stop' })
    assert.deepEqual(at('104'), { price: '100', by: 'breakEven' })
    assert.deepEqual(at('119.99'), { price: '100', by: 'breakEven' })
    assert.deepEqual(at('120'), { price: '108', by: 'trail' })
  })

  it('a trail alone is the broker’s from the entry on, and otherwise a stop that begins at the best price that is known', () => {
    const trails: Protection = { ...NOTHING, trail: { percent: '3' } }
    const lies = restingOrder(trails, SHORT, '100', { quantity: '5', abilities: ALPACA })
    assert.deepEqual(lies?.trail, { percent: '3' })
    assert.deepEqual(watchedParts(trails, SHORT, '100', lies), [])
    const type = (changes: Partial<Protection>, best: `${number}`, resting: RestingOrder | null = null) => {
      const order = restingOrder({ ...trails, ...changes }, SHORT, best, {
        quantity: '5',
        abilities: ALPACA,
        resting,
      })
      return [order?.orderType, order?.stopPrice]
    }
    assert.deepEqual(type({}, '90', lies), ['trailingStop', null])
    assert.deepEqual(type({}, '90'), ['stop', '92.7'])
    assert.deepEqual(type({ trail: { percent: '2' } }, '90', lies), ['stop', '91.8'])
    assert.deepEqual(type({ target: { price: '70' } }, '90', lies), ['oco', '92.7'])
    assert.deepEqual(type({ stop: { price: '101' } }, '90', lies), ['stop', '92.7'])
    assert.deepEqual(type({ breakEven: { percent: '50' } }, '100'), ['stop', '103'])
    const own = restingOrder(trails, SHORT, '90', { quantity: '5', abilities: PLAIN })
    assert.deepEqual(own, { orderType: 'stop', limitPrice: null, stopPrice: '92.7', timeInForce: 'gtc' })
    assert.equal(crossedLevel(trails, SHORT, '90', own, '92.7'), null)
    const behind = own && { ...own, stopPrice: '93' as const }
    assert.deepEqual(crossedLevel(trails, SHORT, '90', behind, '92.7'), {
      level: 'stop',
      at: '92.7',
      price: '92.7',
    })
  })

  it('a trail of the broker that began below the price of the entry is kept here as well', () => {
    const trails: Protection = { ...NOTHING, trail: { percent: '5' } }
    const order = restingOrder(trails, LONG, '100', { quantity: '10', abilities: ALPACA })
    assert.equal(order?.orderType, 'trailingStop')
    assert.equal(crossedLevel(trails, LONG, '100', order, '95.01'), null)
    assert.equal(crossedLevel(trails, LONG, '100', order, '95')?.level, 'stop')
  })

  it('a level of an exit that would lie below zero is a fault, the limit of a stop and a trail too', () => {
    const faults = (changes: Partial<Protection>, side: 'LONG' | 'SHORT' = 'LONG') =>
      levelFaults({ ...NOTHING, ...changes }, side, '100').map(({ part }) => part)
    assert.deepEqual(faults({ stop: { amount: '150' } }), ['stop'])
    assert.deepEqual(faults({ stop: { price: '0.50', limitOffset: '1' } }), ['stop'])
    assert.deepEqual(faults({ target: { amount: '10' }, trail: { amount: '200' } }), ['trail'])
    assert.deepEqual(faults({ target: { amount: '150' } }, 'SHORT'), ['target'])
    assert.deepEqual(faults({ stop: { amount: '150' }, trail: { amount: '200' } }, 'SHORT'), [])
  })

  it('break-even of an exit covers fees, and is rounded away from a loss', () => {
    assert.equal(breakEvenPrice({ ...LONG, fees: '0.021' }), '100.03')
    assert.equal(breakEvenPrice({ ...SHORT, fees: '0.021' }), '99.97')
    assert.equal(breakEvenPrice(LONG), '100')
  })

  it('a stop above the price of a long position, or a target below it, is a fault', () => {
    const wrong: Protection = { ...NOTHING, stop: { price: '101' }, target: { price: '99' } }
    assert.deepEqual(
      levelFaults(wrong, 'LONG', '100').map(({ part }) => part),
      ['stop', 'target'],
    )
    assert.deepEqual(levelFaults(wrong, 'SHORT', '100'), [])
  })

  it('break-even of an exit is watched until the stop at the broker is there', () => {
    const even: Protection = { ...NOTHING, stop: { percent: '5' }, breakEven: { percent: '2' } }
    const at = (stopPrice: `${number}`) =>
      watchedParts(even, LONG, '103', { orderType: 'stop', limitPrice: null, stopPrice, timeInForce: 'gtc' })
    assert.deepEqual(at('95'), ['breakEven'])
    assert.deepEqual(at('100'), [])
  })

  it('break-even of an exit counts once the price was better than that, and not at the first uptick', () => {
    const even: Protection = { ...NOTHING, stop: { percent: '5' }, breakEven: { amount: '0.01' } }
    const by = (best: `${number}`) => stopNow(even, { ...LONG, fees: '0.05' }, best)?.by
    assert.deepEqual(
      ['100.01', '100.05', '100.06'].map((best) => by(decimal(best))),
      ['stop', 'stop', 'breakEven'],
    )
  })
})
