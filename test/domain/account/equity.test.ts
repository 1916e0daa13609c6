import assert from 'node:assert/strict'
import fc from 'fast-check'
import { decimal, type Decimal } from '#domain/money/decimal.ts'
import { equityDoubt, equityMove, noteEquity, type EquityRecord } from '#domain/risk/buying-power.ts'

const START = Date.parse('2026-03-02T15:00:00.000Z')
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString()

/** The record after readings, each with the seconds at which it was made. */
const after = (...readings: [seconds: number, equity: Decimal][]): EquityRecord =>
  readings.reduce<EquityRecord | null>((record, [s, equity]) => noteEquity(record, equity, at(s)), null)!
/** Likewise, of "0: 28000, 5: 28100". */
const afterAll = (readings: string): EquityRecord =>
  after(
    ...readings.split(', ').map((reading): [number, Decimal] => {
      const [seconds, equity] = reading.split(': ')
      return [Number(seconds), decimal(equity!)]
    }),
  )

describe('the verdict on an equity', () => {
  const lives: [name: string, readings: string, believed: string, isDoubted: boolean][] = [
    ['the first reading', '0: 28000', '28000', false],
    ['of an account that was empty', '0: 0, 1: 28000', '28000', false],
    ['within a quarter', '0: 28000, 20: 34000', '34000', false],
    ['fourfold at once', '0: 28000, 1: 109092.32', '28000', true],
    ['fourfold for ten minutes', '0: 28000, 1: 109092.32, 600: 109092.32', '28000', true],
    ['fourfold for a quarter of an hour', '0: 28000, 1: 109092.32, 902: 109000', '109000', false],
    ['fourfold, and back', '0: 28000, 1: 109092.32, 5: 28100', '28100', false],
    ['nothing for a moment', '0: 1000000, 1: 0, 5: 0', '1000000', true],
    ['a third less at once', '0: 28000, 1: 18000', '28000', true],
    ['a third less, seen again at once', '0: 28000, 1: 18000, 2: 18000', '28000', true],
    ['a third less, seen again after some seconds', '0: 28000, 1: 18000, 5: 18100', '18100', false],
    ['another figure each time', '0: 28000, 1: 18000, 5: 45000, 9: 15000', '28000', true],
    ['a half more after four days without a look', '0: 28000, 345600: 42000', '42000', false],
    ['fourfold after a day without a look', '0: 28000, 86400: 109092.32', '28000', true],
    ['a quarter more exactly', '0: 28000, 20: 35000', '35000', false],
    ['a cent more than a quarter more', '0: 28000, 20: 35000.01', '28000', true],
    ['a quarter less exactly', '0: 28000, 20: 21000', '21000', false],
    ['a third less, seen again after three seconds', '0: 28000, 1: 18000, 4: 18000', '18000', false],
    ['a third less, seen again right before that', '0: 28000, 1: 18000, 3.999: 18000', '28000', true],
    ['twice as much exactly, for three seconds', '0: 28000, 1: 56000, 4: 56000', '56000', false],
    [
      'a cent more than twice as much, for three seconds',
      '0: 28000, 1: 56000.01, 4: 56000.01',
      '28000',
      true,
    ],
    ['half exactly, for three seconds', '0: 28000, 1: 14000, 4: 14000', '14000', false],
    ['a cent less than half, for three seconds', '0: 28000, 1: 13999.99, 4: 13999.99', '28000', true],
    ['fourfold for a quarter of an hour exactly', '0: 28000, 1: 112000, 901: 112000', '112000', false],
    ['half more after a day', '0: 28000, 86400: 42000', '42000', false],
    ['half more right before a day ends', '0: 28000, 86399: 42000', '28000', true],
    ['a tenth more, by a clock that was moved back', '0: 28000, -200000: 30000', '30000', false],
    ['half more of before, by a clock that was moved back', '0: 28000, -200000: 42000', '28000', true],
  ]
  for (const [name, readings, believed, isDoubted] of lives)
    it(`${name}: ${believed} is believed${isDoubted ? ', and the reading doubted' : ''}`, () => {
      const record = afterAll(readings)
      assert.equal(record.believed, believed)
      assert.equal(equityDoubt(record) !== null, isDoubted)
    })

  it('a doubt is reported with both figures and the instant', () => {
    assert.match(
      equityDoubt(after([0, '1000000'], [1, '0']))!,
      /an equity of \$0 where it showed \$1,000,000 at 2026-03-02T15:00:00.000Z$/,
    )
  })

  it('a move that came to be believed is reported for an hour; one that was taken back is not', () => {
    const moved = after([0, '28000'], [1, '18000'], [5, '18000'])
    assert.match(equityMove(noteEquity(moved, '18050', at(6)), at(10))!, /18,050 since$/)
    assert.match(equityMove(moved, at(10))!, /moved at 2026-03-02T15:00:01.000Z by more than 25 %/)
    assert.notEqual(equityMove(moved, at(3_601)), null)
    assert.equal(equityMove(moved, at(3_601.001)), null)
    assert.equal(equityMove(after([0, '28000'], [1, '109092'], [5, '28000']), at(6)), null)
  })

  it('a believed value, for any reading, moved by a quarter, or lasted for as long as it has to', () => {
    const equity = fc.integer({ min: 0, max: 500_000 }).map((dollars): Decimal => `${dollars}`)
    const readings = fc.array(fc.tuple(fc.integer({ min: 0, max: 1_200 }), equity), { minLength: 1 })
    fc.assert(
      fc.property(readings, (gaps) => {
        let record: EquityRecord | null = null
        let seconds = 0
        for (const [gap, reading] of gaps) {
          seconds += gap
          const before: EquityRecord | null = record
          record = noteEquity(before, reading, at(seconds))
          if (before === null || Number(before.believed) <= 0) continue
          if (record.believed === before.believed) continue
          const ratio = Number(record.believed) / Number(before.believed)
          const days = Math.floor((START + seconds * 1_000 - Date.parse(before.believedAt)) / 86_400_000)
          if (Math.abs(ratio - 1) <= 0.25 * (1 + days)) continue
          const stood = START + seconds * 1_000 - Date.parse(before.doubtBeganAt!)
          assert.ok(stood >= (ratio > 2 || ratio < 0.5 ? 900_000 : 3_000))
        }
      }),
    )
  })

  it('a value that stays is believed in the end, for any value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.integer({ min: 0 }), (from, to) => {
        const record = after([0, `${from}`], [1, `${to}`], [902, `${to}`])
        assert.equal(record.believed, String(to))
      }),
    )
  })
})
