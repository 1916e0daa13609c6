import assert from 'node:assert/strict'
import { neighboursOf } from '#web/approvals/neighbours.ts'
import type { Account, Halt, Quote, Signal } from '#client/types.ts'
import { knownRefusal, refusalOf, type Check } from '#web/approvals/refusal.ts'
import { stepped } from '#web/approvals/steps.ts'
import { totalOf } from '#web/approvals/total.ts'

const signal = (changes: Partial<Signal> = {}): Signal =>
  ({
    accountId: 'a',
    symbol: 'AAPL',
    action: 'openLong',
    quantity: 10,
    quantityType: 'fixed',
    limitPrice: null,
    stopPrice: null,
    targetPosition: null,
    wish: null,
    ...changes,
  }) as Signal

const denied = (code: string): Check =>
  ({
    dryRun: {
      outcome: 'denied',
      code,
      verdicts: [
        { rule: 'size', outcome: 'passed', message: 'The order is for 10 shares' },
        { rule: 'any', outcome: 'denied', code, message: 'why, with figures' },
      ],
    },
    driftLimitPercent: 5,
    message: '',
  }) as unknown as Check

describe('words of the queue of approvals', () => {
  it('step a quantity by one and a price by its tick, from between two steps to the next, and never to zero', () => {
    const both = (field: 'quantity' | 'limitPrice', text: string) =>
      `${stepped(field, text, false)} ${stepped(field, text, true)}`
    assert.deepEqual(
      ['10', '1', '2.5', '0.5', '', 'ten'].map((text) => both('quantity', text)),
      ['9 11', 'null 2', '2 3', 'null 1', 'null null', 'null null'],
    )
    assert.deepEqual(
      ['226.50', '226.505', '1', '0.9999', '0.0001', '-3'].map((text) => both('limitPrice', text)),
      ['226.49 226.51', '226.5 226.51', '0.99 1.01', '0.9998 1', 'null 0.0002', 'null null'],
    )
  })

  it('say why an order would be refused, and what its person can do about it', () => {
    const told = (code: string) => {
      const { short, mend, canChange } = refusalOf(denied(code))!
      return [short, mend, canChange]
    }
    assert.deepEqual(told('PRICE_DRIFTED'), ['price moved more than 5 %', null, true])
    assert.deepEqual(told('PRICE_OUTSIDE_COLLAR'), ['limit too far from the price', 'limitPrice', true])
    assert.deepEqual(told('INSUFFICIENT_FUNDS'), ['not enough buying power', 'quantity', true])
    assert.deepEqual(told('TRADING_STOPPED'), ['trading is stopped', 'resume', true])
    assert.deepEqual(told('INVALID_ORDER'), ['', null, false])
    assert.equal(refusalOf({ dryRun: { outcome: 'ready' } } as Check), null)
    assert.equal(refusalOf(undefined), null)
  })

  it('show a halt on the rows that it concerns, and the last check on others', () => {
    const halt = (changes: Partial<Halt>): Halt =>
      ({ level: 'pauseEntries', accountId: null, ...changes }) as Halt
    assert.equal(knownRefusal(signal(), undefined, [halt({})]), 'entries are paused')
    assert.equal(knownRefusal(signal({ action: 'closeLong' }), undefined, [halt({})]), null)
    assert.equal(knownRefusal(signal(), undefined, [halt({ accountId: 'b' })]), null)
    assert.equal(knownRefusal(signal(), denied('PRICE_DRIFTED'), []), 'price moved more than 5 %')
  })

  it('show what a selection comes to, as far as it is known', () => {
    const accounts = new Map([['a', { equity: 100_000 } as Account]])
    const prices = new Map([['AAPL', { last: 200 } as Quote]])
    const total = (...signals: Signal[]) => totalOf(signals, accounts, prices)
    assert.equal(total(signal()), '1 order, about $2,000')
    assert.equal(
      total(signal({ limitPrice: 190 }), signal({ quantityType: 'percentEquity', quantity: 5 })),
      '2 orders, about $6,900',
    )
    assert.equal(
      total(signal({ symbol: 'MSFT' }), signal({ quantityType: 'dollarAmount', quantity: 1_000 })),
      '2 orders, about $1,000 and 1 of unknown value',
    )
    const byPosition = signal({ id: 'of a target', targetPosition: -20 })
    assert.equal(total(byPosition), '1 order')
    const checked = (id: string) => (id === 'of a target' ? 12_720 : null)
    assert.equal(totalOf([byPosition, signal()], accounts, prices, checked), '2 orders, about $14,720')
  })

  it('order what is opened after a decision: what lies behind it, then what was passed over, from the nearest on', () => {
    const queue = ['a', 'b', 'c', 'd']
    assert.deepEqual(
      queue.map((id) => neighboursOf(id, queue).join('')),
      ['bcd', 'cda', 'dba', 'cba'],
    )
    assert.deepEqual(neighboursOf('gone', queue), [])
  })
})
