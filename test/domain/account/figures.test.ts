import assert from 'node:assert/strict'
import { dollarAmount, figure, shareCount, sharesOf } from '#domain/money/decimal.ts'

describe('figures in messages', () => {
  it('carry no zeros that say nothing, and a comma between thousands', () => {
    assert.deepEqual(
      (['7.000000000', '0.500000000', '1234567.1250', '1000', '-1000', '100', '0.123456'] as const).map(
        figure,
      ),
      ['7', '0.5', '1,234,567.125', '1,000', '-1,000', '100', '0.123456'],
    )
  })

  it('figures in messages of shares say "1 share" and "2 shares"', () => {
    assert.deepEqual((['1.000000000', '2', '0.5', '0', '10000'] as const).map(shareCount), [
      '1 share',
      '2 shares',
      '0.5 shares',
      '0 shares',
      '10,000 shares',
    ])
    assert.equal(sharesOf('7.000000000', '7'), '7 of 7 shares')
    assert.equal(sharesOf('0', '1'), '0 of 1 share')
  })

  it('figures in messages of dollars are written to the cent, or without cents where there are none', () => {
    assert.deepEqual((['1000000', '187.5', '0.005', '-20', '999.999'] as const).map(dollarAmount), [
      '$1,000,000',
      '$187.50',
      '$0.01',
      '-$20',
      '$1,000',
    ])
  })
})
