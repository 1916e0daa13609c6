import assert from 'node:assert/strict'
import { dayGain, dayReference, realisedToday } from '#domain/account/day-result.ts'

describe('the result of today', () => {
  const nothing = { quantity: '0', value: '0' } as const
  const shown = { quantity: '10', currentPrice: '103', dayChange: '5' } as const

  it('counts from the last close for shares that were held before', () => {
    assert.equal(dayReference(shown, nothing), '98')
    assert.equal(dayGain({ ...shown, side: 'LONG' }, '98'), '50')
    assert.equal(dayGain({ ...shown, side: 'SHORT' }, '98'), '-50')
  })

  it('counts from the purchase for shares that were bought today, for any price since the last close', () => {
    // Bought at 104 with a fee of 10 cents: a loss, though the price has gained 5 dollars since the close.
    const reference = dayReference(shown, { quantity: '10', value: '1040.1' })
    assert.equal(reference, '104.01')
    assert.equal(dayGain({ ...shown, side: 'LONG' }, reference), '-10.1')
  })

  it('counts each share from its own', () => {
    // 6 from the close at 98, 4 bought at 102: (6 * 98 + 4 * 102) / 10.
    assert.equal(dayReference(shown, { quantity: '4', value: '408' }), '99.6')
  })

  it('the result of today is not known where the last close is needed and missing', () => {
    assert.equal(dayReference({ ...shown, dayChange: null }, { quantity: '4', value: '408' }), null)
    assert.equal(dayReference({ ...shown, dayChange: null }, { quantity: '10', value: '1020' }), '102')
  })

  it('counts from the purchase while the broker shows fewer shares than were bought today', () => {
    assert.equal(dayReference(shown, { quantity: '20', value: '2040' }), '102')
  })

  it('counts from the last close for shares that were held then and closed today, less the fees of closing', () => {
    // Bought at 90 and sold at 103 for 5 cents: since the close at 98 they have brought 50 - 0.05.
    const closed = { quantity: '10', exitValue: '1030', exitFees: '0.05', realisedPnl: '129.9' } as const
    assert.equal(realisedToday({ ...closed, side: 'LONG', lastClose: '98' }), '49.95')
    assert.equal(realisedToday({ ...closed, side: 'SHORT', lastClose: '98' }), '-50.05')
  })

  it('the result of today is all that shares have brought that were opened today, or whose last close is not known', () => {
    const closed = { quantity: '10', exitValue: '1030', exitFees: '0.05', realisedPnl: '129.9' } as const
    assert.equal(realisedToday({ ...closed, side: 'LONG', lastClose: null }), '129.9')
  })
})
