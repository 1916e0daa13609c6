import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import {
  add,
  compare,
  decimal,
  decimalPlaces,
  divideDown,
  isDecimal,
  isPositive,
  isZero,
  magnitude,
  multiply,
  negate,
  round,
  smaller,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import { cases } from '#test/support/generators.ts'

/** A decimal with up to 12 digits before and after the point, made of whole numbers only. */
const decimals: fc.Arbitrary<Decimal> = fc
  .tuple(fc.bigInt(-(10n ** 12n), 10n ** 12n), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => decimal(`${digits}e-${places}`))
const positive = decimals.filter(isPositive)

/** An independent reading: the value as a whole number of 10^-24. */
function exact(text: Decimal): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!
  return BigInt(`${sign}${whole}${fraction.padEnd(24, '0')}`)
}
const ONE = 10n ** 24n

describe('decimal', () => {
  const canonical: [from: string | number, to: string][] = [
    ['12.50', '12.5'],
    ['007', '7'],
    ['1e3', '1000'],
    ['1e-7', '0.0000001'],
    [1e21, '1000000000000000000000'],
    [1e-7, '0.0000001'],
    ['-0', '0'],
    ['0.000', '0'],
    [-0, '0'],
    ['.5', '0.5'],
    ['5.', '5'],
    [0.1, '0.1'],
  ]
  for (const [from, to] of canonical) {
    it(`writes ${JSON.stringify(from)} as ${to}`, () => assert.equal(decimal(from), to))
  }

  for (const text of [
    '',
    ' ',
    'abc',
    '1,000',
    '1_000',
    '0x10',
    '--1',
    '1e',
    '.',
    'Infinity',
    'NaN',
    ' 1',
    '1\n',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => decimal(text))
      assert.equal(isDecimal(text), false)
    })
  }

  it('refuses values that are not finite numbers', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => decimal(value))
      assert.equal(isDecimal(value), false)
    }
    for (const value of [null, undefined, true, {}, [], 1n]) assert.equal(isDecimal(value), false)
  })

  it('reads everything that isDecimal accepts', () => {
    const texts = fc.oneof(
      fc.stringMatching(/^[+-]?[0-9]{0,5}\.?[0-9]{0,5}(e[+-]?[0-9]{1,3})?$/),
      fc.string({ maxLength: 8 }),
      fc.double(),
    )
    fc.assert(
      fc.property(texts, (value) => {
        if (isDecimal(value)) assert.equal(typeof decimal(value), 'string')
      }),
      { numRuns: cases(5_000) },
    )
  })

  it('decimal is canonical: two texts of one value are the same text', () => {
    fc.assert(
      fc.property(decimals, fc.integer({ min: 0, max: 5 }), (value, zeros) => {
        const padded = `${value.includes('.') ? value : `${value}.`}${'0'.repeat(zeros)}`
        assert.equal(decimal(padded), value)
        assert.match(value, /^(0|-?(0\.\d*[1-9]|[1-9]\d*(\.\d*[1-9])?))$/)
      }),
    )
  })
})

describe('decimal arithmetic', () => {
  it('takes no text that is no number, such as the id of an account: that does not even compile', () => {
    const accountId: string = randomUUID()
    // @ts-expect-error An id is no amount.
    assert.throws(() => add(accountId, '1'))
  })

  it('adds, subtracts, negates and compares exactly', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        assert.equal(exact(add(a, b)), exact(a) + exact(b))
        assert.equal(exact(subtract(a, b)), exact(a) - exact(b))
        assert.equal(exact(negate(a)), -exact(a))
        assert.equal(compare(a, b), exact(a) < exact(b) ? -1 : exact(a) > exact(b) ? 1 : 0)
        assert.equal(smaller(a, b), compare(a, b) <= 0 ? a : b)
        assert.equal(isZero(a), exact(a) === 0n)
        assert.equal(exact(magnitude(a)), exact(a) < 0n ? -exact(a) : exact(a))
      }),
      { numRuns: cases(2_000) },
    )
  })

  it('multiplies exactly', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        assert.equal(exact(multiply(a, b)) * ONE, exact(a) * exact(b))
      }),
      { numRuns: cases(2_000) },
    )
  })

  it('divides to the largest quotient that does not exceed the true one', () => {
    fc.assert(
      fc.property(positive, positive, fc.integer({ min: 0, max: 9 }), (a, b, places) => {
        const quotient = exact(divideDown(a, b, places))
        const step = ONE / 10n ** BigInt(places)
        assert.equal(quotient % step, 0n)
        assert.ok(quotient * exact(b) <= exact(a) * ONE)
        assert.ok((quotient + step) * exact(b) > exact(a) * ONE)
      }),
      { numRuns: cases(5_000) },
    )
  })

  it('decimal arithmetic never rounds a quotient up, however close it comes to the next step', () => {
    assert.equal(divideDown('1', '1.000000000000000000000001', 0), '0')
    assert.equal(divideDown('0.999999999999999999999999', '1', 9), '0.999999999')
    assert.equal(divideDown('-10', '3', 2), '-3.33')
  })

  it('throws on a division by zero', () => {
    assert.throws(() => divideDown('1', '0', 0))
  })

  it('rounds half up, and counts decimal places', () => {
    assert.equal(round('1.005', 2), '1.01')
    assert.equal(round('1.0049', 2), '1')
    assert.equal(round('-1.005', 2), '-1.01')
    assert.equal(decimalPlaces('1.50'), 1)
    assert.equal(decimalPlaces('100'), 0)
  })
})
