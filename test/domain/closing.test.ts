import assert from 'node:assert/strict'
import { lookAtClosing, type Closing, type ClosingScene } from '#domain/closing.ts'
import { PositionShares } from '#domain/ownership.ts'
import type { LiveOrder } from '#domain/symbol-book.ts'
import { signalTerms } from '#test/support/sample-signal.ts'

const NOW = '2026-03-02T15:00:00.000Z'
const millisecondsAfter = (milliseconds: number): number => Date.parse(NOW) + milliseconds

/** Closes ten shares that a market order, sent a moment ago, is about to sell. */
const closing: Closing = {
  terms: signalTerms({ action: 'closeLong' }),
  closer: 'signal',
  asOf: NOW,
  dueSince: NOW,
  judge: (closable) => ({ outcome: 'ready', quantity: closable, advisories: [] }),
}
const inFlight: LiveOrder = {
  clientOrderId: 'other',
  brokerOrderId: null,
  signalId: 'other',
  role: 'exit',
  symbol: 'AAPL',
  side: 'SELL',
  open: '10',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  knownAt: null,
  takes: [{ owner: 'other', quantity: '10' }],
  cancelledFor: null,
}
const scene: ClosingScene = {
  position: { side: 'LONG', quantity: '10', availableQuantity: '10' },
  book: {
    asOf: NOW,
    shares: new PositionShares('LONG', [{ owner: 'other', quantity: '10' }]),
    changedAt: null,
    live: [inFlight],
    unattributed: [],
    yielding: [],
  },
  holders: null,
  now: millisecondsAfter(0),
}

describe('a close of shares that an order in flight is about to take', () => {
  const denied = {
    outcome: 'denied',
    code: 'POSITION_HELD',
    detail: 'None of the 10 AAPL held can be closed: orders of ours close them: SELL 10 AAPL market (other)',
  }

  it('waits for that order, and tells how it is decided should the order not end', () => {
    assert.deepEqual(lookAtClosing(closing, scene), { waits: denied.detail, otherwise: denied })
  })

  it('is denied with POSITION_HELD after 15 seconds', () => {
    assert.ok('waits' in lookAtClosing(closing, { ...scene, now: millisecondsAfter(14_999) }))
    assert.deepEqual(lookAtClosing(closing, { ...scene, now: millisecondsAfter(15_000) }), {
      decided: denied,
    })
  })
})
