import assert from 'node:assert/strict'
import { entryToSend } from '#domain/order/entry-order.ts'
import { signalTerms } from '#test/support/sample-signal.ts'

const at = (minute: number): string => `2026-03-02T15:${String(minute).padStart(2, '0')}:00.000Z`
const sendBefore = (
  terms: Parameters<typeof signalTerms>[0],
  turn: { sequencedAt?: string; sequencingUntil?: string } = {},
): string | null =>
  entryToSend(signalTerms({ acceptedAt: at(0), ...terms }), { quantity: '10', ...turn }).sendBefore

describe('the entry order as it was decided', () => {
  it('the entry order as it was decided has the first client order id of its signal, and the decided size', () => {
    const terms = signalTerms({ quantity: '99' })
    const { request } = entryToSend(terms, { quantity: '10' })
    assert.deepEqual([request.clientOrderId, request.quantity], [`${terms.signalId}-e1`, '10'])
  })

  it('the entry order as it was decided may be sent as long as the signal says, or as it is valid', () => {
    assert.equal(sendBefore({ sendBefore: at(1) }), at(1))
    assert.equal(sendBefore({ sendBefore: null, validUntil: at(2) }), at(2))
    assert.equal(sendBefore({ sendBefore: null, validUntil: null }), null)
  })

  it('the entry order as it was decided may be sent for as long after its wait as it could from its time on', () => {
    const turn = { sequencedAt: at(30) }
    assert.equal(sendBefore({ sendBefore: at(1) }, turn), at(31))
    assert.equal(sendBefore({ scheduledAt: at(10), sendBefore: at(12) }, turn), at(32))
    assert.equal(sendBefore({ scheduledAt: at(5), dueAt: at(10), sendBefore: at(12) }, turn), at(37))
  })

  it('the entry order as it was decided is not sent after it was to have waited, nor after it is valid', () => {
    const turn = { sequencedAt: at(30), sequencingUntil: at(30) }
    assert.equal(sendBefore({ sendBefore: at(1) }, turn), at(30))
    assert.equal(sendBefore({ sendBefore: at(20), validUntil: at(20) }, turn), at(20))
  })
})
