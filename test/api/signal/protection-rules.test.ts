import assert from 'node:assert/strict'
import { faultsOf, judged, read } from './support/body.ts'

const STOP = { stop: { percent: 5 } }
const AT_LIMIT = { orderType: 'limit', limitPrice: 100 }
const RISK = { quantityType: 'riskDollars' }

describe('the protection of a signal', () => {
  it('the protection of a signal is read exactly, numbers as text too, and null for a part that is left out', () => {
    const protection = {
      stop: { price: '95.50', percent: null, limitOffset: 0.1 },
      target: { amount: '7.25' },
      trail: { percent: 2, after: { percent: '3' } },
      breakEven: { amount: 4 },
    }
    assert.deepEqual(read({ protection }).protection, {
      stop: { price: '95.5', limitOffset: '0.1' },
      target: { amount: '7.25' },
      trail: { percent: '2', after: { percent: '3' } },
      breakEven: { amount: '4' },
      until: 'closed',
    })
    assert.deepEqual(
      read({ protection: { target: { percent: 4 }, stop: null, until: 'session' } }).protection,
      { stop: null, target: { percent: '4' }, trail: null, breakEven: null, until: 'session' },
    )
  })

  judged('the protection of a signal', [
    ['nothing in it', { protection: {} }, 'protection: required'],
    ['break-even alone', { protection: { breakEven: { percent: 1 } } }, 'protection: required'],
    [
      'break-even beside a target alone',
      { protection: { target: { percent: 5 }, breakEven: { percent: 1 } } },
      'protection.breakEven: not_allowed',
    ],
    [
      'for one session, with nothing that lies at the broker',
      { protection: { trail: { percent: 5, after: { percent: 2 } }, until: 'session' } },
      'protection.until: not_allowed',
    ],
    [
      'every fault at once',
      {
        protection: {
          stop: { price: 95, percent: 5 },
          target: {},
          trail: { percent: 100, after: { price: 4 } },
          breakEven: { amount: '-1' },
          until: 'tomorrow',
          tp: 4,
        },
      },
      'protection.stop: custom',
      'protection.target: custom',
      'protection.trail.percent: custom',
      'protection.trail.after.price: unrecognized_key',
      'protection.trail.after: custom',
      'protection.breakEven.amount: custom',
      'protection.until: invalid_value',
      'protection.tp: unrecognized_key',
    ],
    [
      'prices in parts of a cent',
      { protection: { stop: { price: 95.001, limitOffset: 0.00001 }, target: { price: 0.12345 } } },
      'protection.stop.price: custom',
      'protection.stop.limitOffset: custom',
      'protection.target.price: custom',
    ],
    [
      'a placeholder',
      { protection: { stop: { price: '{{close}}' } } },
      'protection.stop.price: invalid_format',
    ],
    ['a closing action', { action: 'closeLong', protection: STOP }, 'protection: not_allowed'],
    ['an exit at once', { exitTriggerType: 'immediate', protection: STOP }, 'protection: not_allowed'],
    [
      'a stop above the limit of a purchase, and a target below it',
      { ...AT_LIMIT, protection: { stop: { price: 100 }, target: { price: 99 } } },
      'protection.stop.price: wrong_side',
      'protection.target.price: wrong_side',
    ],
  ])
  judged('the size of a signal', [
    ['by risk with a stop', { quantityType: 'riskPercent', quantity: 1, protection: STOP }],
    ['by risk with a trail from the fill on', { ...RISK, protection: { trail: { percent: 2 } } }],
    ['by risk without a plan', RISK, 'protection: required'],
    [
      'by risk with a target and a trail that begins later',
      {
        ...RISK,
        protection: { target: { percent: 5 }, trail: { percent: 2, after: { percent: 1 } } },
      },
      'protection: required',
    ],
    ['by a plan that is at fault', { ...RISK, protection: { stop: {} } }, 'protection.stop: custom'],
    [
      'by risk of more than all, of a close',
      { action: 'closeLong', quantityType: 'riskPercent', quantity: 101 },
      'quantity: too_big',
      'quantityType: not_allowed',
    ],
    ['in percent of the position', { action: 'closeShort', quantityType: 'percentPosition', quantity: 100 }],
    [
      'in percent of the position, of an opening action, and more than all',
      { quantityType: 'percentPosition', quantity: 100.5 },
      'quantity: too_big',
      'quantityType: not_allowed',
    ],
    [
      'by risk of a target',
      { quantityType: 'riskPercent', quantity: 1, targetPosition: 5 },
      'quantityType: not_allowed',
    ],
  ])

  it('the protection of a signal says nothing where its target only closes', () =>
    assert.deepEqual(faultsOf({ action: 'closeLong', targetPosition: 0, protection: STOP }), []))
})
