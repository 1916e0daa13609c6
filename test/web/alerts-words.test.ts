import assert from 'node:assert/strict'
import type { Alert } from '#client/types.ts'
import { ALERT_KINDS } from '#domain/alert/alert.ts'
import { alertTitle, remedyOf } from '#web/alert/words.ts'

type Fields = Pick<Alert, 'kind' | 'symbol' | 'details' | 'resolvedAt'>
const alert = (fields: Partial<Fields> & Pick<Fields, 'kind'>): Fields => ({
  symbol: null,
  details: {},
  resolvedAt: null,
  ...fields,
})

describe('the words of an alert', () => {
  it('say of every kind what happened', () => {
    for (const kind of ALERT_KINDS) assert.match(alertTitle(alert({ kind, symbol: 'AMD' })), /^[A-Z]/, kind)
  })

  it('name the symbol of a position that the broker shows otherwise, and of shares that were closed there', () => {
    assert.equal(
      alertTitle(alert({ kind: 'position_differs', symbol: 'NVDA' })),
      'NVDA position differs at the broker',
    )
    assert.equal(
      alertTitle(alert({ kind: 'sold_elsewhere', symbol: 'GME' })),
      'GME was closed at the broker, outside this app',
    )
    assert.equal(alertTitle(alert({ kind: 'stream_refused' })), 'The broker refuses order streaming')
  })

  it('say that trading is stopped, instead of late, where a stop keeps an order back', () => {
    const late = alert({ kind: 'action_overdue', symbol: 'CSCO', details: { cause: 'no_worker' } })
    assert.equal(alertTitle(late), 'CSCO is overdue')
    assert.equal(alertTitle({ ...late, details: { cause: 'halted' } }), 'CSCO waits: trading is stopped')
  })

  it('offer to accept a position and to let an order go, while the alert is open and names it', () => {
    const details = { orderId: '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a' }
    assert.equal(remedyOf(alert({ kind: 'position_differs' })), 'accept')
    assert.equal(remedyOf(alert({ kind: 'order_unknown_at_broker', details })), 'let go')
    assert.equal(remedyOf(alert({ kind: 'order_unknown_at_broker' })), null)
    assert.equal(remedyOf(alert({ kind: 'ended_unfilled' })), null)
    assert.equal(remedyOf(alert({ kind: 'position_differs', resolvedAt: '2026-03-02T15:00:00.000Z' })), null)
  })
})
